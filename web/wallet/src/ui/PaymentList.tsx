import type { Transaction } from '@florin/client';
import { useEffect, useRef, useState } from 'react';
import { showDay } from '../text/text.ts';
import { PaymentRow } from './PaymentRow.tsx';

/** Rows that are drawn or omitted together. */
const GROUP = 10;
/** The estimated height of a group that was never drawn. */
const USUAL_HEIGHT = GROUP * 69;
/** The distance from the screen, in pixels, within which rows are drawn in advance. */
const NEAR = 900;

/** By group; kept while other screens are shown, so that "back" restores the position. */
const heights = new Map<number, number>();
const heightOf = (group: number): number => heights.get(group) ?? USUAL_HEIGHT;

function sumHeights(from: number, to: number): number {
  let sum = 0;
  for (let group = from; group < to; group++) sum += heightOf(group);
  return sum;
}

interface Range {
  readonly from: number;
  readonly to: number;
}

/** The groups that are near the screen when the list begins at `top`. */
function findNear(top: number, count: number): Range {
  let from = 0;
  let at = top;
  for (; from < count - 1 && at + heightOf(from) < -NEAR; from++) at += heightOf(from);
  let to = from;
  for (; to < count && at < innerHeight + NEAR; to++) at += heightOf(to);
  return { from, to: Math.max(to, from + 1) };
}

/** Draws only rows near the screen: a list of thousands costs as much as three screens of it. */
export function PaymentList({ rows, own }: { readonly rows: readonly Transaction[]; readonly own: string | null }) {
  const place = useRef<HTMLDivElement>(null);
  // Draws the first rows immediately, the others afterwards.
  const [{ from, to }, setRange] = useState<Range>({ from: 0, to: 1 });
  const count = Math.ceil(rows.length / GROUP);

  useEffect(() => {
    let isDue = false;
    const check = () => {
      isDue = false;
      const list = place.current;
      if (!list) return;
      for (const drawn of list.querySelectorAll<HTMLElement>('[data-group]'))
        heights.set(Number(drawn.dataset.group), drawn.offsetHeight);
      const near = findNear(list.getBoundingClientRect().top, count);
      setRange((now) => (now.from === near.from && now.to === near.to ? now : near));
    };
    const checkSoon = () => {
      if (isDue) return;
      isDue = true;
      requestAnimationFrame(check);
    };
    checkSoon();
    addEventListener('scroll', checkSoon, { passive: true });
    addEventListener('resize', checkSoon);
    return () => {
      removeEventListener('scroll', checkSoon);
      removeEventListener('resize', checkSoon);
    };
  }, [count]);

  const last = Math.min(to, count);
  const groups = Array.from({ length: Math.max(0, last - from) }, (_, nth) => from + nth);
  return (
    <div ref={place}>
      <div style={{ blockSize: `${sumHeights(0, from)}px` }} />
      {groups.map((group) => (
        <ul key={group} data-group={group} className="day">
          {rows.slice(group * GROUP, (group + 1) * GROUP).map((payment, nth) => {
            const day = showDay(payment.created_at);
            const before = rows[group * GROUP + nth - 1];
            const isNewDay = !before || showDay(before.created_at) !== day;
            return (
              <PaymentRow key={payment.transaction_id} payment={payment} own={own} day={isNewDay ? day : undefined} />
            );
          })}
        </ul>
      ))}
      <div style={{ blockSize: `${sumHeights(last, count)}px` }} />
    </div>
  );
}
