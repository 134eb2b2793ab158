/** The Backend API: each operation parses, calls one use case and renders. Keyed by the document's operation ids. */
import type { LoginApp } from '../../customers/login.ts';
import type { UsernameRules } from '../../customers/setUsername.ts';
import type { Operation } from '../contract/createApi.ts';
import type { Mode } from './authorize.ts';
import { loginOperation } from './login.ts';
import { listSessionsOperation, refreshSessionOperation, revokeSessionOperation } from './sessions.ts';
import { setUsernameOperation } from './setUsername.ts';

export interface BackendApp extends LoginApp {
  readonly mode: Mode;
  readonly usernames: UsernameRules;
  readonly homeBlockchain: string;
}

export const backendOperations = (app: BackendApp): Record<string, Operation> => ({
  login: loginOperation(app),
  refresh_session: refreshSessionOperation(app),
  list_sessions: listSessionsOperation(app),
  revoke_session: revokeSessionOperation(app),
  set_username: setUsernameOperation(app),
});
