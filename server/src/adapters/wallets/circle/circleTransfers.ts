import { formatUnits } from 'viem';
import { z } from 'zod';
import { type Family, familyOf, readAddressOf, readHash } from '../../../core/families.ts';
import type { ProviderAnswer, Searched, Sender, TransferRequest } from '../../../core/ports.ts';
import type { ProviderTransfer } from '../../../core/providerSays.ts';
import type { CircleAccounts, TakeLookup } from './circleAccounts.ts';
import { circleArrivals } from './circleArrivals.ts';
import { queueOf } from './circleBlockchains.ts';
import { CircleFault } from './circleFault.ts';
import { readState } from './circleStates.ts';
import type { Circle, CircleAnswer } from './openCircle.ts';

/** Circle's own limits: what it is told to do, and what it is asked. */
const PER_SECOND = { posts: 5, lookups: 20 };
/** Circle does not say how long it keeps keys. Within this time a repetition is one request; after it, people decide. */
const KEY_LIFE_MS = 3_600_000;
const LOOKUP_MS = 2_500;
const POST_MS = 3_500;
const PAGE = 50;
const MOST_PAGES = 40;
const DECIMALS = 6;

interface CircleTransfersOptions {
  readonly circle: Circle;
  readonly accounts: CircleAccounts;
  /** By family, where addresses are not 0x. */
  readonly elsewhere?: Readonly<Partial<Record<Family, CircleAccounts>>>;
  readonly accountType: 'EOA' | 'SCA';
  readonly feeLevel: 'LOW' | 'MEDIUM' | 'HIGH';
  readonly takeLookup?: TakeLookup | undefined;
  readonly keyLifeMs?: number;
}

const text = z.string().nullish();
const transaction = z.object({
  id: z.guid(),
  state: z.string(),
  destinationAddress: text,
  amounts: z.array(z.string()).nullish(),
  refId: text,
  txHash: text,
  errorReason: text,
});
type Transaction = z.infer<typeof transaction>;
const made = z.object({ id: z.guid(), state: z.string() });

/** Transfers that Circle makes by itself. One is named by its key, which is also its `refId` at Circle. */
export function circleTransfers(options: CircleTransfersOptions): Sender {
  const { circle, elsewhere = {}, accountType, feeLevel, takeLookup, keyLifeMs = KEY_LIFE_MS } = options;

  async function walletOf({ reference, blockchain }: Pick<TransferRequest, 'reference' | 'blockchain'>) {
    const accounts = elsewhere[familyOf(blockchain)] ?? options.accounts;
    const found = await accounts.find(reference);
    if (!found) throw new CircleFault('Circle does not know the wallet');
    return accounts.idOn(reference, found, blockchain);
  }

  const look = (path: `/v1/${string}`, query: Readonly<Record<string, string>> = {}): Promise<CircleAnswer> =>
    circle.ask({ method: 'GET', path, query, attempts: 1, timeoutMs: LOOKUP_MS });

  const tell = (path: `/v1/${string}`, body: object): Promise<CircleAnswer> =>
    circle.ask({ method: 'POST', path, body, isSealed: true, attempts: 1, timeoutMs: POST_MS });

  return {
    perSecond: PER_SECOND,
    keyLifeMs,
    queueOf: (blockchain) => queueOf(blockchain, familyOf(blockchain) === 'evm' ? accountType : 'EOA'),
    ...circleArrivals({ look, walletOf, takeLookup }),
    async submit(request) {
      let walletId: string;
      try {
        walletId = await walletOf(request);
      } catch (cause) {
        return { outcome: 'later', cause };
      }
      const body = {
        idempotencyKey: request.key,
        amounts: [formatUnits(request.amount, DECIMALS)],
        feeLevel,
        walletId,
        tokenAddress: request.token,
        blockchain: request.blockchain,
        destinationAddress: request.to,
        refId: request.key,
      };
      const answer = await tell('/v1/w3s/developer/transactions/transfer', body);
      if (answer.outcome === 'accepted') {
        const given = made.safeParse(answer.data);
        return given.success ? describe(given.data) : unexpected();
      }
      return answer.cause.isUndone ? { outcome: 'later', cause: answer.cause } : answer;
    },
    async search(request) {
      const query = {
        custodyType: 'DEVELOPER',
        blockchain: request.blockchain,
        destinationAddress: request.to,
        txType: 'OUTBOUND',
        walletIds: await walletOf(request),
        pageSize: String(PAGE),
      };
      const found: Transaction[] = [];
      let pageAfter: string | undefined;
      for (let page = 0; page < MOST_PAGES; page++) {
        await takeLookup?.('first');
        const answer = await look('/v1/w3s/transactions', { ...query, ...(pageAfter && { pageAfter }) });
        if (answer.outcome !== 'accepted') return { outcome: 'unknown', cause: answer.cause };
        const listed = z.object({ transactions: z.array(transaction) }).safeParse(answer.data);
        if (!listed.success) return unexpected();
        const { transactions } = listed.data;
        found.push(...transactions.filter(({ refId }) => refId === request.key));
        pageAfter = transactions.at(-1)?.id;
        // How many fit on a page is Circle's to say: only an empty one is the end.
        if (pageAfter === undefined) return choose(found, request);
      }
      return {
        outcome: 'unknown',
        cause: new CircleFault('Circle has too many transfers to this address to look through'),
      };
    },
    async find(request, providerId) {
      await takeLookup?.('yielding');
      const answer = await look(`/v1/w3s/transactions/${providerId}`);
      if (answer.outcome !== 'accepted') return answer;
      const given = z.object({ transaction }).safeParse(answer.data);
      if (!given.success) return unexpected();
      if (!isOf(given.data.transaction, request))
        return { outcome: 'unknown', cause: new CircleFault(`${providerId} at Circle is another transfer than ours`) };
      return describe(given.data.transaction);
    },
    cancel: (providerId, idempotencyKey) =>
      tell(`/v1/w3s/developer/transactions/${providerId}/cancel`, { idempotencyKey }).then(toOutcome),
    accelerate: (providerId, idempotencyKey) =>
      tell(`/v1/w3s/developer/transactions/${providerId}/accelerate`, { idempotencyKey }).then(toOutcome),
  };
}

