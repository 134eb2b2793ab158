import { useEffect, useRef, useState } from 'react';
import { history } from '../history.ts';
import { useStore } from '../store.ts';
import { showDay } from '../text/text.ts';
import { PaymentRow } from './PaymentRow.tsx';

export const PAGE_ROWS = 25;
/** Of a page that was never drawn. */
const USUAL_HEIGHT = PAGE_ROWS * 69;

/**
 * Some payments of a long list. They are drawn only while they are near the screen, so that a list of thousands costs
 * what two screens of it cost.
 */
export function PaymentPage({ first, own }: { readonly first: number; readonly own: string | null }) {
  const { rows } = useStore(history);
  const place = useRef<HTMLDivElement>(null);
  const height = useRef(USUAL_HEIGHT);
  const [isNear, setNear] = useState(first === 0);
  useEffect(() => {
    const shown = place.current;
    if (!shown) return;
    const observer = new IntersectionObserver(
      ([entry]) => {
        if (!entry) return;
        if (!entry.isIntersecting && entry.boundingClientRect.height > 0)
          height.current = entry.boundingClientRect.height;
        setNear(entry.isIntersecting);
      },
      { rootMargin: '900px' },
    );
    observer.observe(shown);
    return () => observer.disconnect();
  }, []);

  if (!isNear) return <div ref={place} style={{ blockSize: `${height.current}px` }} />;
  const payments = rows.slice(first, first + PAGE_ROWS);
  return (
    <div ref={place} className="day">
      <ul>
        {payments.map((payment, nth) => {
          const day = showDay(payment.created_at);
          const before = rows[first + nth - 1];
          const isNewDay = !before || showDay(before.created_at) !== day;
          return (
            <PaymentRow key={payment.transaction_id} payment={payment} own={own} day={isNewDay ? day : undefined} />
          );
        })}
      </ul>
    </div>
  );
}
