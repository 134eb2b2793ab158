import { parseUsdc } from '../../core/money.ts';
import type { RecalledCaller } from '../../customers/keys/serviceKeys.ts';
import { type AcceptApp, acceptSend } from '../calls/acceptSend.ts';
import { refuseOtherClients } from '../calls/authorizeKey.ts';
import { parseIdempotencyKey } from '../calls/parseIdempotencyKey.ts';
import type { JsonNumber } from '../contract/json.ts';
import type { Operation } from '../contract/operation.ts';

interface SendUsdcBody {
  readonly destination_address: string;
  readonly amount: JsonNumber;
  readonly blockchain: string;
  readonly wallet_username?: string | null;
  readonly funding_wallet_id?: string | null;
  readonly payment_note: string | null;
}

/**
 * An Idempotency-Key belongs to the service key that sent it; calls without a service key (in the sandbox) share one
 * caller.
 */
const NO_KEY = 'web3';

export function sendUsdcOperation(app: AcceptApp): Operation {
  const send: Operation = async (call) => {
    const body = call.body as unknown as SendUsdcBody;
    const key = parseIdempotencyKey(call.headers);
    const { address: destination } = app.destinations.parse(body.blockchain, body.destination_address);
    const amount = parseUsdc(body.amount.source);
    const serviceKeyId = (call.caller as RecalledCaller | undefined)?.keyId;
    return acceptSend(app, call, {
      blockchain: body.blockchain,
      destination,
      amount,
      note: body.payment_note ?? undefined,
      walletUsername: body.wallet_username ?? undefined,
      walletId: body.funding_wallet_id ?? undefined,
      serviceKeyId,
      certificate: call.certificate,
      client: call.address,
      key: key === undefined ? undefined : { caller: serviceKeyId ?? NO_KEY, text: key },
    });
  };
  return async (call) => {
    try {
      return await send(call);
    } catch (error) {
      // A refusal that comes before the statement that reads the key must not reveal anything to an expired key.
      const caller = await (call.caller as RecalledCaller | undefined)?.confirm();
      if (caller) refuseOtherClients(caller, call);
      throw error;
    }
  };
}
