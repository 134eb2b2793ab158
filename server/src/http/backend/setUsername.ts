import type { Caller } from '../../customers/sessions.ts';
import { setUsername, type UsernameRules } from '../../customers/setUsername.ts';
import type { Db } from '../../db/database.ts';
import type { Operation } from '../contract/createApi.ts';
import { refuseOthers } from './authorize.ts';

export const setUsernameOperation =
  (app: { readonly db: Db; readonly usernames: UsernameRules }): Operation =>
  async (call) => {
    const { user_id: userId, username } = call.body as { user_id: string; username: string };
    refuseOthers(call.caller as Caller | undefined, userId);
    const set = await app.db.tx((tx) => setUsername(tx, app.usernames, { userId, username }));
    return {
      body: {
        success: true,
        user_id: set.userId,
        username: set.username,
        previous_username: set.previousUsername,
      },
    };
  };
