import { formatUnits } from 'viem/utils';
import { z } from 'zod';
import { type Family, familyOf } from '../../../core/families.ts';
import type { ProviderAnswer } from '../../../core/ports.ts';
import type { ProviderSender, TransferRequest } from '../../../core/providers.ts';
import type { CircleAccounts, TakeLookup } from './circleAccounts.ts';
import { circleArrivals } from './circleArrivals.ts';
import { queueOf } from './circleBlockchains.ts';
import { CircleFault } from './circleFault.ts';
import { DECIMALS, describeTransfer, isOf, transaction, writeAddress } from './circleTransaction.ts';
import type { Circle, CircleAnswer } from './openCircle.ts';
import { searchTransfers } from './searchTransfers.ts';

/** Circle's own limit for commands. */
const PER_SECOND = { posts: 5 };
/**
 * Circle does not document how long it keeps keys. Within this time a repetition counts as the same request; after it,
 * people decide.
 */
const KEY_LIFE_MS = 3_600_000;
const LOOKUP_MS = 2_500;
const POST_MS = 3_500;

interface CircleTransfersOptions {
  readonly circle: Circle;
  readonly accounts: CircleAccounts;
  /** By address family, for chains without 0x addresses. */
  readonly elsewhere?: Readonly<Partial<Record<Family, CircleAccounts>>>;
  readonly accountType: 'EOA' | 'SCA';
  readonly feeLevel: 'LOW' | 'MEDIUM' | 'HIGH';
  readonly takeLookup?: TakeLookup | undefined;
  readonly keyLifeMs?: number;
}

const made = z.object({ id: z.guid(), state: z.string() });

/** Transfers that Circle sends by itself. A transfer is identified by its key, which is also its `refId` at Circle. */
export function circleTransfers(options: CircleTransfersOptions): ProviderSender {
  const { circle, elsewhere = {}, accountType, feeLevel, takeLookup, keyLifeMs = KEY_LIFE_MS } = options;

  async function walletOf({ reference, blockchain }: Pick<TransferRequest, 'reference' | 'blockchain'>) {
    const accounts = elsewhere[familyOf(blockchain)] ?? options.accounts;
    const found = await accounts.find(reference);
    if (!found) throw new CircleFault('Circle does not know the wallet');
    return accounts.idOn(reference, found, blockchain);
  }

  const findWallet = (blockchain: string, id: string) =>
    (elsewhere[familyOf(blockchain)] ?? options.accounts).findById(id);

  const get = (path: `/v1/${string}`, query: Readonly<Record<string, string>> = {}): Promise<CircleAnswer> =>
    circle.ask({ method: 'GET', path, query, attempts: 1, timeoutMs: LOOKUP_MS });

  const post = (path: `/v1/${string}`, body: object): Promise<CircleAnswer> =>
    circle.ask({ method: 'POST', path, body, isSealed: true, attempts: 1, timeoutMs: POST_MS });

  return {
    perSecond: PER_SECOND,
    keyLifeMs,
    queueOf: (blockchain) => queueOf(blockchain, familyOf(blockchain) === 'evm' ? accountType : 'EOA'),
    ...circleArrivals({ get, walletOf, findWallet, takeLookup }),
    async submit(request) {
      let walletId: string;
      try {
        walletId = await walletOf(request);
      } catch (cause) {
        return undone(cause);
      }
      const body = {
        idempotencyKey: request.key,
        amounts: [formatUnits(request.amount, DECIMALS)],
        feeLevel,
        walletId,
        tokenAddress: request.token,
        blockchain: request.blockchain,
        destinationAddress: writeAddress(request.blockchain, request.to) ?? request.to,
        refId: request.key,
      };
      const answer = await post('/v1/w3s/developer/transactions/transfer', body);
      if (answer.outcome === 'accepted') {
        const given = made.safeParse(answer.data);
        return given.success ? describeTransfer(given.data) : unexpected();
      }
      return answer.cause.isUndone ? undone(answer.cause) : answer;
    },
    search: searchTransfers({ get, walletOf, takeLookup }),
    async find({ providerId, ...request }) {
      await takeLookup?.('yielding');
      const answer = await get(`/v1/w3s/transactions/${providerId}`);
      // Only a 404 means that Circle does not know the transfer.
      if (answer.outcome === 'rejected' && answer.cause.status !== 404)
        return { outcome: 'unknown', cause: answer.cause };
      if (answer.outcome !== 'accepted') return answer;
      const given = z.object({ transaction }).safeParse(answer.data);
      if (!given.success) return unexpected();
      if (!isOf(given.data.transaction, request))
        return { outcome: 'rejected', reason: `${providerId} at Circle is not our transfer` };
      return describeTransfer(given.data.transaction);
    },
    cancel: ({ providerId, cancelKey: idempotencyKey }) =>
      post(`/v1/w3s/developer/transactions/${providerId}/cancel`, { idempotencyKey }).then(toOutcome),
    accelerate: ({ providerId, accelerateKey: idempotencyKey }) =>
      post(`/v1/w3s/developer/transactions/${providerId}/accelerate`, { idempotencyKey }).then(toOutcome),
  };
}

const undone = (cause: unknown) => ({ outcome: 'unknown', cause, isUndone: true }) as const;

const unexpected = () => ({ outcome: 'unknown', cause: new CircleFault('Circle gave an unexpected answer') }) as const;

const toOutcome = (answer: CircleAnswer): ProviderAnswer<object, string> =>
  answer.outcome === 'accepted' ? { outcome: 'accepted' } : answer;
