/** A payout whose worker keeps dying: half of its rows go to people, half to addresses of a chain in this process. */
import { formatUsdc, parseUsdc } from '../../../server/src/core/money.ts';
import { claimJobs, endJobs, postponeJobs } from '../../../server/src/jobs/jobs.ts';
import { openDestinations } from '../../../server/src/payments/destinations/openDestinations.ts';
import { checkPayout } from '../../../server/src/payments/payouts/checkPayout.ts';
import { confirmPayout } from '../../../server/src/payments/payouts/decidePayout.ts';
import { parseCsvRows } from '../../../server/src/payments/payouts/parseRows.ts';
import { getPayout, type Payout } from '../../../server/src/payments/payouts/payout.ts';
import { printItems } from '../../../server/src/payments/payouts/readItems.ts';
import { PAYOUT_JOB, runPayouts } from '../../../server/src/payments/payouts/runPayouts.ts';
import { Crash, createMortal } from '../chain/crash.ts';
import { type CustodyWorld, randomAddress } from '../chain/custody.ts';
import { HOME } from '../values.ts';
import type { PayoutKey } from './makeKey.ts';

interface KillOptions {
  readonly rows: number;
  /** Dies this many times: alternately before and after statements, later each time. */
  readonly kills: number;
  /** Names of people who are paid in turn. */
  readonly people: readonly string[];
}

interface KilledPayout {
  readonly payout: Payout;
  readonly deaths: readonly string[];
  /** The lines of the answer, without its header. */
  readonly lines: readonly string[];
  /** The requests of the file: recipient and amount, by reference. */
  readonly wanted: ReadonlyMap<string, { readonly to: string; readonly amount: bigint }>;
}

export async function killPayout(world: CustodyWorld, key: PayoutKey, options: KillOptions): Promise<KilledPayout> {
  const wanted = new Map(
    Array.from({ length: options.rows }, (_, i) => {
      const to = i % 2 === 0 ? options.people[(i / 2) % options.people.length]! : randomAddress();
      return [`row-${i + 1}`, { to, amount: parseUsdc(formatUsdc(BigInt(1_000 + i))) }] as const;
    }),
  );
  const csv = Buffer.from(
    `reference,to,amount\n${[...wanted].map(([reference, { to, amount }]) => `${reference},${to},${formatUsdc(amount)}`).join('\n')}\n`,
  );
  const caller = { keyId: key.keyId, certificate: undefined, client: '127.0.0.1' };
  const checked = await checkPayout(
    { db: world.db, homeBlockchain: HOME, places: openDestinations([world.chain], 'USDC') },
    {
      ...caller,
      currency: 'USDC',
      payer: undefined,
      onShortage: 'wait',
      file: { contentType: 'text/csv', bytes: csv },
      parsed: parseCsvRows(csv),
    },
  );
  if (checked.outcome !== 'kept') throw new Error(JSON.stringify(checked.errors.slice(0, 3)));
  const { payoutId, all } = checked.payout;
  await confirmPayout(world.db, {
    ...caller,
    payoutId,
    count: all.count,
    total: parseUsdc(formatUsdc(all.total)),
    approvalThreshold: undefined,
  });

  const deaths: string[] = [];
  for (let turn = 0; turn < 400; turn++) {
    const isDying = deaths.length < options.kills;
    let left = turn * 2;
    const mortal = createMortal(world, () =>
      isDying && left-- === 0 ? (turn % 2 === 0 ? 'after' : 'before') : undefined,
    );
    try {
      await runJob(world, mortal);
      await world.work(mortal);
    } catch (error) {
      if (!(error instanceof Crash) && !mortal.died) throw error;
      deaths.push(mortal.died!);
    }
    await world.mine();
    const { state } = await getPayout(world.db, payoutId, key.keyId);
    if (state === 'complete' && !isDying) break;
  }
  let text = '';
  for await (const piece of printItems(world.db, payoutId)) text += piece;
  return {
    payout: await getPayout(world.db, payoutId, key.keyId),
    deaths,
    lines: text.trimEnd().split('\r\n').slice(1),
    wanted,
  };
}

/** The job as a worker takes it; the lease of a dead worker ends immediately. */
async function runJob(world: CustodyWorld, { db, chain }: Pick<CustodyWorld, 'db' | 'chain'>): Promise<void> {
  const jobs = await claimJobs(db, PAYOUT_JOB, 4, 0);
  const app = { db, sendRules: world.sendRules, places: openDestinations([chain], 'USDC') };
  const outcomes = await runPayouts(
    app,
    jobs.map(({ key }) => key),
  );
  const failed = outcomes.find((outcome) => outcome instanceof Error);
  if (failed) throw failed;
  await endJobs(
    db,
    jobs.filter((_, i) => outcomes[i] === 'done'),
  );
  await postponeJobs(
    db,
    jobs.filter((_, i) => outcomes[i] !== 'done'),
    0,
  );
}
