import { z } from 'zod';
import { familyOf, readHash } from '../../../core/families.ts';
import { parseUsdc } from '../../../core/money.ts';
import type { Sender, TransferRequest } from '../../../core/ports.ts';
import type { Arrival } from '../../../core/providerSays.ts';
import type { TakeLookup } from './circleAccounts.ts';
import { ELSEWHERE } from './circleBlockchains.ts';
import { CircleFault } from './circleFault.ts';
import { readState } from './circleStates.ts';
import type { CircleAnswer } from './openCircle.ts';

const PAGE = 50;

interface ArrivalsOptions {
  look(path: `/v1/${string}`, query?: Readonly<Record<string, string>>): Promise<CircleAnswer>;
  /** Circle's id of a wallet on a blockchain. */
  walletOf(wallet: Pick<TransferRequest, 'reference' | 'blockchain'>): Promise<string>;
  readonly takeLookup?: TakeLookup | undefined;
}

/** Of USDC, as much as fits our books. Other tokens have other decimals. */
const AMOUNT = /^\d{1,9}(\.\d{1,6}0{0,12})?$/;
const page = z.object({
  transactions: z.array(z.object({ id: z.guid(), createDate: z.iso.datetime({ offset: true }) })),
});
const arrival = z.object({
  transaction: z.object({
    id: z.guid(),
    state: z.string(),
    blockchain: z.string(),
    transactionType: z.enum(['INBOUND', 'OUTBOUND']),
    refId: z.string().max(100).nullish(),
    tokenId: z.string().nullish(),
    txHash: z.string().max(100).nullish(),
    sourceAddress: z.string().max(100).nullish(),
    destinationAddress: z.string().max(100).nullish(),
    amounts: z.array(z.string().max(100)).nullish(),
  }),
});
const balances = z.object({
  tokenBalances: z.array(z.object({ amount: z.string().max(100), token: z.object({ id: z.string() }) })),
});

/** What has come to wallets and left them, and what is in them, on blockchains that we have no node of. */
export function circleArrivals({
  look,
  walletOf,
  takeLookup,
}: ArrivalsOptions): Pick<Sender, 'listArrivals' | 'findArrival' | 'readBalance'> {
  return {
    async listArrivals(blockchain, since, after) {
      await takeLookup?.('yielding');
      const answer = await look('/v1/w3s/transactions', {
        custodyType: 'DEVELOPER',
        blockchain,
        from: since,
        ...(after !== undefined && { pageAfter: after }),
        pageSize: String(PAGE),
        order: 'ASC',
      });
      if (answer.outcome !== 'accepted') return answer;
      const given = page.safeParse(answer.data);
      if (!given.success) return unexpected();
      const arrivals = given.data.transactions.map(({ id, createDate }) => ({
        providerId: id,
        createdAt: new Date(createDate).toISOString(),
      }));
      return { outcome: 'accepted', arrivals };
    },
    async findArrival(blockchain, providerId) {
      await takeLookup?.('yielding');
      const answer = await look(`/v1/w3s/transactions/${providerId}`);
      if (answer.outcome !== 'accepted') return answer;
      const given = arrival.safeParse(answer.data);
      if (!given.success || given.data.transaction.id !== providerId) return unexpected();
      const { transaction: told } = given.data;
      if (told.blockchain !== blockchain) return { outcome: 'rejected', reason: 'it is on another blockchain' };
      const state = judge(told);
      const txHash = readHash(told.txHash ?? '');
      const [amount = ''] = told.amounts ?? [];
      if (!state || (state === 'complete' && (!txHash || !AMOUNT.test(amount)))) return unexpected();
      return {
        outcome: 'accepted',
        providerId,
        direction: told.transactionType === 'INBOUND' ? 'in' : 'out',
        key: z.uuid().safeParse(told.refId).data,
        state,
        txHash: txHash ?? '',
        from: told.sourceAddress ?? '',
        to: told.destinationAddress ?? '',
        amount: state === 'complete' ? toMillionths(amount) : '0',
      };
    },
    async readBalance({ blockchain, reference, token }) {
      if (familyOf(blockchain) === 'evm') throw new TypeError(`${blockchain} has nodes of its own`);
      const walletId = await walletOf({ blockchain, reference });
      await takeLookup?.('yielding');
      const answer = await look(`/v1/w3s/wallets/${walletId}/balances`, { tokenAddress: token });
      if (answer.outcome !== 'accepted') return answer;
      const given = balances.safeParse(answer.data);
      if (!given.success) return unexpected();
      const usdc = given.data.tokenBalances.find((one) => one.token.id === ELSEWHERE[blockchain]?.tokenId);
      const amount = usdc?.amount ?? '0';
      return AMOUNT.test(amount) ? { outcome: 'accepted', amount: toMillionths(amount) } : unexpected();
    },
  };
}

type Told = z.infer<typeof arrival>['transaction'];

/**
 * Its answer may be older than the list that names it: until everything is there that tells whose coins they are, it is
 * open. Undefined: a state that we do not know.
 */
function judge({
  state,
  blockchain,
  tokenId,
  txHash,
  destinationAddress,
  amounts,
}: Told): Arrival['state'] | undefined {
  const known = readState(state, undefined)?.state;
  if (known === 'failed' || known === 'cancelled') return 'other';
  if (known !== 'done') return known && 'open';
  if (!tokenId) return 'open';
  if (tokenId !== ELSEWHERE[blockchain]?.tokenId) return 'other';
  return txHash && destinationAddress && amounts?.[0] ? 'complete' : 'open';
}

const toMillionths = (text: string): string => String(parseUsdc(text));

const unexpected = () =>
  ({ outcome: 'unknown', cause: new CircleFault('Circle answered something unexpected') }) as const;
