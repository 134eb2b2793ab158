import type { ComponentChildren } from 'preact';
import { lazy, Suspense } from 'react';
import { Link, usePath } from '../../../../wallet/src/router.tsx';
import { t } from '../../text/text.ts';
import { Loading, Nothing, Page } from '../../ui/page.tsx';
import { Own } from './Own.tsx';

const Lists = lazy(() => import('./Lists.tsx'));

const PARTS = ['own', 'operators', 'keys', 'account-keys', 'limits', 'limit-changes', 'pauses', 'restores', 'audit'];

export default function Settings({ part = 'own' }: { readonly part?: string }) {
  const path = usePath();
  const isKnown = PARTS.includes(part);
  let shown: ComponentChildren = <Nothing icon="warn" title={t('nowhere.text')} />;
  if (part === 'own') shown = <Own />;
  else if (isKnown) shown = <Lists part={part} />;
  return (
    <Page title={part === 'own' || !isKnown ? t('nav.settings') : t(`settings.${part}`)}>
      <nav className="tabs" aria-label={t('nav.settings')}>
        {PARTS.map((one) => {
          const to = one === 'own' ? '/settings' : `/settings/${one}`;
          return (
            <Link key={one} to={to} aria-current={path === to ? 'page' : undefined}>
              {t(`settings.${one}`)}
            </Link>
          );
        })}
      </nav>
      <Suspense fallback={<Loading />}>{shown}</Suspense>
    </Page>
  );
}
