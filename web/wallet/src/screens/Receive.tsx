import { type BackendTypes, toMicros } from '@florin/client';
import { lazy, Suspense, useState } from 'react';
import { copy, share } from '../device.ts';
import { facts } from '../facts.ts';
import { writeEip681 } from '../money/addresses.ts';
import { findAmount } from '../money/amounts.ts';
import { findNote } from '../money/notes.ts';
import { writePayLink } from '../money/payLink.ts';
import { useMe } from '../reads.ts';
import { Link, useTitle } from '../router.tsx';
import { t } from '../text/text.ts';
import { Icon } from '../ui/Icon.tsx';
import { NoteField } from '../ui/NoteField.tsx';
import { Bone, Button, Choice, Empty, Field, Screen } from '../ui/parts.tsx';

const QrCode = lazy(() => import('../ui/QrCode.tsx'));
type Schemas = BackendTypes['schemas'];

interface Own {
  readonly user: Schemas['User'];
  readonly wallet: Schemas['Wallet'];
}

/** First what people here need, then what other wallets need. */
export default function Receive(own: Own) {
  const title = t('receive');
  useTitle(title);
  const [by, setBy] = useState<'name' | 'address'>('name');
  return (
    <Screen title={title}>
      <Choice
        id="by"
        label={t('receive.by')}
        options={{ name: t('receive.byName'), address: t('receive.byAddress') }}
        chosen={by}
        onChoose={setBy}
      />
      {by === 'name' ? <PayMe username={own.user.username ?? ''} /> : <Address {...own} />}
      <Link className="button soft" to="/ask">
        {t('receive.ask')}
      </Link>
    </Screen>
  );
}

/** A link and a code with which anyone can pay this person by name. */
function PayMe({ username }: { readonly username: string }) {
  const { data: me } = useMe();
  const [typed, setTyped] = useState('');
  const [note, setNote] = useState('');
  const amount = findAmount(typed);
  const link = writePayLink(location.origin, { username, amount, note: findNote(note) });
  return (
    <>
      <p className="lead">{t('receive.name', { name: username })}</p>
      <div className="card receive">
        <Suspense fallback={<Bone kind="square" />}>
          <QrCode text={link} label={t('receive.qrPay')} />
        </Suspense>
        <code className="whole-address">{writePayLink(location.host, { username })}</code>
        <Amount typed={typed} onType={setTyped} />
        <NoteField note={note} onChange={setNote} />
        <div className="pair">
          <Button icon="copy" onClick={() => void copy(link)}>
            {t('copyLink')}
          </Button>
          <Button icon="share" onClick={() => void share(t('receive.sharePay', { name: username }), link)}>
            {t('share')}
          </Button>
        </div>
      </div>
      {me && !me.discoverable && (
        <Link className="asked" to="/settings">
          <Icon name="person" />
          <span>{t('receive.hidden')}</span>
          <Icon name="next" size={18} />
        </Link>
      )}
    </>
  );
}

const Amount = ({ typed, onType }: { readonly typed: string; readonly onType: (typed: string) => void }) => (
  <Field
    id="receive-amount"
    label={t('receive.amount')}
    inputMode="decimal"
    value={typed}
    placeholder="0.00"
    onInput={(event) => onType(event.currentTarget.value.replace(',', '.'))}
    fault={typed !== '' && findAmount(typed) === undefined ? t('amount.wrong') : undefined}
  />
);

function Address({ user, wallet }: Own) {
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
      <>
        <Empty icon="clock" title={t('receive.pending')}>
          <p>{t('receive.pending.text', { name: user.username ?? '' })}</p>
        </Empty>
        {others.length > 0 && choice}
      </>
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
    <>
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
        {kind === 'link' && <Amount typed={typed} onType={setTyped} />}
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
    </>
  );
}
