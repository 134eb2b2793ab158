/**
 * Every operation of both documents with an account key of each scope, as a call about someone else's account: what the scope
 * does not allow is refused, and what it allows neither reads nor changes that account.
 */
import { ACCOUNT_SCOPES } from '../../../../server/src/customers/keys/serviceKeys.ts';
import { scopesOf } from '../../../../server/src/http/backend/keys/keyOperations.ts';
import { bearer } from '../../http/answer.ts';
import type { Cast, GoodCall } from './goodCalls.ts';
import { makeCall } from './listCases.ts';
import type { Member, NegativesWorld } from './openWorld.ts';
import { ask } from './runCases.ts';

/** A name that the caller asks about on purpose, or pays. */
const NAMES_ONE = /^(check_username|preview_payment|ask_for_money)$/;

/** The call is about an object or an account of the person whose good call it is. */
const isAboutOther = ({ described: { id }, params, query, body }: GoodCall): boolean =>
  !NAMES_ONE.test(id) &&
  (Object.keys(params).length > 0 ||
    'payer' in query ||
    ['user_id', 'sender_user_id'].some((name) => name in (body ?? {})));

export async function runAccountKeys(
  world: NegativesWorld,
  { alice }: Cast,
  stranger: Member,
  calls: readonly GoodCall[],
): Promise<{ readonly faults: string[]; readonly tried: number }> {
  const faults: string[] = [];
  let tried = 0;
  const before = await digestOf(world, alice);
  const marks = [alice.userId, alice.email, alice.address, alice.walletId];
  for (const scope of ACCOUNT_SCOPES) {
    const wanted = { name: scope, scopes: [scope], payment_limit: 10, day_limit: 100 };
    const { body } = await world.call('POST', '/api/v1/keys', wanted, bearer(stranger.accessToken));
    for (const good of calls.filter(({ described }) => described.caller !== 'anyone')) {
      const { api, id } = good.described;
      const headers = { ...good.headers, ...bearer(body.key) };
      const { status, text, fault } = await ask(world, makeCall({ ...good, headers }, world));
      const code = (text.startsWith('{') && (JSON.parse(text) as { code?: string }).code) || '';
      const allowed = scopesOf(id);
      const isRight =
        api === 'web3'
          ? status === 401
          : !allowed
            ? code === 'key.person_only'
            : !allowed.includes(scope)
              ? code === 'auth.scope'
              : isAboutOther(good)
                ? [403, 404].includes(status) && code !== 'auth.scope'
                : ![401, 403].includes(status) && status < 500;
      const leak = marks.find((mark) => text.includes(mark));
      if (!isRight || fault || leak)
        faults.push(`${id} with ${scope}: ${status} ${fault ?? leak ?? text.slice(0, 200)}`);
      tried++;
    }
  }
  if ((await digestOf(world, alice)) !== before) faults.push('the account of someone else has changed');
  return { faults, tried };
}

/** What a key of someone else must not change: money, payouts, webhooks of services, sessions and keys. */
async function digestOf({ admin }: NegativesWorld, { userId }: Member): Promise<string> {
  const [row] = await admin.query<{ digest: string }>(
    `SELECT concat_ws(' ',
       (SELECT string_agg(concat_ws(',', account_id, available, held, entries), ' ' ORDER BY account_id) FROM accounts WHERE user_id = $1),
       (SELECT string_agg(concat_ws(',', payout_id, state), ' ' ORDER BY payout_id) FROM payouts WHERE payer_id = $1),
       (SELECT string_agg(concat_ws(',', endpoint_id, url, state, removed_at, key_id), ' ' ORDER BY endpoint_id) FROM webhook_endpoints
         WHERE key_id IN (SELECT key_id FROM service_keys WHERE user_id IS NULL)),
       (SELECT count(*) FROM webhook_secrets s JOIN webhook_endpoints e USING (endpoint_id)
         WHERE e.key_id IN (SELECT key_id FROM service_keys WHERE user_id IS NULL)),
       (SELECT string_agg(concat_ws(',', session_id, ended_at), ' ' ORDER BY session_id) FROM sessions WHERE user_id = $1),
       (SELECT string_agg(concat_ws(',', request_id, state), ' ' ORDER BY request_id) FROM money_requests
         WHERE (asker_id = $1 OR payer_id = $1) AND created_at < (SELECT max(created_at) FROM service_keys WHERE user_id IS NULL)),
       (SELECT count(*) FROM service_keys WHERE user_id = $1)) AS digest`,
    [userId],
  );
  return row!.digest;
}
