import type { BackendTypes } from '@florin/client';
import { toMicros } from '@florin/client';
import { useEffect, useState } from 'react';
import { facts } from '../facts.ts';
import { history, readMore, refreshHistory } from '../history.ts';
import { showAmount, sizeOf } from '../money/amounts.ts';
import { currency, findPrice, showWorth } from '../money/currency.ts';
import { showParty } from '../money/describePayment.ts';
import { useOldIntents } from '../money/intents.ts';
import { notify } from '../notices.ts';
import { useOpenRequests, useOverview } from '../reads.ts';
import { refresh } from '../resource.ts';
import { Link, useTitle } from '../router.tsx';
import { useStore } from '../store.ts';
import { showTime, t } from '../text/text.ts';
import { Icon } from '../ui/Icon.tsx';
import { MoreBelow } from '../ui/MoreBelow.tsx';
import { PaymentList } from '../ui/PaymentList.tsx';
import { Bone, Bones, Empty, Fault } from '../ui/parts.tsx';

type Schemas = BackendTypes['schemas'];
interface HomeProps {
  readonly user: Schemas['User'];
  readonly wallet: Schemas['Wallet'];
}

export default function Home({ user, wallet }: HomeProps) {
  useTitle(facts.name);
  return (
    <div className="screen home">
      <h1 className="unseen" tabIndex={-1}>
        {t('home')}
      </h1>
      <Balance user={user} />
      <div className="actions">
        <Link className="action" to="/send">
          <span>
            <Icon name="send" />
          </span>
          {t('nav.send')}
        </Link>
        <Link className="action" to="/receive">
          <span>
            <Icon name="receive" />
          </span>
          {t('nav.receive')}
        </Link>
        <Link className="action" to="/ask">
          <span>
            <Icon name="ask" />
          </span>
          {t('nav.ask')}
        </Link>
        {facts.sandbox && <Faucet address={wallet.address} />}
      </div>
      <Unfinished />
      <Asked />
      <WayForward />
      <Activity own={user.username} />
    </div>
  );
}

function Balance({ user }: { readonly user: Schemas['User'] }) {
  const { data, error, at } = useOverview();
  useStore(currency);
  if (!data) {
    return (
      <section className="balance" aria-label={t('balance')}>
        <p className="balance-who">@{user.username}</p>
        {error ? <Fault error={error} retry={() => refresh('overview')} /> : <Bone kind="tall w7" />}
      </section>
    );
  }
  const home = data.balances.find(({ blockchain }) => blockchain === facts.home_blockchain);
  const others = data.balances.filter(
    ({ blockchain, available }) => blockchain !== facts.home_blockchain && toMicros(available) !== 0n,
  );
  const available = home?.available ?? '0';
  const shown = showAmount(available);
  const price = findPrice(data.rates);
  const isOld = Boolean(error) && at !== undefined;
  return (
    <section className="balance" aria-label={t('balance')}>
      <p className="balance-who">@{user.username}</p>
      <p className={`balance-amount ${sizeOf(shown)}`}>
        <span data-balance={available}>{shown}</span> <small>USDC</small>
      </p>
      <p className="balance-worth">
        {price && (
          <>
            ≈ {showWorth(available, price)}
            {price.isStale && ` · ${t('rate.stale', { time: showTime(price.asOf) })}`}
          </>
        )}
        {isOld && ` · ${t('asOf', { time: showTime(new Date(at).toISOString()) })}`}
      </p>
      <ul className="chips">
        {home && toMicros(home.held) !== 0n && <li>{t('held', { amount: showAmount(home.held) })}</li>}
        {home && toMicros(home.pending_in) !== 0n && <li>{t('pendingIn', { amount: showAmount(home.pending_in) })}</li>}
        {others.map(({ blockchain, available: amount }) => (
          <li key={blockchain}>{t('onOther', { amount: showAmount(amount), blockchain })}</li>
        ))}
      </ul>
    </section>
  );
}

/** Only in the sandbox. */
function Faucet({ address }: { readonly address: string | null }) {
  const [busy, setBusy] = useState(false);
  const fill = async () => {
    setBusy(true);
    const answer = await fetch(facts.sandbox!.faucet_url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ address }),
    }).catch(() => undefined);
    setBusy(false);
    notify(t(answer?.ok ? 'faucet.coming' : 'faucet.dry'));
  };
  return (
    <button type="button" className="action" disabled={address === null || busy} onClick={() => void fill()}>
      <span>{busy ? <i className="spinner" aria-hidden="true" /> : <Icon name="drop" />}</span>
      {t('faucet')}
    </button>
  );
}

/** Without money, everything begins with receiving some. */
function WayForward() {
  const { data } = useOverview();
  const isEmpty = data?.balances.every((one) => [one.available, one.held, one.pending_in].every((part) => +part === 0));
  if (!isEmpty) return null;
  return (
    <section className="card start" aria-label={t('start')}>
      <b>{t('start')}</b>
      <p className="hint">{t(facts.sandbox ? 'start.play' : 'start.text')}</p>
      <div className="pair">
        <Link className="button main" to="/receive">
          {t('start.receive')}
        </Link>
        <Link className="button soft" to="/ask">
          {t('start.ask')}
        </Link>
      </div>
    </section>
  );
}

/** Payments that were confirmed long ago, and whose answer never came. */
function Unfinished() {
  return useOldIntents().map(({ key, to, amount }) => (
    <Link key={key} className="asked" to={`/sending/${key}`}>
      <Icon name="clock" />
      <span>
        {t('unfinished.one', {
          name: showParty('username' in to ? to.username : to.address),
          amount: showAmount(amount),
        })}
      </span>
      <Icon name="next" size={18} />
    </Link>
  ));
}

function Asked() {
  const open = useOpenRequests().data ?? [];
  const [first] = open;
  if (!first) return null;
  return (
    <Link className="asked" to={open.length === 1 ? `/requests/${first.request_id}` : '/requests'}>
      <Icon name="bell" />
      <span>
        {open.length === 1
          ? t('asked.one', { name: first.asker_username ?? t('someone'), amount: showAmount(first.amount) })
          : t('asked.many', { count: String(open.length) })}
      </span>
      <Icon name="next" size={18} />
    </Link>
  );
}

function Activity({ own }: { readonly own: string | null }) {
  const { rows, next, error } = useStore(history);
  useEffect(() => void refreshHistory(), []);

  return (
    <section className="activity" aria-label={t('activity')}>
      <div className="head">
        <h2>{t('activity')}</h2>
        {rows.length > 0 && (
          <Link to="/activity">
            <Icon name="search" size={18} />
            {t('activity.search')}
          </Link>
        )}
      </div>
      {error !== undefined && rows.length === 0 && <Fault error={error} retry={() => void refreshHistory()} />}
      {next === undefined && error === undefined && <Bones count={5} />}
      {next === null && rows.length === 0 && (
        <Empty icon="clock" title={t('activity.none')}>
          <p>{t('activity.none.text')}</p>
        </Empty>
      )}
      {rows.length > 0 && <PaymentList rows={rows} own={own} />}
      {next && <MoreBelow next={next} error={error} onNear={readMore} />}
    </section>
  );
}
