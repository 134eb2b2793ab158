import { parseUsdc } from '../../core/money.ts';
import type { Caller } from '../../customers/sessions/sessions.ts';
import { type AcceptApp, acceptSend } from '../calls/acceptSend.ts';
import { parseIdempotencyKey } from '../calls/parseIdempotencyKey.ts';
import type { JsonNumber } from '../contract/json.ts';
import type { Operation } from '../contract/operation.ts';
import { getRequiredCaller } from './authorize.ts';
import { findPayingKey } from './keys/keyOperations.ts';

interface SendToAddressBody {
  readonly destination_address: string;
  readonly amount: JsonNumber;
  readonly blockchain: string | null;
  readonly payment_note: string | null;
}

interface App extends AcceptApp {
  readonly homeBlockchain: string;
}

/** Like `POST /wallet/send-usdc` of the Web3 API, but always from the caller's own wallet. */
export const sendToAddressOperation =
  (app: App): Operation =>
  async (call) => {
    const { userId, sessionId } = getRequiredCaller(call.caller as Caller | undefined);
    const body = call.body as unknown as SendToAddressBody;
    const text = parseIdempotencyKey(call.headers);
    const blockchain = body.blockchain ?? app.homeBlockchain;
    const { address: destination } = app.destinations.parse(blockchain, body.destination_address);
    const amount = parseUsdc(body.amount.source);
    const key = text === undefined ? undefined : { caller: userId, text };
    const note = body.payment_note ?? undefined;
    const byKey = findPayingKey(call);
    const by = byKey ? { serviceKeyId: byKey.keyId, client: byKey.client } : { sessionId };
    return acceptSend(app, call, { blockchain, destination, amount, note, payerId: userId, ...by, key });
  };
