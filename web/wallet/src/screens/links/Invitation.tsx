/** What a link shows to a person who is not logged in: who asks, and for a request also how much and what for. */
import type { BackendTypes } from '@florin/client';
import { useEffect, useState } from 'react';
import { facts } from '../../facts.ts';
import { showAmount } from '../../money/amounts.ts';
import { readPayLink } from '../../money/payLink.ts';
import { florin } from '../../session.ts';
import { t } from '../../text/text.ts';
import { Avatar, Bone } from '../../ui/parts.tsx';

type PublicRequest = BackendTypes['schemas']['PublicRequest'];
type Found = { readonly username: string } | { readonly request: PublicRequest } | 'nothing';

/** A person waits in front of the page, which works without this. */
const ONCE = { retry: { attempts: 1 }, timeoutMs: 8_000 };

/**
 * Amount and note of a link to pay someone are not read here: anyone can write them, and this page would show the words
 * of a stranger under the name of this service.
 */
async function find(path: string): Promise<Found> {
  const [, kind, rest = ''] = path.split('/');
  if (kind === 'requests') return { request: await florin.requests.getPublic(rest, ONCE) };
  const link = readPayLink(rest, new URLSearchParams());
  return link ? florin.findPublicName(link.username, ONCE) : 'nothing';
}

export default function Invitation({ path }: { readonly path: string }) {
  const [found, setFound] = useState<Found>();
  useEffect(() => {
    let isShown = true;
    // Whatever the reason: after the login, the same link says more.
    find(path)
      .catch(() => 'nothing' as const)
      .then((one) => isShown && setFound(one));
    return () => {
      isShown = false;
    };
  }, [path]);
  const isRequest = path.startsWith('/requests/');
  if (!found) return <Bone kind="tall w7" />;
  if (found === 'nothing') {
    return (
      <>
        <h1 tabIndex={-1}>{t(isRequest ? 'invited.request' : 'invited.pay')}</h1>
        <p>{t(isRequest ? 'invited.request.text' : 'invited.pay.text')}</p>
      </>
    );
  }
  if ('username' in found) {
    return (
      <>
        <Avatar name={found.username} large />
        <h1 tabIndex={-1}>{t('invited.person', { name: found.username })}</h1>
        <p>{t('invited.person.text', { service: facts.name })}</p>
      </>
    );
  }
  return <Asked request={found.request} />;
}

function Asked({ request: { state, asker_username: asker, amount, note } }: { readonly request: PublicRequest }) {
  const isOpen = state === 'open';
  return (
    <>
      <Avatar name={asker ?? ''} large />
      <h1 tabIndex={-1}>
        {asker === null
          ? t('invited.asked', { amount: showAmount(amount) })
          : t('invited.asks', { name: asker, amount: showAmount(amount) })}
      </h1>
      {note && (
        <p className="quote" dir="auto">
          {note}
        </p>
      )}
      <p className={isOpen ? undefined : 'state bad'}>{isOpen ? t('invited.asks.text') : t(`request.${state}`)}</p>
    </>
  );
}
