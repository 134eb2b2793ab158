import type { SigningRefusal } from '../../core/signer.ts';
import { findViolatedConstraint } from '../../db/database.ts';
import { nonceOfMove, toBytes, toHex } from '../eip3009/authorizations.ts';
import { checkSigningRules, overDay } from './checkSigningRules.ts';
import { findEarlierTransfer } from './findEarlierTransfer.ts';
import type { RateLimiter } from './rateLimiter.ts';
import { readMoves, type SigningMove } from './readMoves.ts';
import { signEach, toRefusal } from './signEach.ts';
import { domainOf, findNetwork, type SigningApp } from './signingApp.ts';

/**
 * As in the function `signature_seconds`: after this time, any signature that a restored database does not know has
 * expired.
 */
const LONGEST_VALIDITY_SECONDS = 7_200n;
/** Part of the ten seconds that callers wait. */
const SEARCHES_MS = 2_000;

interface Signature {
  readonly moveId: string;
  readonly nonce: Buffer;
  readonly bytes: Buffer;
}

/** Signs those of these moves that the rules allow, and commits the signatures. Returns which it refused, and why. */
export async function authorizeMoves(
  app: SigningApp,
  turns: Readonly<Record<string, RateLimiter>>,
  moveIds: readonly string[],
  validBeforeSeconds: bigint,
): Promise<SigningRefusal[]> {
  const latest = BigInt(Math.floor(Date.now() / 1000)) + LONGEST_VALIDITY_SECONDS;
  if (validBeforeSeconds > latest) return moveIds.map((id) => ({ id, reason: TOO_LONG, isForNow: true }));
  const moves = await readMoves(app.db, moveIds);
  const refused: SigningRefusal[] = moveIds
    .filter((id) => !moves.some(({ moveId }) => moveId === id))
    .map((id) => ({ id, reason: 'nothing is committed under this id', isForNow: false }));
  const signatures: Signature[] = [];
  const untilMs = performance.now() + SEARCHES_MS;
  const signed = await signEach(app, turns, {
    items: moves,
    providerOf: ({ provider }) => provider,
    priorityOf: ({ purpose, isFunding }) => (purpose === 'send' || isFunding ? 'first' : 'yielding'),
    checkRules: async (move) => (await checkSigningRules(app, move)) ?? (await findEarlierTransfer(app, move, untilMs)),
    sign: (move) => authorize(app, move, validBeforeSeconds),
  });
  for (const { item, made } of signed) {
    if ('bytes' in made) signatures.push(made);
    else refused.push({ id: item.moveId, ...made });
  }
  return [...refused, ...(await commit(app, signatures, validBeforeSeconds))];
}

const TOO_LONG = 'it would be good for longer than the signer allows; do the clocks of chain and signer differ?';

async function authorize(
  app: SigningApp,
  move: SigningMove,
  validBeforeSeconds: bigint,
): Promise<Signature | Omit<SigningRefusal, 'id'>> {
  const { moveId, from, to, amount, provider, reference } = move;
  const domain = domainOf(findNetwork(app, move)!, move.contract!, move.tokenName!);
  const nonce = move.nonce ? toHex(move.nonce) : nonceOfMove(move);
  const answer = await app.keyrings[provider]!.signAuthorization(reference, domain, {
    from,
    to,
    amount,
    validAfterSeconds: 0n,
    validBeforeSeconds,
    nonce,
  });
  if (answer.outcome === 'accepted') return { moveId, nonce: toBytes(nonce), bytes: toBytes(answer.signature) };
  return toRefusal(app, provider, answer);
}

async function commit(
  app: SigningApp,
  signatures: readonly Signature[],
  validBefore: bigint,
): Promise<readonly SigningRefusal[]> {
  if (signatures.length === 0) return [];
  const record = (some: readonly Signature[]) =>
    app.db.query('SELECT commit_signatures($1, $2, $3, $4, $5)', [
      some.map((one) => one.moveId),
      some.map((one) => one.nonce),
      validBefore,
      some.map((one) => one.bytes),
      app.limits.day ?? null,
    ]);
  try {
    await record(signatures);
    return [];
  } catch (error) {
    if (!isOfOne(error)) throw error;
  }
  // Another signer was faster with one of them, or it was ended or paused in the meantime, or it exceeds the limit. The
  // others are recorded one by one.
  const refused: SigningRefusal[] = [];
  for (const one of signatures) {
    await record([one]).catch((error: unknown) => {
      if (!isOfOne(error)) throw error;
      const broken = findViolatedConstraint(error);
      const limit = broken === OVER_LIMIT ? app.limits.day : undefined;
      if (limit !== undefined) refused.push({ id: one.moveId, reason: overDay(limit), isForNow: true });
      if (broken === PAUSED) refused.push({ id: one.moveId, reason: 'signing is paused', isForNow: true });
    });
  }
  return refused;
}

const OVER_LIMIT = 'signatures_within_day_limit';
const PAUSED = 'signatures_while_not_paused';

const isOfOne = (error: unknown): boolean =>
  ['signatures_only_while_open', 'signatures_pkey', OVER_LIMIT, PAUSED].includes(findViolatedConstraint(error) ?? '');
