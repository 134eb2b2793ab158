/** The input of a law: who acted, and the database before and after. Laws call no function of the product. */
import { type Actor, isOperator, sessionUserOf } from '../logins.ts';
import type { Change, Row } from '../recorder.ts';
import type { State, Variant } from '../state.ts';

export interface Deed {
  readonly variant: Variant;
  readonly actor: Actor;
  /** The login's name in PostgreSQL. */
  readonly login: string;
  readonly before: State;
  readonly after: State;
  readonly changes: readonly Change[];
}

/** Returns what is wrong; an empty list means nothing. */
export type Law = (deed: Deed) => string[];

/** An operator may have got another role since the world began, or have been removed. */
const actorNow = (actor: Actor, before: State): Actor =>
  isOperator(actor)
    ? ((before.find('operators', sessionUserOf(actor))?.role as Actor | undefined) ?? 'removed')
    : actor;

export const deedOf = (variant: Variant, actor: Actor, before: State, changes: readonly Change[]): Deed => ({
  variant,
  actor: actorNow(actor, before),
  login: sessionUserOf(actor),
  before,
  after: before.after(changes),
  changes,
});

export const changesOf = ({ changes }: Deed, table: string): readonly Change[] =>
  changes.filter((change) => change.table === table);

export const addedTo = (deed: Deed, table: string): Row[] =>
  changesOf(deed, table).flatMap(({ before, after }) => (!before && after ? [after] : []));

export const amountOf = (text: string | null | undefined): bigint => BigInt(text ?? 0);

/** Whether the action gave the column one of these values. */
export const becameAny = ({ before, after }: Change, column: string, values: readonly string[]): boolean =>
  values.includes(after?.[column] ?? '') && before?.[column] !== after?.[column];

/** Operators who may approve, and since when. */
export function mayApprove(state: State, name: string | null | undefined, at: string | null | undefined): boolean {
  const operator = state.find('operators', name);
  if (!operator || !at) return false;
  return ['admin', 'risk'].includes(operator.role!) && Date.parse(operator.added_at!) <= Date.parse(at);
}

export const countApprovals = (
  state: State,
  table: 'approvals' | 'payout_approvals',
  column: string,
  id: string | null,
): number =>
  state.rows(table).filter((row) => row[column] === id && mayApprove(state, row.operator, row.approved_at)).length;

/** A cleared payment stays cleared, also when the approver is removed. */
export function lacksApprovals({ before, after }: Deed, { payment_id, approvals_needed }: Row): boolean {
  const isCleared = before
    .rows('payment_events')
    .some((event) => event.payment_id === payment_id && event.state === 'CLEARED');
  return !isCleared && amountOf(approvals_needed) > countApprovals(after, 'approvals', 'payment_id', payment_id!);
}

export const ownerOfWallet = (state: State, walletId: string | null | undefined): string | null | undefined =>
  state.find('wallets', walletId)?.user_id;

export const isPaused = (state: State, ...scopes: readonly string[]): boolean =>
  state.rows('pauses').some(({ scope }) => scopes.includes(scope!));

/** Payments that the action imports because the chain has made them (`unexplained_moves`). */
export const importsOf = (deed: Deed): Map<string, Row> =>
  new Map(
    changesOf(deed, 'unexplained_moves').flatMap(({ before, after }) =>
      before && after && !before.imported_as && after.imported_as ? [[after.imported_as, after]] : [],
    ),
  );
