import type { Rate, Rates } from '../core/ports.ts';
import type { Db } from '../db/database.ts';

/** Writes the newest prices to `rates`. If a source fails, its last price stays and becomes stale. */
export async function refreshRates(
  app: { readonly db: Db; readonly rates: readonly Rates[] },
  onFault: (what: string, fault: Error) => void,
): Promise<void> {
  const read = await Promise.all(
    app.rates.map((source) =>
      source.read(onFault).catch((error: Error): Rate[] => {
        onFault('a source of rates', error);
        return [];
      }),
    ),
  );
  for (const rate of read.flat()) await saveRate(app.db, rate);
}

/** Several processes write, so an older price must not replace a newer one from the same source. */
const saveRate = (db: Db, rate: Rate) =>
  db.query(
    `INSERT INTO rates (pair, price, as_of, max_age_seconds, source) VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT (pair) DO UPDATE SET price = excluded.price, as_of = excluded.as_of,
       max_age_seconds = excluded.max_age_seconds, source = excluded.source
     WHERE rates.as_of <= excluded.as_of OR rates.source <> excluded.source`,
    [rate.pair, rate.price, rate.asOf, rate.maxAgeSeconds, rate.source],
  );
