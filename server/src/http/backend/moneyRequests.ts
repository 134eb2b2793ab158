import { parseUsdc, type Usdc } from '../../core/money.ts';
import type { KnownCaller } from '../../customers/sessions/knownSessions.ts';
import type { Db } from '../../db/database.ts';
import { hashNote, hashRequest, type Replayable, replayOrRun } from '../../db/idempotency.ts';
import type { Read } from '../../db/standbys/openReads.ts';
import { askForMoney } from '../../payments/requests/askForMoney.ts';
import { endRequest } from '../../payments/requests/endRequest.ts';
import { getRequest } from '../../payments/requests/findRequest.ts';
import { listRequests, type RequestQuery } from '../../payments/requests/listRequests.ts';
import type { RequestState } from '../../payments/requests/moneyRequest.ts';
import { payRequest } from '../../payments/requests/payRequest.ts';
import type { UserPayments } from '../../payments/users/openUserPayments.ts';
import { REPLAYED, refuse } from '../answers/renderReplay.ts';
import { renderRequest } from '../answers/renderRequest.ts';
import { countUnanswered } from '../calls/countUnanswered.ts';
import type { NameQuota } from '../calls/createCallLimits.ts';
import { parseIdempotencyKey } from '../calls/parseIdempotencyKey.ts';
import type { JsonNumber } from '../contract/json.ts';
import type { ApiCall, Operation } from '../contract/operation.ts';
import { getRequiredCaller } from './authorize.ts';
import { findPayingKey } from './keys/keyOperations.ts';
import { renderSent } from './sendUsdc.ts';

interface RequestsApp {
  readonly db: Db;
  readonly read: Read;
  readonly userPayments: UserPayments;
  readonly names: NameQuota;
}

interface AskBody {
  readonly payer_username: string | null;
  readonly amount: JsonNumber;
  readonly note: string | null;
  readonly expires_at: string | null;
}

const callerOf = (call: ApiCall): KnownCaller =>
  getRequiredCaller(call.caller as KnownCaller | undefined) as KnownCaller;

export const askForMoneyOperation =
  (app: RequestsApp): Operation =>
  async (call) => {
    const { userId } = callerOf(call);
    const { amount: number, ...rest } = call.body as unknown as AskBody;
    const amount = parseUsdc(number.source);
    if (rest.payer_username !== null) await countUnanswered(app, call, userId);
    const { replayed, result } = await askOnce(app, call, userId, { ...rest, amount });
    if ('refusal' in result) return refuse(result.refusal, replayed, call.requestId);
    return { body: result.answer, ...(replayed && { headers: REPLAYED }) };
  };

function askOnce(
  app: RequestsApp,
  call: ApiCall,
  userId: string,
  asked: Omit<AskBody, 'amount'> & { readonly amount: Usdc },
): Promise<Replayable<ReturnType<typeof renderRequest>>> {
  const { payer_username: payer, amount, note, expires_at: expiresAt } = asked;
  const key = parseIdempotencyKey(call.headers);
  const ends = expiresAt === null ? null : new Date(expiresAt);
  return app.db.tx(async (tx) => {
    // The answer is stored without the note, which can be removed. A repeated call has the same note.
    const work = async () => ({
      ...renderRequest(await askForMoney(tx, { askerId: userId, payer, amount, note, expiresAt: ends }), userId),
      note: null,
    });
    const hashed = [payer?.toLowerCase() ?? null, String(amount), ends?.toISOString() ?? null] as const;
    const { replayed, result } =
      key === undefined
        ? { replayed: false, result: { answer: await work() } }
        : await replayOrRun(
            tx,
            {
              caller: userId,
              route: call.route,
              key,
              hash: hashRequest(...hashed, ...hashNote(key, note ?? undefined)),
            },
            work,
          );
    return { replayed, result: 'answer' in result ? { answer: { ...result.answer, note } } : result };
  });
}

export const listRequestsOperation =
  (app: RequestsApp): Operation =>
  async (call) => {
    const { userId } = callerOf(call);
    const { direction, state, limit, cursor } = call.query;
    const page = await app.read((db) =>
      listRequests(db, {
        userId,
        direction: direction as RequestQuery['direction'],
        state: state as RequestState | undefined,
        limit: Number.parseInt(limit!, 10),
        cursor,
      }),
    );
    return { body: { requests: page.items.map((one) => renderRequest(one, userId)), next_cursor: page.cursor } };
  };

export const getRequestOperation =
  (app: RequestsApp): Operation =>
  async (call) => {
    const { userId } = callerOf(call);
    return { body: renderRequest(await app.read((db) => getRequest(db, call.params.request_id!, userId)), userId) };
  };

export const payRequestOperation =
  (app: RequestsApp): Operation =>
  async (call) => {
    const caller = callerOf(call);
    return renderSent(
      await payRequest(app, { requestId: call.params.request_id!, caller, accountKey: findPayingKey(call) }),
      call.requestId,
    );
  };

export const endRequestOperation =
  (app: RequestsApp, state: 'declined' | 'cancelled'): Operation =>
  async (call) => {
    const { userId } = callerOf(call);
    const requestId = call.params.request_id!;
    const request = await app.db.tx((tx) => endRequest(tx, { requestId, userId, state }));
    return { body: renderRequest(request, userId) };
  };
