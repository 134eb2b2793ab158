import { PayError } from '../../core/errors.ts';
import { formatUsdc, parseUsdc } from '../../core/money.ts';
import type { Party } from '../../core/payment.ts';
import type { LimitState } from '../../customers/limits/readLimits.ts';
import type { Caller } from '../../customers/sessions/sessions.ts';
import type { Destinations } from '../../payments/destinations/openDestinations.ts';
import { isFirstTime } from '../../payments/read/readPayees.ts';
import { type PreviewSendApp, previewSend } from '../../payments/sends/previewSend.ts';
import type { UserPayments } from '../../payments/users/openUserPayments.ts';
import { previewToUser } from '../../payments/users/previewToUser.ts';
import { isPayee } from '../../payments/users/revealsName.ts';
import { renderParty } from '../answers/renderPayment.ts';
import type { NameQuota } from '../calls/createCallLimits.ts';
import type { JsonNumber } from '../contract/json.ts';
import type { ApiCall, Operation } from '../contract/operation.ts';
import { CURRENCY } from '../currency.ts';
import { getRequiredCaller } from './authorize.ts';
import { renderLimit } from './limits.ts';

interface PreviewBody {
  readonly receiver_username: string | null;
  readonly destination_address: string | null;
  readonly amount: JsonNumber;
  readonly blockchain: string | null;
}

interface PreviewApp extends PreviewSendApp {
  readonly userPayments: UserPayments;
  readonly destinations: Destinations;
  readonly homeBlockchain: string;
  readonly names: NameQuota;
}

/** The members that both kinds of payment answer. */
interface Preview {
  readonly kind: 'user' | 'chain';
  readonly amount: bigint;
  readonly blockchain: string;
  readonly to: Party;
  readonly isFirst: boolean;
  readonly available: bigint;
  readonly limits: readonly LimitState[];
  readonly approvalsNeeded: number;
  readonly notBefore: Date | null;
}

/** Runs the checks of the paying calls in the same order and throws the same errors. */
export const previewOperation =
  (app: PreviewApp): Operation =>
  async (call) => {
    const { userId } = getRequiredCaller(call.caller as Caller | undefined);
    const body = call.body as unknown as PreviewBody;
    const { receiver_username: receiver, destination_address: address } = body;
    if (receiver !== null && address === null) {
      return { body: render(await previewUser(app, call, userId, receiver)) };
    }
    if (receiver === null && address !== null) {
      return { body: render(await previewAddress(app, userId, address, body)) };
    }
    throw new PayError('recipient.unspecified');
  };

/**
 * Every answer reveals whether the name exists, so the call is counted first, unless this person has paid that name
 * before.
 */
async function previewUser(app: PreviewApp, call: ApiCall, userId: string, receiver: string) {
  const amount = parseUsdc((call.body as unknown as PreviewBody).amount.source);
  const isKnown = await isPayee(app.db, userId, receiver);
  if (!isKnown) await app.names.spend(call, userId);
  const { username, redirectedFrom, available, limits } = await previewToUser(app, {
    senderId: userId,
    receiver,
    amount,
  });
  return {
    kind: 'user',
    amount,
    blockchain: app.homeBlockchain,
    to: { username, ...(redirectedFrom !== null && { redirectedFrom }) },
    isFirst: !isKnown && (await isFirstTime(app.db, userId, { username })),
    available,
    limits,
    approvalsNeeded: 0,
    notBefore: null,
  } satisfies Preview;
}

async function previewAddress(app: PreviewApp, userId: string, text: string, body: PreviewBody) {
  const blockchain = body.blockchain ?? app.homeBlockchain;
  const { address } = app.destinations.parse(blockchain, text);
  const amount = parseUsdc(body.amount.source);
  const request = { destination: address, amount, blockchain, currency: CURRENCY.symbol, payerId: userId };
  const found = await previewSend(app, request);
  const isFirst = await isFirstTime(app.db, userId, { address });
  return { kind: 'chain', amount, blockchain, to: { address }, isFirst, ...found } satisfies Preview;
}

const render = ({ limits, notBefore, ...preview }: Preview) => ({
  kind: preview.kind,
  amount: formatUsdc(preview.amount),
  blockchain: preview.blockchain,
  to: renderParty(preview.to),
  first_time: preview.isFirst,
  // The amount has no surcharge: the service pays the blockchain's fees.
  fee: '0',
  available_after: formatUsdc(preview.available),
  limits_after: limits.map(renderLimit),
  approvals_needed: preview.approvalsNeeded,
  not_before: notBefore?.toISOString() ?? null,
});
