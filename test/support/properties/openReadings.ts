import type { Chain, Hex } from '../../../server/src/core/ports.ts';
import type { Queryable } from '../../../server/src/db/database.ts';
import { printPage } from '../../../server/src/http/answers/printPage.ts';
import { type OverviewBalance, openOverview } from '../../../server/src/overview/openOverview.ts';
import { openHistory } from '../../../server/src/payments/read/openHistory.ts';
import type { HistoryPosition } from '../../../server/src/payments/read/readPayments.ts';
import type { PersonInLedger } from './readLedger.ts';
import type { ShownTransaction } from './readRows.ts';

/** The reads of a server process, on its own connections. */
export interface Readings {
  /** All pages without a filter. The first page is read twice: the second time it comes from the cache. */
  readHistory(username: string, limit: number): Promise<ShownTransaction[]>;
  compareOverview(person: PersonInLedger): Promise<string[]>;
  close(): Promise<void>;
}

export async function openReadings(db: Queryable, databaseUrl: string): Promise<Readings> {
  const history = openHistory({ databaseUrl, db });
  const assets = await db.query<{ blockchain: string; symbol: string }>(
    `SELECT blockchain, symbol FROM assets JOIN networks USING (network_id)`,
  );
  // For our own wallets, an overview asks no chain.
  const chains = assets.map(({ blockchain, symbol }) => ({ blockchain, tokens: [{ symbol }] }) as unknown as Chain);
  const overviews = openOverview({ databaseUrl, chains, currency: 'USDC' });
  return {
    async readHistory(name, limit) {
      const shown: ShownTransaction[] = [];
      let after: HistoryPosition | undefined;
      await history.read({ name, limit });
      do {
        const page = (await history.read({ name, limit, after }))!;
        shown.push(...JSON.parse(printPage(page).body.toString()).transactions);
        after = page.next;
      } while (after);
      return shown;
    },
    async compareOverview(person) {
      const wallets = await db.query<{ address: Hex }>(
        `SELECT address FROM wallets WHERE user_id = $1 AND family = 'evm'`,
        [person.userId],
      );
      const shown = await Promise.all([
        overviews.readWithoutWallet(person.userId),
        ...wallets.map(({ address }) => overviews.read(address)),
      ]);
      return shown.flatMap(({ balances }) => compareBalances(balances, person));
    },
    async close() {
      await Promise.all([history.close(), overviews.close()]);
    },
  };
}

function compareBalances(shown: readonly OverviewBalance[], { balances }: PersonInLedger): string[] {
  const sum = (blockchain: string, value: (one: OverviewBalance) => string): bigint =>
    shown.filter((one) => one.blockchain === blockchain).reduce((all, one) => all + BigInt(value(one)), 0n);
  return balances.flatMap(({ blockchain, available, held }) => {
    const overview = [sum(blockchain, (one) => one.available), sum(blockchain, (one) => one.held)];
    if (overview[0] === available && overview[1] === held) return [];
    return `the overview shows ${overview.join(' and ')} held on ${blockchain}, the ledger ${available} and ${held}`;
  });
}
