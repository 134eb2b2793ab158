import type { Caller } from '../../customers/sessions/sessions.ts';
import { setUsername, type UsernameRules, type UsernameSet } from '../../customers/usernames/setUsername.ts';
import type { Db } from '../../db/database.ts';
import { hashRequest, type Replayable, replayOrRun } from '../../db/idempotency.ts';
import { REPLAYED, refuse } from '../answers/renderReplay.ts';
import { countUnanswered } from '../calls/countUnanswered.ts';
import type { NameQuota } from '../calls/createCallLimits.ts';
import { parseIdempotencyKey } from '../calls/parseIdempotencyKey.ts';
import type { ApiCall, Operation } from '../contract/operation.ts';
import { refuseOthers } from './authorize.ts';

interface SetUsernameApp {
  readonly db: Db;
  readonly usernames: UsernameRules;
  readonly names: NameQuota;
}

export const setUsernameOperation =
  (app: SetUsernameApp): Operation =>
  async (call) => {
    const { user_id: userId } = call.body as { user_id: string };
    const caller = call.caller as Caller | undefined;
    refuseOthers(caller, userId);
    // The sandbox works without a credential and has no limits.
    if (caller) await countUnanswered(app, call, userId);
    const { replayed, result } = await setOnce(app, call);
    if ('refusal' in result) return refuse(result.refusal, replayed, call.requestId);
    const { username, previousUsername } = result.answer;
    const body = { success: true, user_id: userId, username, previous_username: previousUsername };
    return replayed ? { body, headers: REPLAYED } : { body };
  };

function setOnce(app: SetUsernameApp, call: ApiCall): Promise<Replayable<UsernameSet>> {
  const { user_id: userId, username } = call.body as { user_id: string; username: string };
  const key = parseIdempotencyKey(call.headers);
  return app.db.tx(async (tx) => {
    const work = () => setUsername(tx, app.usernames, { userId, username });
    if (key === undefined) return { replayed: false, result: { answer: await work() } };
    // `Alice` and `alice` are the same username.
    const hash = hashRequest(userId, username.toLowerCase());
    return replayOrRun(tx, { caller: userId, route: call.route, key, hash }, work);
  });
}
