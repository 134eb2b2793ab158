import { createHash } from 'node:crypto';
import { shapeUuid } from '../../core/ids.ts';
import { formatUsdc } from '../../core/money.ts';
import type { ProviderAnswer } from '../../core/ports.ts';
import type { ProviderTransfer } from '../../core/providerSays.ts';
import type { ProviderSender, Sender, SentTransfer, TransferRequest } from '../../core/providers.ts';
import { checkSigningRules } from './checkSigningRules.ts';
import { findEarlierTransfer } from './findEarlierTransfer.ts';
import { listSpans } from './listSpans.ts';
import type { Priority, RateLimiter } from './rateLimiter.ts';
import { readMoves, type SigningMove } from './readMoves.ts';
import type { SigningApp } from './signingApp.ts';

/** Part of the ten seconds that callers wait. The rest is for the request itself. */
const PATIENCE_MS = 1_500;

type Answer<T> = ProviderAnswer<T, string>;
/** By provider: the rate limiters of commands. */
type Posts = Readonly<Record<string, RateLimiter>>;

/** Not now. A text is shown in the payment's timeline. */
const wait = (cause: string): { readonly outcome: 'unknown'; readonly cause: string } => ({
  outcome: 'unknown',
  cause,
});

const AWAY = 'the provider of the wallet does not answer';
const TURN = 'it waits for its turn at the provider';

/** Handles the requests of workers: checks each one and passes it to the wallet's provider. */
export const openTransfers = (app: SigningApp, posts: Posts): Sender<string> => ({
  submit: (moveId) => submitTransfer(app, posts, moveId),
  find: (moveId) => findTransfer(app, moveId),
  cancel: (moveId) => cancelTransfer(app, posts, moveId),
  accelerate: (moveId) => accelerateTransfer(app, posts, moveId),
});

interface Handover {
  readonly move: SigningMove;
  readonly sender: ProviderSender;
  readonly request: TransferRequest;
}

async function readHandover(app: SigningApp, moveId: string): Promise<Handover | undefined> {
  const [move] = await readMoves(app.db, [moveId]);
  const sender = move && app.senders[move.provider];
  if (!sender || move.attempts === null || !move.contract) return undefined;
  const { blockchain, contract: token, reference, to, amount } = move;
  return { move, sender, request: { key: moveId, blockchain, token, reference, to, amount } };
}

/**
 * Has a provider send a committed move. It first searches for the transfer, so that a restored database finds what it
 * no longer knows. Then it counts and commits the attempt, and only then asks the provider, always under the move's id.
 * A refusal counts only as the answer to the first attempt: a later refusal says nothing about earlier attempts.
 */
async function submitTransfer(app: SigningApp, posts: Posts, moveId: string): Promise<Answer<ProviderTransfer>> {
  const found = await readHandover(app, moveId);
  if (!found) return wait('nothing is committed under this id that a provider could send');
  const { move, sender, request } = found;
  return orAway(app, move, async () => {
    const refusal = move.attempts === 0 && move.isUnwanted ? undefined : await checkSigningRules(app, move, 'provider');
    if (refusal) return wait(refusal.reason);
    const earlier =
      move.attempts === 0 ? await findEarlierTransfer(app, move, performance.now() + PATIENCE_MS) : undefined;
    if (earlier?.isForNow === false) return { outcome: 'rejected', reason: earlier.reason };
    if (earlier) return wait(earlier.reason);
    for (const span of listSpans(move)) {
      const known = await sender.search(request, span);
      if (known.outcome === 'accepted') {
        await resume(app, move);
        return known;
      }
      if (known.outcome === 'unknown') return noAnswer(app, move, known.cause);
      // This database has never requested it, and the provider would refuse the key.
      if (known.outcome === 'taken' && move.attempts === 0) return { outcome: 'rejected', reason: known.reason };
    }
    if (move.attempts! > 0 && (await hold(app, move, sender))) return wait('it is held until people have decided');
    if (!(await takeTurn(posts, move, priorityOf(move)))) return wait(TURN);
    const asked = await ask(app, sender, move);
    if (asked.outcome === 'unwanted')
      return { outcome: 'rejected', reason: 'it was cancelled before it was asked for' };
    if (asked.outcome !== 'go') return wait(describeRefusal(app, asked.outcome));
    const answer = await sender.submit(request);
    if (answer.outcome === 'unknown') {
      if ('isUndone' in answer && asked.attempt === 1) await app.db.query('SELECT take_back_ask($1)', [moveId]);
      return noAnswer(app, move, answer.cause);
    }
    if (answer.outcome === 'rejected' && asked.attempt > 1) return noAnswer(app, move, new Error(answer.reason));
    return answer;
  });
}

const priorityOf = ({ purpose, isFunding }: SigningMove): Priority =>
  purpose === 'send' || isFunding ? 'first' : 'yielding';

