/** One Idempotency-Key, and every request that may use it afterwards. */
import { randomUUID } from 'node:crypto';
import { UNKNOWN_USER_ID } from '../../values.ts';
import { compareDigests, digestTables } from './digestTables.ts';
import type { Cast, GoodCall } from './goodCalls.ts';
import { makeCall } from './listCases.ts';
import { hasHeader, listCodes } from './listOperations.ts';
import type { NegativesWorld } from './openWorld.ts';
import { listOthers, listSpellings } from './otherValues.ts';
import { ask } from './runCases.ts';

export const isKeyed = ({ described }: GoodCall): boolean =>
  hasHeader(described, 'Idempotency-Key') && listCodes(described).has('idempotency.mismatch');

/** The named caller cannot change: the credential identifies who calls. */
const WHO: readonly string[] = ['user_id', 'sender_user_id'];

/** The changes to a good call that make its first answer a stored refusal, by operation. */
const REFUSED: Readonly<Record<string, Partial<GoodCall>>> = {
  send_specific_amount_usdc_wallet_send_usdc_post: { body: { amount: 900_000 } },
  send_usdc: { body: { amount: 900_000 } },
  send_to_address: { body: { amount: 900_000 } },
  set_username: { body: { username: 'bob' } },
  ask_for_money: { body: { payer_username: 'nobody_at_all' } },
  create_webhook: { body: { types: ['coffee'] } },
  cancel_transaction: { params: { transaction_id: UNKNOWN_USER_ID } },
};

export interface KeyedRun {
  readonly faults: string[];
  /** The number of changed bodies that were refused, and of spellings that got the first answer. */
  readonly mismatches: number;
  readonly spellings: number;
}

/** `first`: whether the first answer under the key is a success or a stored refusal. */
export async function runKeyed(
  world: NegativesWorld,
  cast: Cast,
  good: GoodCall,
  first: 'accepted' | 'refused',
): Promise<KeyedRun> {
  const { id } = good.described;
  const refused = REFUSED[id];
  if (first === 'refused' && !refused) throw new Error(`say in runKeyed.ts what makes ${id} a stored refusal`);
  const asked: GoodCall =
    first === 'accepted'
      ? good
      : {
          ...good,
          ...(good.body && { body: { ...good.body, ...refused!.body } }),
          params: { ...good.params, ...refused!.params },
        };
  const key = randomUUID();
  const repeat = (more: Parameters<typeof makeCall>[2] = {}, text = key) =>
    ask(world, makeCall(asked, world, { ...more, headers: { ...asked.headers, 'idempotency-key': text } }));
  const faults: string[] = [];
  const answer = await repeat();
  const isFirst = first === 'accepted' ? answer.status === 200 : answer.status >= 400 && answer.status < 500;
  if (!isFirst || answer.fault) faults.push(`${id}: the first call is not ${first}: ${answer.status} ${answer.text}`);

  const before = await digestTables(world.admin);
  const others = listOthers(asked, cast);
  const changes: Parameters<typeof makeCall>[2][] = [
    ...others.map(({ body }) => ({ body })),
    ...Object.keys(asked.params).map((name) => ({ params: { ...asked.params, [name]: randomUUID() } })),
  ];
  for (const change of changes) {
    const { status, text, fault } = await repeat(change);
    const code = codeOf(text);
    const isOther = WHO.some((name) => change?.body?.[name] !== asked.body?.[name] && change?.body);
    const expected = isOther ? ['auth.forbidden', 403] : ['idempotency.mismatch', 422];
    if (code !== expected[0] || status !== expected[1] || fault)
      faults.push(`${id}: after an ${first} call: ${JSON.stringify(change)}: ${status} ${fault ?? text.slice(0, 200)}`);
  }
  const changed = compareDigests(before, await digestTables(world.admin));
  if (changed.length > 0) faults.push(`${id}: a refused call has changed ${changed.join(', ')}`);

  const spellings = listSpellings(asked);
  const same = await Promise.all([repeat(), repeat({}, `"${key}"`), ...spellings.map(({ text }) => repeat({ text }))]);
  for (const [i, { status, text, headers }] of same.entries()) {
    const isSame = status === answer.status && stable(text) === stable(answer.text);
    if (!isSame || headers.get('idempotency-replayed') !== 'true')
      faults.push(`${id}: ${spellings[i - 2]?.what ?? 'repeated'}: ${status} ${text.slice(0, 300)}`);
  }
  return { faults, mismatches: changes.length, spellings: same.length };
}

function codeOf(text: string): string | undefined {
  return (JSON.parse(text) as { code?: string }).code;
}

/** Removes what legitimately differs: each answer has a new `request_id`, and a secret is shown only once. */
function stable(text: string): string {
  const { request_id: _, secret: __, ...rest } = JSON.parse(text) as Record<string, unknown>;
  return JSON.stringify(rest);
}