const unexpected = () =>
  ({ outcome: 'unknown', cause: new CircleFault('Circle answered something unexpected') }) as const;

const toOutcome = (answer: CircleAnswer): ProviderAnswer<object, string> =>
  answer.outcome === 'accepted' ? { outcome: 'accepted' } : answer;

/**
 * Of several under one key the one that may have moved coins. A restored database may have accepted another request under
 * a key that it has forgotten: what was made under the key then is not this request's transfer.
 */
function choose(found: readonly Transaction[], request: TransferRequest): Searched {
  const ours = found.filter((one) => !isAnother(one, request));
  if (found.length > 0 && ours.length === 0) return { outcome: 'taken', reason: 'its key belongs to another transfer' };
  const all = ours.map(describe);
  const alive = all.filter((one) => one.outcome !== 'accepted' || !['failed', 'cancelled'].includes(one.state));
  if (alive.length > 1) return { outcome: 'unknown', cause: new CircleFault('Circle has two transfers under one key') };
  return alive[0] ?? all[0] ?? { outcome: 'rejected', reason: 'Circle has no such transfer' };
}

/** What Circle leaves out says nothing. */
const isAnother = (one: Transaction, request: TransferRequest): boolean =>
  !isOf(
    {
      ...one,
      destinationAddress: one.destinationAddress || request.to,
      amounts: one.amounts?.length ? one.amounts : [formatUnits(request.amount, DECIMALS)],
    },
    request,
  );

/** What people adopt may have lost its `refId`; the rest has to fit. */
function isOf({ destinationAddress, amounts, refId }: Transaction, request: TransferRequest): boolean {
  const [amount = ''] = amounts ?? [];
  const write = (address: string) => writeAddress(request.blockchain, address);
  return (
    (!refId || refId === request.key) &&
    write(destinationAddress ?? '') === write(request.to) &&
    amount.replace(/(\.\d*?)0+$/, '$1').replace(/\.$/, '') === formatUnits(request.amount, DECIMALS)
  );
}

/** So that the same address is the same text: case says something on Solana alone. */
function writeAddress(blockchain: string, address: string): string | undefined {
  const family = familyOf(blockchain);
  return family === 'evm' ? address.toLowerCase() : readAddressOf(family, address);
}

type Described = Pick<Transaction, 'id' | 'state'> & Partial<Transaction>;

function describe({ id, state, txHash, errorReason }: Described): ProviderAnswer<ProviderTransfer, string> {
  const known = readState(state, errorReason ?? undefined);
  if (!known)
    return { outcome: 'unknown', cause: new CircleFault(`Circle names a state that we do not know: ${state}`) };
  return { outcome: 'accepted', providerId: id, txHash: readHash(txHash ?? ''), ...known };
}
