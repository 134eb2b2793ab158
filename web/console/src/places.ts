/** The places of the console: menu, keyboard shortcuts (`g`, then the key) and screens. */
import type { IconName } from '../../wallet/src/ui/Icon.tsx';

interface Place {
  readonly to: string;
  readonly icon: IconName;
  readonly label: string;
  readonly key: string;
  /** In the bar of a phone; the others are in its menu. */
  readonly isFirst?: boolean;
}

export const PLACES: readonly Place[] = [
  { to: '/', icon: 'home', label: 'nav.home', key: 'h', isFirst: true },
  { to: '/search', icon: 'search', label: 'nav.search', key: 's', isFirst: true },
  { to: '/payments', icon: 'send', label: 'nav.payments', key: 'p' },
  { to: '/people', icon: 'person', label: 'nav.people', key: 'u' },
  { to: '/deposits', icon: 'receive', label: 'nav.deposits', key: 'd' },
  { to: '/approvals', icon: 'shield', label: 'nav.approvals', key: 'a', isFirst: true },
  { to: '/stuck', icon: 'clock', label: 'nav.stuck', key: 't', isFirst: true },
  { to: '/books', icon: 'book', label: 'nav.books', key: 'b' },
  { to: '/networks', icon: 'globe', label: 'nav.networks', key: 'n' },
  { to: '/payouts', icon: 'share', label: 'nav.payouts', key: 'o' },
  { to: '/webhooks', icon: 'bell', label: 'nav.webhooks', key: 'w' },
  { to: '/settings', icon: 'settings', label: 'nav.settings', key: 'e' },
];
