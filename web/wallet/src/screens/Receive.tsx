import { type BackendTypes, toMicros } from '@florin/client';
import { lazy, Suspense, useState } from 'react';
import { copy, share } from '../device.ts';
import { facts } from '../facts.ts';
import { writeEip681 } from '../money/addresses.ts';
import { findAmount } from '../money/amounts.ts';
import { useMe } from '../reads.ts';
import { Link, useTitle } from '../router.tsx';
import { t } from '../text/text.ts';
import { Bone, Button, Choice, Empty, Field, Screen } from '../ui/parts.tsx';

const QrCode = lazy(() => import('../ui/QrCode.tsx'));
type Schemas = BackendTypes['schemas'];

export default function Receive({
  user,
  wallet,
}: {
  readonly user: Schemas['User'];
  readonly wallet: Schemas['Wallet'];
}) {
  const title = t('receive');
  useTitle(title);
  const { data: me } = useMe();
  const [blockchain, setBlockchain] = useState(facts.home_blockchain);
  const [chosen, setKind] = useState<'plain' | 'link'>('plain');
  const [typed, setTyped] = useState('');
  // A server of the previous release does not send them.
  const others = me?.other_addresses ?? [];
  const names = [...new Set([...facts.blockchains, ...others].map((one) => one.blockchain))];
  const choice = names.length > 1 && (
    <div className="field">
      <label htmlFor="network">{t('network')}</label>
      <select
        id="network"
        value={blockchain}
        aria-describedby={others.length > 0 ? 'network-hint' : undefined}
        onChange={(event) => setBlockchain(event.currentTarget.value)}
      >
        {names.map((name) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </select>
      {others.length > 0 && (
        <p className="hint" id="network-hint">
          {t('receive.networks')}
        </p>
      )}
    </div>
  );
  const other = others.find((one) => one.blockchain === blockchain);
  const address = other?.address ?? me?.wallet.address ?? wallet.address;
  const network = facts.blockchains.find((one) => one.blockchain === blockchain);
  if (address === null || (!network && !other)) {
    return (
      <Screen title={title}>
        <Empty icon="clock" title={t('receive.pending')}>
          <p>{t('receive.pending.text', { name: user.username ?? '' })}</p>
        </Empty>
        {others.length > 0 && choice}
      </Screen>
    );
  }
  // EIP-681 links are for networks with 0x addresses, which are those listed in the page.
  const kind = network ? chosen : 'plain';
  const amount = findAmount(typed);
  const text =
    network && kind === 'link'
      ? writeEip681({
          token: network.usdc_address,
          chainId: network.chain_id,
          address,
          ...(amount !== undefined && { micros: toMicros(amount) }),
        })
      : address;
  return (
    <Screen title={title}>
      <p className="lead">{t('receive.name', { name: user.username ?? '' })}</p>
      {/* A person with several addresses chooses the network before they copy one. */}
      {others.length > 0 && choice}
      <div className="card receive">
        <Suspense fallback={<Bone kind="square" />}>
          <QrCode text={text} label={t(kind === 'plain' ? 'receive.qr' : 'receive.qrLink')} />
        </Suspense>
        {network && (
          <Choice
            id="kind"
            label={t('receive.kind')}
            options={{ plain: t('receive.plain'), link: t('receive.link') }}
            chosen={kind}
            onChoose={setKind}
          />
        )}
        {kind === 'link' && (
          <Field
            id="receive-amount"
            label={t('receive.amount')}
            inputMode="decimal"
            value={typed}
            placeholder="0.00"
            onInput={(event) => setTyped(event.currentTarget.value.replace(',', '.'))}
            fault={typed !== '' && amount === undefined ? t('amount.wrong') : undefined}
          />
        )}
        <code className="whole-address">{address}</code>
        <div className="pair">
          <Button icon="copy" onClick={() => void copy(text)}>
            {t(kind === 'plain' ? 'copyAddress' : 'copyLink')}
          </Button>
          <Button icon="share" onClick={() => void share(t('receive.share', { name: user.username ?? '' }), text)}>
            {t('share')}
          </Button>
        </div>
      </div>
      {others.length === 0 && choice}
      <p className="banner">{t('receive.warning', { blockchain })}</p>
      {!network && <p className="hint">{t('receive.apart', { blockchain })}</p>}
      <Link className="button soft" to="/ask">
        {t('receive.ask')}
      </Link>
    </Screen>
  );
}
