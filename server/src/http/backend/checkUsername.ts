import type { Caller } from '../../customers/sessions/sessions.ts';
import { checkUsername } from '../../customers/usernames/checkUsername.ts';
import type { Queryable } from '../../db/database.ts';
import type { Operation } from '../contract/operation.ts';
import { getRequiredCaller } from './authorize.ts';

/** The answer does not reveal who has a name. */
export const checkUsernameOperation =
  (app: { readonly db: Queryable }): Operation =>
  async (call) => {
    const { userId } = getRequiredCaller(call.caller as Caller | undefined);
    const { username, state } = await checkUsername(app.db, userId, call.params.username!);
    return { body: { username, state } };
  };
