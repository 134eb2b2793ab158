import type { BackendTypes } from '@florin/client';
import { useState } from 'react';
import { useKeys } from '../../reads.ts';
import { refresh } from '../../resource.ts';
import { Link, useTitle } from '../../router.tsx';
import { florin } from '../../session.ts';
import { showTime, t } from '../../text/text.ts';
import { Icon } from '../../ui/Icon.tsx';
import { Bones, Button, Empty, Fault, Screen, Usdc } from '../../ui/parts.tsx';

type Key = BackendTypes['schemas']['AccountKey'];

/** The keys of the person's own programs. */
export default function Keys() {
  const title = t('keys');
  useTitle(title);
  const { data, error: unread } = useKeys();
  const [busy, setBusy] = useState<string>();
  const [error, setError] = useState<unknown>();

  const revoke = async (keyId: string) => {
    setBusy(keyId);
    setError(undefined);
    await florin.keys.revoke(keyId).catch(setError);
    setBusy(undefined);
    refresh('keys');
  };

  return (
    <Screen title={title}>
      <p className="lead">{t('keys.text')}</p>
      {!data && (unread === undefined ? <Bones count={2} /> : <Fault error={unread} />)}
      {data?.length === 0 && (
        <Empty icon="key" title={t('keys.none')}>
          {t('keys.none.text')}
        </Empty>
      )}
      {data && data.length > 0 && (
        <ul className="menu">
          {data.map((one) => (
            <li key={one.key_id} className="menu-row">
              <Icon name="key" />
              <span className="payment-who">
                <b>{one.name}</b>
                <Described one={one} />
              </span>
              <Button
                variant="grave"
                busy={busy === one.key_id}
                onClick={() => void revoke(one.key_id)}
                label={t('key.revokeThat', { name: one.name })}
              >
                {t('key.revoke')}
              </Button>
            </li>
          ))}
        </ul>
      )}
      {error !== undefined && <Fault error={error} />}
      <Link to="/settings/newkey" className="button main">
        {t('keys.new')}
      </Link>
    </Screen>
  );
}

function Described({ one }: { readonly one: Key }) {
  const { day } = one.limits;
  return (
    <>
      <small>{one.scopes.map((scope) => t(`key.scope.${scope}`)).join(', ')}</small>
      {day !== null && (
        <small>
          {t('key.perDay')} <Usdc amount={day} />
        </small>
      )}
      {one.addresses && <small>{t('key.from', { addresses: one.addresses.join(', ') })}</small>}
      <small>
        {one.state === 'expired' ? (
          <span className="wrong">{t('key.expired')}</span>
        ) : one.last_used_at ? (
          t('session.used', { time: showTime(one.last_used_at) })
        ) : (
          t('key.unused')
        )}
        {one.expires_at && one.state === 'active' && `, ${t('key.until', { time: showTime(one.expires_at) })}`}
      </small>
    </>
  );
}
