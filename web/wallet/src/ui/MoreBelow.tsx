import { useEffect, useRef } from 'react';
import { t } from '../text/text.ts';
import { Bones, Button } from './parts.tsx';

interface MoreBelowProps {
  /** Where the next page begins. */
  readonly next: string;
  readonly error: unknown;
  readonly onNear: () => void;
}

/** The end of a list of which more can be read. The next page is read before a person reaches it. */
export function MoreBelow({ next, error, onNear }: MoreBelowProps) {
  const end = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!end.current) return;
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some(({ isIntersecting }) => isIntersecting)) onNear();
      },
      { rootMargin: '600px' },
    );
    observer.observe(end.current);
    return () => observer.disconnect();
  }, [next]);
  return (
    <div ref={end} className="more">
      {error === undefined ? <Bones count={2} /> : <Button onClick={onNear}>{t('tryAgain')}</Button>}
    </div>
  );
}
