import { type BackendTypes, FlorinError, toMicros } from '@florin/client';
import { useCallback, useEffect, useRef, useState } from 'react';
import { facts } from '../facts.ts';
import { shorten } from '../money/addresses.ts';
import { findAmount, showAmount, sizeOf } from '../money/amounts.ts';
import { pay } from '../money/intents.ts';
import { findNote } from '../money/notes.ts';
import { useOverview } from '../reads.ts';
import { go, isFromLink, Link, type Route, rememberTyped, useTitle } from '../router.tsx';
import { florin } from '../session.ts';
import { t } from '../text/text.ts';
import { Icon } from '../ui/Icon.tsx';
import { Keypad } from '../ui/Keypad.tsx';
import { NoteField } from '../ui/NoteField.tsx';
import { Avatar, Button, Fault, Screen } from '../ui/parts.tsx';
import { useAmount } from '../ui/useAmount.tsx';
import { isSamePreview, PreviewFacts } from './PreviewFacts.tsx';

type Preview = BackendTypes['schemas']['Preview'];

/** Asks for the amount, then shows the preview, then asks for confirmation. */
export default function SendAmount({ query }: { readonly query: Route['query'] }) {
  const username = query.get('username') ?? undefined;
  const address = query.get('address') ?? '';
  const [blockchain, setBlockchain] = useState(query.get('blockchain') ?? facts.home_blockchain);
  const [note, setNote] = useState(findNote(query.get('note') ?? '') ?? '');
  const [given] = useState(() => findAmount(query.get('amount') ?? ''));
  const [isGiven] = useState(() => (given !== undefined || query.has('note')) && isFromLink(query));
  const [preview, setPreview] = useState<Preview>();
  const [hasChanged, setChanged] = useState(false);
  const [error, setError] = useState<unknown>();
  const [busy, setBusy] = useState(false);
  // Takes effect immediately, unlike state: two clicks before the next render are one payment.
  const isPaying = useRef(false);
  const { data: overview } = useOverview();
  const to = username !== undefined ? { username } : { address, blockchain };
  const name = username === undefined ? shorten(address) : `@${username}`;
  const title = t(preview ? 'review' : 'send.amount', { name });
  useTitle(title);
  const balance = overview?.balances.find((one) => one.blockchain === blockchain)?.available;
  const hasMoney = balance !== undefined && toMicros(balance) > 0n;
  const entered = useAmount(findAmount(query.get('amount') ?? '') ?? '', { all: hasMoney ? balance : undefined });
  const { amount } = entered;
  const isTooMuch = amount !== undefined && balance !== undefined && toMicros(amount) > toMicros(balance);

  // The screens after the confirmation, so that they need no request.
  useEffect(() => {
    void import('./Sending.tsx');
    void import('./Payment.tsx');
  }, []);

  const ask = (asked: string) =>
    florin.preview({
      amount: asked,
      ...(username !== undefined ? { receiver_username: username } : { destination_address: address, blockchain }),
    });

  const review = useCallback(async () => {
    if (amount === undefined || busy) return;
    setBusy(true);
    setError(undefined);
    if (amount !== given) rememberTyped('amount', amount);
    try {
      setPreview(await ask(amount));
      setChanged(false);
    } catch (caught) {
      setError(caught);
    }
    setBusy(false);
  }, [amount, busy, blockchain]);

  /** The preview must still be true at the confirmation; otherwise it is shown and confirmed again. */
  const confirm = async () => {
    if (isPaying.current) return;
    isPaying.current = true;
    setBusy(true);
    setError(undefined);
    try {
      const now = await ask(preview!.amount);
      if (!isSamePreview(preview!, now)) {
        setPreview(now);
        setChanged(true);
        setBusy(false);
        isPaying.current = false;
        return;
      }
      const paid = 'username' in now.to && now.to.username ? { username: now.to.username } : to;
      go(`/sending/${pay(paid, now.amount, findNote(note))}`, { replace: true });
    } catch (caught) {
      setError(caught);
      setBusy(false);
      isPaying.current = false;
    }
  };

  if (preview) {
    return (
      <Screen title={title}>
        <PreviewFacts preview={preview} />
        {isGiven && <Given />}
        <NoteField note={note} onChange={setNote} />
        {hasChanged && (
          <p className="banner" role="alert">
            <Icon name="warn" size={20} />
            {t('review.changed')}
          </p>
        )}
        {error !== undefined && <Fault error={error} />}
        <div className={`pair foot ${sizeOf(showAmount(preview.amount))}`}>
          <Button onClick={() => setPreview(undefined)}>{t('change')}</Button>
          <Button variant="main" busy={busy} onClick={() => void confirm()}>
            {t('pay', { amount: showAmount(preview.amount) })}
          </Button>
        </div>
      </Screen>
    );
  }
  return (
    <Screen title={title}>
      <div className="amount">
        <Avatar name={username ?? address} large />
        {entered.shown}
        <p className={isTooMuch ? 'wrong' : 'hint'}>
          {balance === undefined ? ' ' : t(isTooMuch ? 'tooMuch' : 'available', { amount: showAmount(balance) })}
        </p>
      </div>
      {isTooMuch && hasMoney && (
        <Link className="button soft" to="/receive">
          {t('start.receive')}
        </Link>
      )}
      {isGiven && <Given />}
      {username === undefined && facts.blockchains.length > 1 && (
        <div className="field network">
          <label htmlFor="network">{t('network')}</label>
          <select id="network" value={blockchain} onChange={(event) => setBlockchain(event.currentTarget.value)}>
            {facts.blockchains.map((one) => (
              <option key={one.blockchain} value={one.blockchain}>
                {one.blockchain}
              </option>
            ))}
          </select>
        </div>
      )}
      {username === undefined && <code className="whole-address">{address}</code>}
      {error !== undefined && <Fault error={error} />}
      {error instanceof FlorinError && error.code === 'username.unknown' && (
        <Button onClick={() => go('/send', { replace: true })}>{t('send.other')}</Button>
      )}
      <Keypad onType={entered.onType} onPaste={entered.onPaste} onEnter={() => void review()} />
      <div className="foot">
        {balance !== undefined && !hasMoney ? (
          <Link className="button main" to="/receive">
            {t('start.receive')}
          </Link>
        ) : (
          <Button variant="main" disabled={amount === undefined || isTooMuch} busy={busy} onClick={() => void review()}>
            {t('review.next')}
          </Button>
        )}
      </div>
    </Screen>
  );
}

/** Anyone can write a link, so the person checks what they did not type. */
const Given = () => (
  <p className="banner">
    <Icon name="link" size={20} />
    {t('link.given')}
  </p>
);
