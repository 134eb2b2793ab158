import { lazy, Suspense, useMemo, useState } from 'react';
import { facts } from '../facts.ts';
import { isAddress, readDestination } from '../money/addresses.ts';
import { showParty } from '../money/describePayment.ts';
import { useRecipients } from '../reads.ts';
import { go, useTitle } from '../router.tsx';
import { florin, session } from '../session.ts';
import { useStore } from '../store.ts';
import { t } from '../text/text.ts';
import { Icon } from '../ui/Icon.tsx';
import { Avatar, Bones, Button, Empty, Field, Screen } from '../ui/parts.tsx';

const Scanner = lazy(() => import('../ui/Scanner.tsx'));

/** The path of the screen that asks for the amount of a payment to this payee. */
export const sendTo = (to: { username?: string; address?: string; blockchain?: string; amount?: string }): string => {
  const given = Object.entries(to).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return `/send/to?${new URLSearchParams(given)}`;
};

/** Whether the name certainly does not exist. Without an answer, the payment's preview reports it. */
const isNobody = (username: string): Promise<boolean> =>
  florin.checkUsername(username).then(
    ({ state }) => state === 'free',
    () => false,
  );

/** Opens the screen for what was typed, pasted or scanned; returns what is wrong with it. */
async function follow(text: string, own: string | null): Promise<string | undefined> {
  const found = readDestination(text, location.origin);
  if (!found) return t('send.unreadable');
  if (found.requestId) {
    go(`/requests/${found.requestId}`);
    return undefined;
  }
  if (found.username !== undefined && found.username === own) return t('send.self');
  const network = facts.blockchains.find(({ chain_id }) => chain_id === found.chainId);
  if (found.chainId !== undefined && !network) return t('send.network', { chain: String(found.chainId) });
  const { username, address, amount } = found;
  if (username !== undefined && (await isNobody(username))) return t('code.username.unknown');
  // Do not pull back a person who has opened another screen meanwhile.
  if (location.pathname !== '/send') return undefined;
  go(
    sendTo({
      ...(username !== undefined && { username }),
      ...(address !== undefined && { address, blockchain: network?.blockchain ?? facts.home_blockchain }),
      ...(amount !== undefined && { amount }),
    }),
  );
  return undefined;
}

export default function Send() {
  const title = t('send');
  useTitle(title);
  const state = useStore(session);
  const own = state.is === 'in' ? state.user.username : null;
  const { data: recipients, error } = useRecipients();
  const [text, setText] = useState('');
  const [fault, setFault] = useState<string>();
  const [isScanning, setScanning] = useState(false);
  const [busy, setBusy] = useState(false);
  const take = async (given: string) => {
    setBusy(true);
    setFault(await follow(given, own));
    setBusy(false);
  };
  const shown = useMemo(() => {
    const wanted = text.trim().replace(/^@/, '').toLowerCase();
    return (recipients ?? []).filter(({ to }) => nameOf(to).toLowerCase().includes(wanted));
  }, [recipients, text]);

  return (
    <Screen title={title}>
      <form
        className="send-to"
        onSubmit={(event) => {
          event.preventDefault();
          if (!busy) void take(text);
        }}
      >
        <Field
          id="to"
          label={t('send.to')}
          value={text}
          onInput={(event) => {
            setText(event.currentTarget.value);
            setFault(undefined);
          }}
          placeholder={t('send.placeholder')}
          autocomplete="off"
          autocapitalize="none"
          spellcheck={false}
          fault={fault}
        />
        <div className="pair">
          <Button icon="scan" onClick={() => setScanning(!isScanning)}>
            {t(isScanning ? 'scan.stop' : 'scan')}
          </Button>
          <Button variant="main" type="submit" disabled={text.trim() === ''} busy={busy}>
            {t('continue')}
          </Button>
        </div>
      </form>
      {isScanning && (
        <Suspense fallback={<Bones count={1} />}>
          <Scanner
            onFound={(found) => {
              setScanning(false);
              setText(found);
              void take(found);
            }}
          />
        </Suspense>
      )}
      {(shown.length > 0 || !recipients?.length) && (
        <section aria-label={t('send.before')}>
          <h2>{t('send.before')}</h2>
          {!recipients && !error && <Bones count={3} />}
          {recipients && recipients.length === 0 && (
            <Empty icon="person" title={t('send.none')}>
              <p>{t('send.none.text')}</p>
            </Empty>
          )}
          <ul className="people-list">
            {shown.map(({ to, blockchain, payments }) => {
              const name = nameOf(to);
              const isElsewhere = isAddress(name);
              return (
                <li key={name + blockchain}>
                  <button
                    type="button"
                    onClick={() => go(sendTo(isElsewhere ? { address: name, blockchain } : { username: name }))}
                  >
                    <Avatar name={name} />
                    <span className="payment-who">
                      <b>{showParty(name)}</b>
                      <small>
                        {isElsewhere ? `${blockchain} · ` : ''}
                        {payments === 1 ? t('send.once') : t('send.times', { count: String(payments) })}
                      </small>
                    </span>
                    <Icon name="next" size={18} />
                  </button>
                </li>
              );
            })}
          </ul>
        </section>
      )}
    </Screen>
  );
}

const nameOf = (to: object): string =>
  (to as { username?: string | null }).username ?? (to as { address?: string | null }).address ?? '';