const takeTurn = (posts: Posts, { provider }: SigningMove, priority: Priority): Promise<boolean> =>
  posts[provider]!.take(priority, performance.now() + PATIENCE_MS);

function noAnswer(app: SigningApp, { provider }: SigningMove, cause: unknown): ReturnType<typeof wait> {
  app.onFault?.(cause, `transfers of ${provider}`);
  return wait(AWAY);
}

/** An unreachable provider is not a fault of the call. */
async function orAway<T extends object>(
  app: SigningApp,
  move: SigningMove,
  work: () => Promise<Answer<T>>,
): Promise<Answer<T>> {
  try {
    return await work();
  } catch (error) {
    if ((error as { code?: string }).code !== 'service.unavailable') throw error;
    return noAnswer(app, move, error);
  }
}

/**
 * Holds the transfer if the provider can no longer tell its outcome (`hold_transfer`). Returns whether it is held now.
 */
async function hold(app: SigningApp, { moveId }: SigningMove, { keyLifeMs }: ProviderSender): Promise<boolean> {
  const [row] = await app.db.query<{ held: boolean }>(
    `SELECT hold_transfer($1, $2 * interval '1 millisecond') AS held`,
    [moveId, keyLifeMs],
  );
  return row!.held;
}

/** The provider knows it again. */
async function resume(app: SigningApp, move: SigningMove): Promise<void> {
  if (move.isHeld) await app.db.query('SELECT resume_transfer($1)', [move.moveId]);
}

type Asked = 'go' | 'ended' | 'unwanted' | 'paused' | 'full' | 'over';

async function ask(app: SigningApp, sender: ProviderSender, { moveId, blockchain }: SigningMove) {
  const [row] = await app.db.query<{ outcome: Asked; attempt: number }>(
    'SELECT outcome, attempt FROM ask_transfer($1, $2, $3)',
    [moveId, sender.queueOf(blockchain), app.limits.day ?? null],
  );
  return row!;
}

const describeRefusal = ({ limits }: SigningApp, outcome: Exclude<Asked, 'go' | 'unwanted'>): string =>
  ({
    ended: 'it has ended, or people decide about it',
    paused: 'signing is paused',
    full: 'earlier transfers of its wallet go first',
    over: `the signer lets at most ${formatUsdc(limits.day ?? 0n)} USDC go in 24 hours`,
  })[outcome];

async function findTransfer(app: SigningApp, moveId: string): Promise<Answer<ProviderTransfer>> {
  const found = await readHandover(app, moveId);
  const sent = found && toSent(found);
  if (!sent) return wait('the provider has not named it yet');
  const { move, sender } = found;
  return orAway(app, move, async () => {
    const answer = await sender.find(sent);
    if (answer.outcome === 'unknown') return noAnswer(app, move, answer.cause);
    if (answer.outcome === 'rejected') await hold(app, move, sender);
    else await resume(app, move);
    return answer;
  });
}

/** Undefined while the provider has not named it. */
const toSent = ({ move: { moveId, providerId, ...move }, request }: Handover): SentTransfer | undefined =>
  providerId === null
    ? undefined
    : {
        ...request,
        providerId,
        cancelKey: keyOf('cancel', moveId, ...(move.cancelRefusals ? [move.cancelRefusals] : [])),
        accelerateKey: keyOf('accelerate', moveId, move.accelerations ?? 0),
      };

/** Only for a move whose cancellation is requested. Allowed even while signing is paused, when it may matter most. */
const cancelTransfer = (app: SigningApp, posts: Posts, moveId: string): Promise<Answer<object>> =>
  change(app, posts, moveId, ({ sender, move }, sent) =>
    move.isUnwanted
      ? sender.cancel(sent)
      : Promise.resolve({ outcome: 'rejected', reason: 'its cancellation was not requested' }),
  );

const accelerateTransfer = (app: SigningApp, posts: Posts, moveId: string): Promise<Answer<object>> =>
  change(app, posts, moveId, ({ sender }, sent) => sender.accelerate(sent));

async function change(
  app: SigningApp,
  posts: Posts,
  moveId: string,
  ask: (found: Handover, sent: SentTransfer) => Promise<Answer<object>>,
): Promise<Answer<object>> {
  const found = await readHandover(app, moveId);
  const sent = found && toSent(found);
  if (!sent || !found.move.isOpen) return wait('there is nothing to change');
  return orAway(app, found.move, async () => {
    if (!(await takeTurn(posts, found.move, 'first'))) return wait(TURN);
    const answer = await ask(found, sent);
    return answer.outcome === 'unknown' ? noAnswer(app, found.move, answer.cause) : answer;
  });
}

/**
 * The same request has the same key, so repeating it does not count as a second one. After a refusal it is a new
 * request.
 */
const keyOf = (...words: readonly (string | number)[]): string =>
  shapeUuid(createHash('sha256').update(words.join(':')).digest());
