import { z } from 'zod';
import type { ProviderAnswer } from '../../../core/ports.ts';
import type { ProviderTransfer, SearchSpan, Taken } from '../../../core/providerSays.ts';
import type { TransferRequest } from '../../../core/providers.ts';
import type { TakeLookup } from './circleAccounts.ts';
import { CircleFault } from './circleFault.ts';
import { describeTransfer, isAnother, type Transaction, transaction, writeAddress } from './circleTransaction.ts';
import type { CircleAnswer } from './openCircle.ts';

const PAGE = 50;
/**
 * The time for one search pass, out of the ten seconds that callers of the signer wait. A longer search continues at
 * the next call.
 */
const PASS_MS = 3_000;
/** How many unfinished searches are remembered. A search that was dropped starts again. */
const REMEMBERED = 1_000;

interface SearchOptions {
  get(path: `/v1/${string}`, query: Readonly<Record<string, string>>): Promise<CircleAnswer>;
  walletOf(request: TransferRequest): Promise<string>;
  readonly takeLookup?: TakeLookup | undefined;
  readonly passMs?: number;
}

/** The position in a list, and our transfers found so far, by Circle's id. */
interface ListCursor {
  after: string | undefined;
  readonly found: Map<string, Transaction>;
}

type Searched = ProviderAnswer<ProviderTransfer, string> | Taken;
type Search = (request: TransferRequest, span?: SearchSpan) => Promise<Searched>;

/**
 * Circle has no filter by `refId`, so this reads the transfers from the wallet to the address, oldest first, within the
 * time in which ours may have been created. New transfers are added at the end of that order, so nothing is missed
 * between two calls.
 */
export function searchTransfers({ get, walletOf, takeLookup, passMs = PASS_MS }: SearchOptions): Search {
  const places = new Map<string, ListCursor>();

  function placeOf(list: string): ListCursor {
    const known = places.get(list);
    if (known) return known;
    const [oldest] = places.keys();
    if (places.size >= REMEMBERED && oldest) places.delete(oldest);
    const place: ListCursor = { after: undefined, found: new Map() };
    places.set(list, place);
    return place;
  }

  return async (request, span) => {
    const query = {
      custodyType: 'DEVELOPER',
      blockchain: request.blockchain,
      destinationAddress: writeAddress(request.blockchain, request.to) ?? request.to,
      txType: 'OUTBOUND',
      walletIds: await walletOf(request),
      pageSize: String(PAGE),
      ...(span && { from: span.from.toISOString(), order: 'ASC' }),
      ...(span?.to && { to: span.to.toISOString() }),
    };
    const list = JSON.stringify([request.key, query]);
    const place = placeOf(list);
    for (const untilMs = performance.now() + passMs; ; ) {
      await takeLookup?.('first');
      const answer = await get('/v1/w3s/transactions', { ...query, ...(place.after && { pageAfter: place.after }) });
      if (answer.outcome !== 'accepted') {
        // Circle may not accept that cursor any more: read the list from its beginning.
        if (answer.outcome === 'rejected') places.delete(list);
        return { outcome: 'unknown', cause: answer.cause };
      }
      const listed = z.object({ transactions: z.array(transaction) }).safeParse(answer.data);
      if (!listed.success) return unexpected();
      const { transactions } = listed.data;
      for (const one of transactions) if (one.refId === request.key) place.found.set(one.id, one);
      const last = transactions.at(-1)?.id;
      // Circle decides the page size. Only an empty page marks the end.
      if (last === undefined) {
        places.delete(list);
        return choose([...place.found.values()], request);
      }
      place.after = last;
      if (performance.now() >= untilMs)
        return {
          outcome: 'unknown',
          cause: new CircleFault('Circle has many transfers to this address; the search continues'),
        };
    }
  };
}

/**
 * Chooses this request's transfer among several under its key: one that may have moved coins comes first. A transfer
 * with another amount or destination is not this request's: a restored database may have accepted a new request under a
 * key that was used before the backup.
 */
function choose(found: readonly Transaction[], request: TransferRequest): Searched {
  const ours = found.filter((one) => !isAnother(one, request));
  if (found.length > 0 && ours.length === 0) return { outcome: 'taken', reason: 'its key belongs to another transfer' };
  const all = ours.map(describeTransfer);
  const alive = all.filter((one) => one.outcome !== 'accepted' || !['failed', 'cancelled'].includes(one.state));
  if (alive.length > 1) return { outcome: 'unknown', cause: new CircleFault('Circle has two transfers under one key') };
  return alive[0] ?? all[0] ?? { outcome: 'rejected', reason: 'Circle has no such transfer' };
}

const unexpected = () => ({ outcome: 'unknown', cause: new CircleFault('Circle gave an unexpected answer') }) as const;
