import { MenuLink } from '../../../wallet/src/ui/plain.tsx';
import { PLACES } from '../places.ts';
import { t } from '../text/text.ts';
import { Page } from '../ui/page.tsx';

/** On a phone: the places that its bar has no room for. */
export default function Menu() {
  return (
    <Page title={t('nav.more')}>
      <div className="card menu">
        {PLACES.filter(({ isFirst }) => !isFirst).map(({ to, icon, label }) => (
          <MenuLink key={to} to={to} icon={icon} label={t(label)} />
        ))}
      </div>
    </Page>
  );
}
