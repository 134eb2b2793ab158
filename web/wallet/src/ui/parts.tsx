/** The small components of screens. */
import { FlorinError } from '@florin/client';
import type { ComponentChildren } from 'preact';
import { useEffect } from 'react';
import { describeFault } from '../faults.ts';
import { showAmount } from '../money/amounts.ts';
import { refresh } from '../resource.ts';
import { go, goBack, verifyFor } from '../router.tsx';
import { t } from '../text/text.ts';
import { Icon } from './Icon.tsx';
import { Bone, Button, type Inside } from './plain.tsx';

export { Avatar, Bone, Button, Choice, Empty, Field, MenuLink, Row } from './plain.tsx';

/** A heading that takes the keyboard focus when the screen opens, and a way back. */
export function Screen({
  title,
  back = true,
  actions,
  children,
}: Inside & { readonly title: string; readonly back?: boolean; readonly actions?: ComponentChildren }) {
  return (
    <div className="screen">
      <header className="screen-head">
        {back && (
          <button type="button" className="icon-button" onClick={goBack} aria-label={t('back')}>
            <Icon name="back" />
          </button>
        )}
        <h1 tabIndex={-1}>{title}</h1>
        {actions}
      </header>
      {children}
    </div>
  );
}

/** Shown during the first read. */
export const Bones = ({ count = 3 }: { readonly count?: number }) => (
  <div className="bones" role="status">
    <span className="unseen">{t('loading')}</span>
    {Array.from({ length: count }, (_, nth) => (
      <Bone key={nth} />
    ))}
  </div>
);

/** Shows what happened, whether money moved, what to do, and the reference to quote. */
export function Fault({ error, retry }: { readonly error: unknown; readonly retry?: () => void }) {
  const { title, text, advice, reference, to } = describeFault(error);
  // A pause that is detected here is shown on every screen.
  useEffect(() => {
    if (error instanceof FlorinError && error.code === 'service.paused') refresh('me');
  }, [error]);
  return (
    <div className="fault" role="alert">
      <Icon name="warn" />
      <div>
        <b>{title}</b>
        <p>{text}</p>
        {advice && <p>{advice}</p>}
        {reference && (
          <p className="reference">
            {t('reference')} <code>{reference}</code>
          </p>
        )}
        <div className="fault-actions">
          {to && (
            <Button variant="soft" onClick={() => (to.path === '/verify' ? location.assign(verifyFor()) : go(to.path))}>
              {to.label}
            </Button>
          )}
          {retry && (
            <Button variant="soft" onClick={retry}>
              {t('tryAgain')}
            </Button>
          )}
        </div>
      </div>
    </div>
  );
}

/** A line may break before the unit, but never within the number. */
export const Usdc = ({ amount }: { readonly amount: string }) => (
  <>
    <span className="money">{showAmount(amount)}</span> USDC
  </>
);
