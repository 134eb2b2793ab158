import { lazy, Suspense, useMemo, useState } from 'react';
import { facts } from '../facts.ts';
import { type Destination, isAddress, readDestination } from '../money/addresses.ts';
import { showParty } from '../money/describePayment.ts';
import { findPayLink } from '../money/payLink.ts';
import { useRecipients } from '../reads.ts';
import { go, useTitle } from '../router.tsx';
import { florin, session } from '../session.ts';
import { useStore } from '../store.ts';
import { t } from '../text/text.ts';
import { Icon } from '../ui/Icon.tsx';
import { Avatar, Bones, Button, Empty, Field, Screen } from '../ui/parts.tsx';

const Scanner = lazy(() => import('../ui/Scanner.tsx'));

interface Payee {
  readonly username?: string | undefined;
  readonly address?: string | undefined;
  readonly blockchain?: string | undefined;
  readonly amount?: string | undefined;
  readonly note?: string | undefined;
  /** `code`: a code or a link that was scanned or pasted says this. */
  readonly from?: 'code' | undefined;
}

/** The path of the screen that asks for the amount of a payment to this payee. */
export const sendTo = (to: Payee): string => {
  const given = Object.entries(to).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return `/send/to?${new URLSearchParams(given)}`;
};

/** An address of a customer, who is paid immediately by name. */
interface Customer {
  /** Null: they do not let others find their name. */
  readonly username: string | null;
  /** The payment to the address. */
  readonly payee: Payee;
}

type Followed = { readonly fault: string } | { readonly customer: Customer } | undefined;

/** Whether the name certainly does not exist. Without an answer, the payment's preview reports it. */
const isNobody = (username: string): Promise<boolean> =>
  florin.checkUsername(username).then(
    ({ state }) => state === 'free',
    () => false,
  );

/** Opens a screen, unless the person has opened another one meanwhile. */
function open(payee: Payee): undefined {
  if (location.pathname === '/send') go(sendTo(payee));
}

async function followName(payee: Payee & { readonly username: string }, own: string | null): Promise<Followed> {
  if (payee.username === own) return { fault: t('send.self') };
  if (await isNobody(payee.username)) return { fault: t('code.username.unknown') };
  return open(payee);
}

async function followAddress(found: Destination & { readonly address: string }, own: string | null): Promise<Followed> {
  const { address, chainId, token, amount } = found;
  const network = facts.blockchains.find(({ chain_id }) => chain_id === chainId);
  if (chainId !== undefined && !network) return { fault: t('send.network', { chain: String(chainId) }) };
  const blockchain = network?.blockchain ?? facts.home_blockchain;
  const usdc = facts.blockchains.find((one) => one.blockchain === blockchain)?.usdc_address;
  // A code for another token, or for the coin of the network: the number in it is not an amount of USDC.
  if (token !== undefined && token?.toLowerCase() !== usdc?.toLowerCase()) return { fault: t('send.token') };
  const payee = { address, blockchain, amount, ...(amount !== undefined && { from: 'code' as const }) };
  // Without an answer it is paid like any other address.
  const owner = await florin.findAddress(address).catch(() => undefined);
  if (!owner?.customer) return open(payee);
  if (owner.username !== null && owner.username === own) return { fault: t('send.selfAddress') };
  return { customer: { username: owner.username, payee } };
}

/** Opens the screen for what was typed, pasted or scanned, or returns what the person has to know first. */
async function follow(text: string, own: string | null): Promise<Followed> {
  const link = findPayLink(text.trim(), location.origin);
  if (link) return followName({ ...link, from: 'code' }, own);
  const found = readDestination(text, location.origin);
  if (!found) return { fault: t('send.unreadable') };
  const { requestId, username, address } = found;
  if (requestId !== undefined) return void go(`/requests/${requestId}`);
  if (username !== undefined) return followName({ username }, own);
  return followAddress({ ...found, address: address! }, own);
}

export default function Send() {
  const title = t('send');
  useTitle(title);
  const state = useStore(session);
  const own = state.is === 'in' ? state.user.username : null;
  const { data: recipients, error } = useRecipients();
  const [text, setText] = useState('');
  const [fault, setFault] = useState<string>();
  const [customer, setCustomer] = useState<Customer>();
  const [isScanning, setScanning] = useState(false);
  const [busy, setBusy] = useState(false);
  const take = async (given: string) => {
    setBusy(true);
    const followed = await follow(given, own);
    setFault(followed && 'fault' in followed ? followed.fault : undefined);
    setCustomer(followed && 'customer' in followed ? followed.customer : undefined);
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
            setCustomer(undefined);
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
      {customer && <Found customer={customer} />}
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

/** Offers the payment by name. Without the name, the person can ask for it, or pay the address. */
function Found({ customer: { username, payee } }: { readonly customer: Customer }) {
  const { amount, from } = payee;
  return (
    <section className="card found" role="status">
      <p>
        <b>{username === null ? t('found.customer') : t('found.person', { name: username })}</b>
      </p>
      <p className="hint">{t(username === null ? 'found.customer.text' : 'found.person.text')}</p>
      {username !== null && (
        <Button variant="main" onClick={() => go(sendTo({ username, amount, from }))}>
          {t('found.pay', { name: username })}
        </Button>
      )}
      <Button onClick={() => go(sendTo(payee))}>{t('found.chain')}</Button>
    </section>
  );
}
