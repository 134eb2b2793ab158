/** The logins that try: one of every kind that a deployment has. */
import type { Logins } from '../../database.ts';
import { loginOf } from '../../operators.ts';
import { OPERATORS } from './world/buildWorld.ts';

export const ACTORS = [
  'server',
  'worker',
  'signer',
  'admin',
  'risk',
  'support',
  'removed',
  'reader',
  'console',
] as const;
/** A role of a process, or an operator's role; `removed` is an operator who was removed and still has a login. */
export type Actor = (typeof ACTORS)[number];

const OPERATOR_ACTORS: readonly Actor[] = ['admin', 'risk', 'support', 'removed'];
export const isOperator = (actor: Actor): boolean => OPERATOR_ACTORS.includes(actor);

export const keyOf = (actor: Actor): keyof Logins =>
  actor in OPERATORS ? OPERATORS[actor as keyof typeof OPERATORS] : (actor as keyof Logins);

/** The name in PostgreSQL (`session_user`). */
export const sessionUserOf = (actor: Actor): string =>
  isOperator(actor) ? loginOf(keyOf(actor)) : loginOf(`test_${actor}` as keyof Logins);
