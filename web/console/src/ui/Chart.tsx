/** A chart that answers the question in its title. The library is loaded with the first chart; the same figures are a table. */
import { useEffect, useRef, useState } from 'react';
import type uPlot from 'uplot';
import { useStore } from '../../../wallet/src/store.ts';
import { theme } from '../../../wallet/src/theme.ts';
import { language, t } from '../text/text.ts';
import { showExact } from './show.tsx';

export interface Series {
  readonly label: string;
  /** A custom property of the style sheet. */
  readonly colour: string;
  readonly values: readonly number[];
  readonly show: (value: number) => string;
}

interface ChartProps {
  readonly question: string;
  readonly answer: string;
  readonly times: readonly string[];
  readonly series: readonly Series[];
}

const HEIGHT = 180;

export function Chart({ question, answer, times, series }: ChartProps) {
  const box = useRef<HTMLDivElement>(null);
  const chosen = useStore(theme);
  const [Plot, setPlot] = useState<typeof uPlot>();
  useEffect(() => void import('./plot.ts').then(({ Plot: loaded }) => setPlot(() => loaded)), []);
  // Colours follow the theme.
  useEffect(() => {
    const place = box.current;
    if (!Plot || !place) return;
    const plot = new Plot(describe(times, series, place), toData(times, series), place);
    const follow = new ResizeObserver(() => plot.setSize({ width: place.clientWidth, height: HEIGHT }));
    follow.observe(place);
    return () => {
      follow.disconnect();
      plot.destroy();
    };
  }, [Plot, times, series, chosen]);
  return (
    <figure className="chart">
      <figcaption>
        <span>{question}</span>
        <b>{answer}</b>
      </figcaption>
      <div ref={box} className="plot" aria-hidden="true" />
      <ul className="legend" aria-hidden="true">
        {series.map(({ label, colour }) => (
          <li key={label}>
            <i style={{ '--colour': `var(${colour})` }} />
            {label}
          </li>
        ))}
      </ul>
      <details>
        <summary>{t('chart.table')}</summary>
        <Figures times={times} series={series} label={question} />
      </details>
    </figure>
  );
}

const toData = (times: readonly string[], series: readonly Series[]): uPlot.AlignedData => [
  times.map((at) => Date.parse(at) / 1000),
  ...series.map(({ values }) => [...values]),
];

function describe(times: readonly string[], series: readonly Series[], place: HTMLElement): uPlot.Options {
  const style = getComputedStyle(place);
  const read = (name: string) => {
    // Custom properties keep `light-dark(…)`: the colour is computed where it is used.
    place.style.setProperty('color', `var(${name})`);
    const colour = style.color;
    place.style.removeProperty('color');
    return colour;
  };
  const isDay = Date.parse(times.at(-1) ?? '') - Date.parse(times[0] ?? '') < 2 * 86_400_000;
  const names = new Intl.DateTimeFormat(
    language.get(),
    isDay ? { hour: 'numeric' } : { day: 'numeric', month: 'short' },
  );
  const axis = { stroke: read('--soft'), grid: { stroke: read('--line'), width: 1 }, ticks: { show: false } };
  return {
    width: place.clientWidth,
    height: HEIGHT,
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false } },
    scales: { x: { time: true }, y: { range: (_, __, most) => [0, Math.max(4, most * 1.1)] } },
    axes: [
      { ...axis, size: 32, space: 72, values: (_, splits) => splits.map((at) => names.format(at * 1000)) },
      { ...axis, size: 56, values: (_, splits) => splits.map((one) => series[0]!.show(one)) },
    ],
    series: [
      {},
      ...series.map(({ label, colour }) => ({
        label,
        stroke: read(colour),
        width: 2,
        points: { size: 5 },
      })),
    ],
  };
}

const Figures = ({ times, series, label }: { readonly label: string } & Pick<ChartProps, 'times' | 'series'>) => (
  <table className="list figures" aria-label={label}>
    <thead>
      <tr>
        <th scope="col">{t('chart.from')}</th>
        {series.map((one) => (
          <th key={one.label} scope="col" className="number">
            {one.label}
          </th>
        ))}
      </tr>
    </thead>
    <tbody>
      {times.map((at, nth) => (
        <tr key={at}>
          <td>{showExact(at)}</td>
          {series.map((one) => (
            <td key={one.label} className="number">
              {one.show(one.values[nth] ?? 0)}
            </td>
          ))}
        </tr>
      ))}
    </tbody>
  </table>
);
