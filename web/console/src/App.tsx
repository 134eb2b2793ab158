import type { ComponentChildren } from 'preact';
import { Component, lazy, Suspense } from 'react';
import { Link, useRoute } from '../../wallet/src/router.tsx';
import { useStore } from '../../wallet/src/store.ts';
import Home from './screens/Home.tsx';
import { session } from './session.ts';
import { language, t } from './text/text.ts';
import { Fault, Loading, Nothing, Page } from './ui/page.tsx';
import { Shell } from './ui/Shell.tsx';

const Approvals = lazy(() => import('./screens/Approvals.tsx'));
const Books = lazy(() => import('./screens/Books.tsx'));
const Deposits = lazy(() => import('./screens/Deposits.tsx'));
const Login = lazy(() => import('./screens/Login.tsx'));
const Menu = lazy(() => import('./screens/Menu.tsx'));
const Networks = lazy(() => import('./screens/Networks.tsx'));
const Payment = lazy(() => import('./screens/Payment.tsx'));
const Payments = lazy(() => import('./screens/Payments.tsx'));
const Payout = lazy(() => import('./screens/Payout.tsx'));
const Payouts = lazy(() => import('./screens/Payouts.tsx'));
const People = lazy(() => import('./screens/People.tsx'));
const Person = lazy(() => import('./screens/Person.tsx'));
const Search = lazy(() => import('./screens/Search.tsx'));
const Settings = lazy(() => import('./screens/settings/Settings.tsx'));
const Stuck = lazy(() => import('./screens/Stuck.tsx'));
const Wallet = lazy(() => import('./screens/Wallet.tsx'));
const Webhook = lazy(() => import('./screens/Webhook.tsx'));
const Webhooks = lazy(() => import('./screens/Webhooks.tsx'));

export function App() {
  const state = useStore(session);
  const spoken = useStore(language);
  return (
    <Boundary key={spoken}>
      <Suspense fallback={<First />}>
        {state.state === 'open' ? (
          <Shell session={state}>
            <Suspense fallback={<Loading />}>
              <Screen />
            </Suspense>
          </Shell>
        ) : (
          <Login state={state} />
        )}
      </Suspense>
    </Boundary>
  );
}

const First = () => (
  <div className="main">
    <Loading />
  </div>
);

/** Screens of a list, by the first part of the path. */
const SCREENS: Readonly<Record<string, () => ComponentChildren>> = {
  '': () => <Home />,
  search: () => <Search />,
  payments: () => <Payments />,
  people: () => <People />,
  deposits: () => <Deposits />,
  approvals: () => <Approvals />,
  stuck: () => <Stuck />,
  books: () => <Books />,
  networks: () => <Networks />,
  payouts: () => <Payouts />,
  webhooks: () => <Webhooks />,
  settings: () => <Settings />,
  menu: () => <Menu />,
};

/** Screens of one object: another object is another screen, with nothing left of the one before. */
const OBJECTS: Readonly<Record<string, (id: string) => ComponentChildren>> = {
  payments: (id) => <Payment key={id} id={id} />,
  people: (id) => <Person key={id} id={id} />,
  payouts: (id) => <Payout key={id} id={id} />,
  webhooks: (id) => <Webhook key={id} id={id} />,
  wallets: (id) => <Wallet key={id} id={id} />,
  settings: (id) => <Settings key={id} part={id} />,
};

function Screen() {
  const { path } = useRoute();
  const [, first = '', second = '', third] = path.split('/');
  const id = readPart(second);
  if (third !== undefined || id === undefined) return <Nowhere />;
  const show = id === '' ? SCREENS[first] : OBJECTS[first];
  return <>{show ? show(id) : <Nowhere />}</>;
}

/** Undefined for a part that no browser has encoded. */
function readPart(part: string): string | undefined {
  try {
    return decodeURIComponent(part);
  } catch {
    return undefined;
  }
}

const Nowhere = () => (
  <Page title={t('nowhere')}>
    <Nothing icon="warn" title={t('nowhere.text')}>
      <Link to="/" className="button soft">
        {t('home.back')}
      </Link>
    </Nothing>
  </Page>
);

/** After a defect, shows what the operator can still do instead of an empty page. */
class Boundary extends Component<{ readonly children: ComponentChildren }, { readonly error?: unknown }> {
  override state: { readonly error?: unknown } = {};

  static override getDerivedStateFromError(error: unknown) {
    return { error };
  }

  override render() {
    if (this.state.error === undefined) return this.props.children;
    return (
      <main className="main alone">
        <Fault error={this.state.error} again={() => location.reload()} />
      </main>
    );
  }
}
