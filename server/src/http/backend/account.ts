import { formatUsdc } from '../../core/money.ts';
import { closeAccount } from '../../customers/account/closeAccount.ts';
import { describeAccount, readActivity } from '../../customers/account/describeAccount.ts';
import type { Caller } from '../../customers/sessions/sessions.ts';
import type { Db, Queryable } from '../../db/database.ts';
import { type HistoryPosition, readPayments } from '../../payments/read/readPayments.ts';
import { listRequests } from '../../payments/requests/listRequests.ts';
import { renderPayment } from '../answers/renderPayment.ts';
import { renderRequest } from '../answers/renderRequest.ts';
import type { Operation } from '../contract/operation.ts';
import { getRequiredCaller } from './authorize.ts';
import { renderKyc } from './kyc.ts';

export const closeAccountOperation =
  (app: { readonly db: Db }): Operation =>
  async (call) => {
    const { userId } = getRequiredCaller(call.caller as Caller | undefined);
    const { closedAt, nameHeldUntil } = await app.db.tx((tx) => closeAccount(tx, userId));
    const held = nameHeldUntil?.toISOString() ?? null;
    return { body: { success: true, closed_at: closedAt.toISOString(), username_held_until: held } };
  };

export const exportAccountOperation =
  (app: { readonly db: Queryable }): Operation =>
  async (call) => {
    const { userId } = getRequiredCaller(call.caller as Caller | undefined);
    const headers = { 'Content-Disposition': 'attachment; filename="account.json"' };
    return { body: null, pieces: exportAccount(app.db, userId), headers };
  };

/** Writes one JSON document in pieces: each page of a list is read after the previous pages were sent. */
async function* exportAccount(db: Queryable, userId: string): AsyncGenerator<string> {
  const { profile, names, wallets, balances, kyc, sessions } = await describeAccount(db, userId);
  const head = {
    exported_at: new Date(),
    profile,
    usernames: names,
    wallets,
    balances: balances.map(({ blockchain, available, held }) => ({
      blockchain,
      available: formatUsdc(available),
      held: formatUsdc(held),
    })),
    kyc: { ...renderKyc(kyc), level: kyc.level, applicant_id: kyc.applicantId },
    sessions,
  };
  yield JSON.stringify(head).slice(0, -1);
  yield* printList('activity', pagesOfActivity(db, userId));
  yield* printList('requests', pagesOfRequests(db, userId));
  yield* printList('transactions', pagesOfPayments(db, userId));
  yield '}';
}

const PAGE = 200;

async function* printList(name: string, pages: AsyncIterable<readonly unknown[]>): AsyncGenerator<string> {
  yield `,"${name}":[`;
  let separator = '';
  for await (const page of pages) {
    if (page.length === 0) continue;
    yield separator + page.map((one) => JSON.stringify(one)).join(',');
    separator = ',';
  }
  yield ']';
}

async function* pagesOfActivity(db: Queryable, userId: string) {
  for (let after = 0n; ; ) {
    const deeds = await readActivity(db, userId, after, PAGE);
    yield deeds.map(({ at, action, by }) => ({ at, action, by }));
    if (deeds.length < PAGE) return;
    after = deeds.at(-1)!.audit_id;
  }
}

async function* pagesOfRequests(db: Queryable, userId: string) {
  for (const direction of ['outgoing', 'incoming'] as const) {
    let cursor: string | undefined;
    do {
      const page = await listRequests(db, { userId, direction, limit: PAGE, cursor });
      yield page.items.map((one) => renderRequest(one, userId));
      cursor = page.cursor ?? undefined;
    } while (cursor !== undefined);
  }
}

async function* pagesOfPayments(db: Queryable, userId: string) {
  let after: HistoryPosition | undefined;
  do {
    // Histories hide dust deposits by default; an explicit minimum amount includes them.
    const page = await readPayments(db, { userId, limit: PAGE, minAmount: 0n, ...(after && { after }) });
    yield page.items.map(({ payment, availableAfter }) => ({
      ...renderPayment(payment),
      available_after: formatUsdc(availableAfter),
    }));
    after = page.next;
  } while (after);
}
