import type { ComponentChildren } from 'preact';
import { Component, lazy, Suspense, useEffect } from 'react';
import { follow } from './live.ts';
import { followOtherTabs, resumeIntents } from './money/intents.ts';
import { Link, useRoute, useTitle } from './router.tsx';
import Home from './screens/Home.tsx';
import { type SessionState, session } from './session.ts';
import { useStore } from './store.ts';
import { language, t } from './text/text.ts';
import { Bones, Empty, Fault, Screen } from './ui/parts.tsx';
import { Shell } from './ui/Shell.tsx';

const Activity = lazy(() => import('./screens/Activity.tsx'));
const Ask = lazy(() => import('./screens/Ask.tsx'));
const ChooseName = lazy(() => import('./screens/ChooseName.tsx'));
const CloseAccount = lazy(() => import('./screens/CloseAccount.tsx'));
const Keys = lazy(() => import('./screens/keys/Keys.tsx'));
const Limits = lazy(() => import('./screens/Limits.tsx'));
const NewKey = lazy(() => import('./screens/keys/NewKey.tsx'));
const Passkeys = lazy(() => import('./screens/passkeys/Passkeys.tsx'));
const PayLink = lazy(() => import('./screens/links/PayLink.tsx'));
const Payment = lazy(() => import('./screens/Payment.tsx'));
const Receive = lazy(() => import('./screens/Receive.tsx'));
const Request = lazy(() => import('./screens/Request.tsx'));
const Requests = lazy(() => import('./screens/Requests.tsx'));
const Send = lazy(() => import('./screens/Send.tsx'));
const SendAmount = lazy(() => import('./screens/SendAmount.tsx'));
const Sending = lazy(() => import('./screens/Sending.tsx'));
const Sessions = lazy(() => import('./screens/Sessions.tsx'));
const Settings = lazy(() => import('./screens/Settings.tsx'));
const Split = lazy(() => import('./screens/Split.tsx'));
const Statement = lazy(() => import('./screens/Statement.tsx'));
const Verify = lazy(() => import('./screens/Verify.tsx'));
const Welcome = lazy(() => import('./screens/Welcome.tsx'));

export function App() {
  const state = useStore(session);
  const spoken = useStore(language);
  return (
    <Boundary key={spoken}>
      <Suspense fallback={<First />}>{state.is === 'out' ? <Welcome /> : <Inside state={state} />}</Suspense>
    </Boundary>
  );
}

const First = () => (
  <div className="main">
    <Bones count={4} />
  </div>
);

function Inside({ state }: { readonly state: Extract<SessionState, { is: 'in' }> }) {
  useEffect(() => {
    resumeIntents();
    followOtherTabs();
    void follow(state.user.user_id);
  }, []);
  if (state.user.username === null) {
    return (
      <main id="main" className="main alone">
        <ChooseName current={null} />
      </main>
    );
  }
  return (
    <Shell>
      <Suspense fallback={<Bones count={4} />}>
        <SignedIn state={state} />
      </Suspense>
    </Shell>
  );
}

/** The screen for the current path. */
function SignedIn({ state }: { readonly state: Extract<SessionState, { is: 'in' }> }) {
  const { path, query } = useRoute();
  const { user, wallet } = state;
  const [, first = '', second = ''] = path.split('/');
  const name = second === '' ? first : `${first}/${['send', 'settings'].includes(first) ? second : ':'}`;
  switch (name) {
    case '':
      return <Home user={user} wallet={wallet} />;
    case 'send':
      return <Send />;
    case 'send/to':
      return <SendAmount key={query.toString()} query={query} />;
    case 'sending/:':
      return <Sending intentKey={second} />;
    case 'pay/:':
      return <PayLink key={query.toString()} name={second} query={query} own={user.username} />;
    case 'payments/:':
      return <Payment key={second} id={second} own={user.username} query={query} />;
    case 'activity':
      return <Activity own={user.username ?? ''} query={query} />;
    case 'statement':
      return <Statement user={user} query={query} />;
    case 'split':
      return <Split />;
    case 'receive':
      return <Receive user={user} wallet={wallet} />;
    case 'ask':
      return <Ask />;
    case 'requests':
      return <Requests />;
    case 'requests/:':
      return <Request key={second} id={second} />;
    case 'limits':
      return <Limits />;
    case 'verify':
      return <Verify />;
    case 'settings':
      return <Settings user={user} />;
    case 'settings/name':
      return <ChooseName current={user.username} />;
    case 'settings/close':
      return <CloseAccount own={user.username ?? ''} />;
    case 'settings/keys':
      return <Keys />;
    case 'settings/newkey':
      return <NewKey />;
    case 'settings/passkeys':
      return <Passkeys />;
    case 'settings/sessions':
      return <Sessions />;
    default:
      return <Nowhere />;
  }
}

function Nowhere() {
  useTitle(t('nowhere'));
  return (
    <Screen title={t('nowhere')}>
      <Empty icon="warn" title={t('nowhere.text')}>
        <Link to="/" className="button soft">
          {t('home.back')}
        </Link>
      </Empty>
    </Screen>
  );
}

/** After a defect, shows what the person can still do instead of an empty page. */
class Boundary extends Component<{ readonly children: ComponentChildren }, { readonly error?: unknown }> {
  override state: { readonly error?: unknown } = {};

  static override getDerivedStateFromError(error: unknown) {
    return { error };
  }

  override render() {
    if (this.state.error === undefined) return this.props.children;
    return (
      <main className="main alone">
        <Fault error={this.state.error} retry={() => location.reload()} />
      </main>
    );
  }
}
