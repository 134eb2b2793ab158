import { refreshSession } from '../../customers/sessions/refreshSession.ts';
import type { Caller, SessionRules } from '../../customers/sessions/sessions.ts';
import { listSessions, logOutEverywhere, revokeSession } from '../../customers/sessions/sessions.ts';
import type { Db } from '../../db/database.ts';
import { parseIdempotencyKey } from '../calls/parseIdempotencyKey.ts';
import type { Operation } from '../contract/operation.ts';
import { getRequiredCaller } from './authorize.ts';
import { renderTokens } from './login.ts';

interface SessionsApp {
  readonly db: Db;
  readonly sessions: SessionRules;
}

export const refreshSessionOperation =
  (app: SessionsApp): Operation =>
  async (call) => {
    const { refresh_token: refreshToken } = call.body as { refresh_token: string };
    return {
      body: renderTokens(
        await refreshSession(app, { refreshToken, idempotencyKey: parseIdempotencyKey(call.headers) }),
      ),
    };
  };

export const listSessionsOperation =
  (app: SessionsApp): Operation =>
  async (call) => {
    const caller = getRequiredCaller(call.caller as Caller | undefined);
    const sessions = await listSessions(app.db, caller.userId);
    return {
      body: {
        sessions: sessions.map((session) => ({
          session_id: session.session_id,
          created_at: session.created_at.toISOString(),
          last_used_at: session.last_used_at.toISOString(),
          expires_at: session.expires_at.toISOString(),
          user_agent: session.user_agent,
          current: session.session_id === caller.sessionId,
        })),
      },
    };
  };

export const revokeSessionOperation =
  (app: SessionsApp): Operation =>
  async (call) => {
    const sessionId = call.params.session_id!;
    const caller = getRequiredCaller(call.caller as Caller | undefined);
    await app.db.tx((tx) => revokeSession(tx, caller, sessionId));
    return { body: { success: true, session_id: sessionId } };
  };

export const endAllSessionsOperation =
  (app: SessionsApp): Operation =>
  async (call) => {
    const { userId } = getRequiredCaller(call.caller as Caller | undefined);
    return { body: { success: true, sessions: await app.db.tx((tx) => logOutEverywhere(tx, userId)) } };
  };
