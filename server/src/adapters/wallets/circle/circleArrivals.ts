import { z } from 'zod';
import { familyOf, readHash } from '../../../core/families.ts';
import { parseUsdc } from '../../../core/money.ts';
import type { ProviderAnswer } from '../../../core/ports.ts';
import type { Arrival, ArrivalPage } from '../../../core/providerSays.ts';
import type { ProviderSender, TransferRequest } from '../../../core/providers.ts';
import type { CircleAccounts, TakeLookup } from './circleAccounts.ts';
import { ELSEWHERE } from './circleBlockchains.ts';
import { CircleFault } from './circleFault.ts';
import { readState } from './circleStates.ts';
import type { CircleAnswer } from './openCircle.ts';

const PAGE = 50;

interface ArrivalsOptions {
  get(path: `/v1/${string}`, query?: Readonly<Record<string, string>>): Promise<CircleAnswer>;
  /** Returns Circle's id of a wallet on a blockchain. */
  walletOf(wallet: Pick<TransferRequest, 'reference' | 'blockchain'>): Promise<string>;
  /** Finds our wallet with this id at Circle. */
  findWallet: (blockchain: string, id: string) => ReturnType<CircleAccounts['findById']>;
  readonly takeLookup?: TakeLookup | undefined;
}

/** An amount of USDC that fits into our ledger. Other tokens have other decimals. */
const AMOUNT = /^\d{1,9}(\.\d{1,6}0{0,12})?$/;
const text = z.string().max(100).nullish();
const record = z.object({
  id: z.guid(),
  state: z.string(),
  blockchain: z.string(),
  transactionType: z.enum(['INBOUND', 'OUTBOUND']),
  walletId: text,
  refId: text,
  tokenId: text,
  txHash: text,
  sourceAddress: text,
  destinationAddress: text,
  amounts: z.array(z.string().max(100)).nullish(),
});
const page = z.object({
  transactions: z.array(z.looseObject({ id: z.guid(), createDate: z.iso.datetime({ offset: true }) })),
});
const balances = z.object({
  tokenBalances: z.array(z.object({ amount: z.string().max(100), token: z.object({ id: z.string() }) })),
});

/** Reads incoming and outgoing transfers, and balances, of wallets on unwatched chains. */
export function circleArrivals({
  get,
  walletOf,
  findWallet,
  takeLookup,
}: ArrivalsOptions): Pick<ProviderSender, 'listArrivals' | 'findArrival' | 'readBalance'> {
  async function readRecord(blockchain: string, entry: CircleRecord): Promise<ProviderAnswer<Arrival, string>> {
    if (entry.blockchain !== blockchain) return { outcome: 'rejected', reason: 'it is on another blockchain' };
    const direction = entry.transactionType === 'INBOUND' ? 'in' : 'out';
    const state = judge(entry);
    const txHash = readHash(entry.txHash ?? '');
    const [amount = ''] = entry.amounts ?? [];
    if (!state || (state === 'complete' && (!txHash || !AMOUNT.test(amount)))) return unexpected();
    const receiver = state === 'complete' && direction === 'in' ? await readReceiver(blockchain, entry) : {};
    return {
      outcome: 'accepted',
      providerId: entry.id,
      direction,
      key: z.uuid().safeParse(entry.refId).data,
      state,
      txHash: txHash ?? '',
      from: entry.sourceAddress ?? '',
      to: entry.destinationAddress ?? '',
      amount: state === 'complete' ? toMillionths(amount) : '0',
      ...receiver,
    };
  }

  /** Identifies the wallet by Circle's id. The address may belong to another wallet. */
  async function readReceiver(blockchain: string, { walletId }: CircleRecord): Promise<Pick<Arrival, 'reference'>> {
    if (!walletId) return {};
    const found = await findWallet(blockchain, walletId);
    return { reference: found?.reference ?? '' };
  }

  return {
    async listArrivals(blockchain, since, after) {
      await takeLookup?.('yielding');
      const answer = await get('/v1/w3s/transactions', {
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
      const arrivals: ArrivalPage['arrivals'][number][] = [];
      for (const one of given.data.transactions) {
        const entry = record.safeParse(one).data;
        const read = entry && (await readRecord(blockchain, entry));
        // Fields that the list leaves out are requested by id.
        const arrival = read?.outcome === 'accepted' ? read : { ...UNTOLD, providerId: one.id };
        arrivals.push({ ...arrival, createdAt: new Date(one.createDate).toISOString() });
      }
      return { outcome: 'accepted', arrivals };
    },
    async findArrival(blockchain, providerId) {
      await takeLookup?.('yielding');
      const answer = await get(`/v1/w3s/transactions/${providerId}`);
      if (answer.outcome !== 'accepted') return answer;
      const given = z.object({ transaction: record }).safeParse(answer.data);
      if (!given.success || given.data.transaction.id !== providerId) return unexpected();
      return readRecord(blockchain, given.data.transaction);
    },
    async readBalance({ blockchain, reference, token }) {
      if (familyOf(blockchain) === 'evm') throw new TypeError(`${blockchain} has nodes of its own`);
      const walletId = await walletOf({ blockchain, reference });
      await takeLookup?.('yielding');
      const answer = await get(`/v1/w3s/wallets/${walletId}/balances`, { tokenAddress: token });
      if (answer.outcome !== 'accepted') return answer;
      const given = balances.safeParse(answer.data);
      if (!given.success) return unexpected();
      const usdc = given.data.tokenBalances.find((one) => one.token.id === ELSEWHERE[blockchain]?.tokenId);
      const amount = usdc?.amount ?? '0';
      return AMOUNT.test(amount) ? { outcome: 'accepted', amount: toMillionths(amount) } : unexpected();
    },
  };
}

type CircleRecord = z.infer<typeof record>;

const UNTOLD = { direction: 'in', state: 'open', txHash: '', from: '', to: '', amount: '0' } as const;

/**
 * Derives the state of an arrival. It stays open until Circle has reported all fields that identify the owner of the
 * coins. Undefined: an unknown state.
 */
function judge({
  state,
  blockchain,
  tokenId,
  txHash,
  destinationAddress,
  amounts,
}: CircleRecord): Arrival['state'] | undefined {
  const known = readState(state, undefined)?.state;
  if (known === 'failed' || known === 'cancelled') return 'other';
  if (known !== 'done') return known && 'open';
  if (!tokenId) return 'open';
  if (tokenId !== ELSEWHERE[blockchain]?.tokenId) return 'other';
  return txHash && destinationAddress && amounts?.[0] ? 'complete' : 'open';
}

const toMillionths = (text: string): string => String(parseUsdc(text));

const unexpected = () => ({ outcome: 'unknown', cause: new CircleFault('Circle gave an unexpected answer') }) as const;
