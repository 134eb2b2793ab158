import { useMemo } from 'react';
import { showAmount } from '../../../../wallet/src/money/amounts.ts';
import type { Home } from '../../contract/service.ts';
import { language, t } from '../../text/text.ts';
import { Chart, type Series } from '../../ui/Chart.tsx';
import { count, showExact } from '../../ui/show.tsx';

const percent = (share: number): string =>
  new Intl.NumberFormat(language.get(), { style: 'percent', maximumFractionDigits: 1 }).format(share);

/** On an axis: `1.2K`. */
const brief = (number: number): string =>
  new Intl.NumberFormat(language.get(), { notation: 'compact', maximumFractionDigits: 1 }).format(number);

/** How many payments, how much, and how many failed. */
export function HomeCharts({ home }: { readonly home: Home }) {
  const { buckets, totals, since } = home;
  // Drawn again only when the figures have changed.
  const known = JSON.stringify(buckets);
  const { times, ...series } = useMemo(() => describe(buckets), [known]);
  return (
    <>
      <div className="charts">
        <Chart
          question={t('chart.payments')}
          answer={
            totals.payments === 0
              ? t('chart.success.none')
              : t('chart.payments.answer', { count: count(totals.payments), sends: count(totals.sends) })
          }
          times={times}
          series={series.numbers}
        />
        <Chart
          question={t('chart.volume')}
          answer={`${showAmount(totals.volume)} USDC`}
          times={times}
          series={series.volume}
        />
        <Chart
          question={t('chart.success')}
          answer={
            totals.success_rate === null
              ? t('chart.success.none')
              : t('chart.success.answer', {
                  share: percent(totals.success_rate),
                  failed: count(totals.failed),
                  refused: count(totals.refused),
                })
          }
          times={times}
          series={series.faults}
        />
      </div>
      <p className="hint">{t('chart.since', { at: showExact(since) })}</p>
    </>
  );
}

function describe(buckets: Home['buckets']) {
  const series = (label: string, colour: string, values: number[], show = brief): Series => ({
    label: t(label),
    colour,
    values,
    show,
  });
  const of = (name: 'payments' | 'sends' | 'failed' | 'refused') => buckets.map((one) => one[name]);
  return {
    times: buckets.map(({ at }) => at),
    numbers: [series('series.payments', '--accent', of('payments')), series('series.sends', '--wait', of('sends'))],
    // Only drawn, never calculated with: a float is exact enough for a line.
    volume: [
      series(
        'series.volume',
        '--accent',
        buckets.map(({ volume }) => Number.parseFloat(volume)),
      ),
    ],
    faults: [series('series.failed', '--bad', of('failed')), series('series.refused', '--wait', of('refused'))],
  };
}
