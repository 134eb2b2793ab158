import type { IncomingHttpHeaders } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { PayError } from '../../core/errors.ts';
import { idFromKey } from '../../core/ids.ts';
import { parseUsdc } from '../../core/money.ts';
import type { Payment } from '../../core/payment.ts';
import type { Chain, Hex } from '../../core/ports.ts';
import { checkDestination, type Refusal } from '../../custody/coins/checkDestination.ts';
import type { RecalledCaller } from '../../customers/keys/serviceKeys.ts';
import type { Db } from '../../db/database.ts';
import { isAnswered } from '../../db/idempotency.ts';
import { readPayment } from '../../payments/read/readPayment.ts';
import { getAccepted, type SendApp, sendToAddress } from '../../payments/sends/sendToAddress.ts';
import { isFinal } from '../../payments/state.ts';
import { renderPayment } from '../answers/renderPayment.ts';
import { REPLAYED, refuse } from '../answers/renderReplay.ts';
import { parseIdempotencyKey } from '../calls/parseIdempotencyKey.ts';
import type { Operation } from '../contract/createApi.ts';
import type { JsonNumber } from '../contract/json.ts';
import { refuseOtherClients } from './authorize.ts';
import { parseAddress } from './parseAddress.ts';

interface SendUsdcBody {
  readonly destination_address: string;
  readonly amount: JsonNumber;
  readonly blockchain: string;
  readonly wallet_username?: string | null;
  readonly funding_wallet_id?: string | null;
}

/** An Idempotency-Key belongs to the service key it came with; calls without one (in the sandbox) share one caller. */
const NO_KEY = 'web3';

const MAX_WAIT_SECONDS = 60;
const LOOK_EVERY_MS = 150;

export function sendUsdcOperation(app: SendApp & { readonly chains: readonly Chain[] }): Operation {
  const chains = new Map(
    app.chains.flatMap((chain) => {
      const usdc = chain.tokens.find(({ symbol }) => symbol === 'USDC');
      return usdc ? [[chain.blockchain, { chain, refusals: checkDestination(chain, usdc.contract) }]] : [];
    }),
  );
  const send: Operation = async (call) => {
    const body = call.body as unknown as SendUsdcBody;
    const key = parseIdempotencyKey(call.headers);
    const network = chains.get(body.blockchain);
    if (!network) throw new PayError('blockchain.unsupported', { blockchain: body.blockchain });
    const destination = parseDestination(body.destination_address, network.chain);
    const amount = parseUsdc(body.amount.source);
    const serviceKeyId = (call.caller as RecalledCaller | undefined)?.keyId;
    const caller = serviceKeyId ?? NO_KEY;
    const request = {
      destination,
      amount,
      blockchain: body.blockchain,
      walletUsername: body.wallet_username ?? undefined,
      walletId: body.funding_wallet_id ?? undefined,
      serviceKeyId,
      certificate: call.certificate,
      client: call.address,
      key: key === undefined ? undefined : { caller, route: call.route, text: key },
    };
    const sent = await sendToAddress(app, request, async () => {
      const refusal = findRefusal(await network.refusals.check(destination));
      // A repeated request gets its first answer, even if the token would refuse the address by now.
      if (refusal && !(key && (await isAnswered(app.db, idFromKey(caller, call.route, key))))) throw refusal;
    });
    const { replayed, result, payment: accepted } = sent;
    if ('refusal' in result) return refuse(result.refusal, replayed, call.requestId);
    const waitSeconds = findWait(call.headers);
    const payment =
      waitSeconds === undefined
        ? (accepted ?? (await getAccepted(app, result.answer)))
        : await follow(app.db, result.answer, waitSeconds, call.connection);
    return {
      body: renderPayment(payment),
      headers: {
        ...(replayed && REPLAYED),
        ...(waitSeconds !== undefined && { 'Preference-Applied': `wait=${waitSeconds}` }),
      },
    };
  };
  return async (call) => {
    try {
      return await send(call);
    } catch (error) {
      // What is refused without the statement that reads the key must not tell anything to a key that has ended.
      const caller = await (call.caller as RecalledCaller | undefined)?.confirm();
      if (caller) refuseOtherClients(caller, call);
      throw error;
    }
  };
}

const ZERO = `0x${'0'.repeat(40)}`;

function parseDestination(text: string, chain: Chain): Hex {
  const address = parseAddress(text);
  if (address === ZERO) throw new PayError('address.invalid', { reason: 'zero' });
  if (chain.tokens.some(({ contract }) => contract.toLowerCase() === address.toLowerCase())) {
    throw new PayError('address.invalid', { reason: 'token_contract' });
  }
  return address;
}

/** A payment that would fail for sure is not accepted. */
function findRefusal(said: Refusal | undefined): PayError | undefined {
  if (said?.isPaused) return new PayError('service.paused', { reason: 'the USDC contract is paused' });
  if (said?.isBlacklisted) return new PayError('address.blocked', { party: 'the destination' });
  return undefined;
}

/** `Prefer: wait=10`, alone or among other preferences. */
function findWait(headers: IncomingHttpHeaders): number | undefined {
  const seconds = /(?:^|[,;\s])wait\s*=\s*"?(\d{1,9})"?/i.exec(String(headers.prefer ?? ''))?.[1];
  return seconds === undefined ? undefined : Math.min(Number.parseInt(seconds, 10), MAX_WAIT_SECONDS);
}

/** Until the payment is final, the time is over, or the caller has hung up. */
async function follow(
  db: Db,
  paymentId: string,
  seconds: number,
  connection: { readonly destroyed: boolean },
): Promise<Payment> {
  const until = performance.now() + seconds * 1000;
  for (;;) {
    const payment = await readPayment(db, paymentId);
    if (!payment) throw new Error(`payment ${paymentId} was accepted and is gone`);
    if (isFinal(payment.state) || performance.now() >= until || connection.destroyed) return payment;
    await sleep(LOOK_EVERY_MS);
  }
}
