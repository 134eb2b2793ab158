import { Link } from '../../../wallet/src/router.tsx';
import type { Wallet as Shown } from '../contract/service.ts';
import { SELDOM_MS, useRead } from '../reads.ts';
import { t } from '../text/text.ts';
import { Fact, Facts, Page, Panel, Reading } from '../ui/page.tsx';
import { Code, None, PersonLink, Tag, Time, Usdc, Words } from '../ui/show.tsx';
import { Table } from '../ui/Table.tsx';

/** `id`: an address, a wallet's id, a username or `treasury`. */
export default function Wallet({ id }: { readonly id: string }) {
  const read = useRead<Shown>(`/api/wallets/${encodeURIComponent(id)}`, SELDOM_MS);
  return (
    <Page title={t('wallet')} above={{ to: '/books', label: t('nav.books') }}>
      <Reading read={read}>
        {(wallet) => (
          <>
            <Facts>
              <Fact label={t('column.address')}>
                <Code text={wallet.address} whole />
              </Fact>
              <Fact label={t('wallet.id')}>
                <Code text={wallet.wallet_id} />
              </Fact>
              <Fact label={t('wallet.owner')}>
                {wallet.user_id === null ? (
                  t('owner.treasury')
                ) : (
                  <PersonLink id={wallet.user_id} name={wallet.username} />
                )}
              </Fact>
              <Fact label={t('column.provider')}>{wallet.provider}</Fact>
              <Fact label={t('column.network')}>{wallet.blockchains.join(', ')}</Fact>
              <Fact label={t('column.created')}>
                <Time at={wallet.created_at} />
              </Fact>
              <Fact label={t('wallet.replaced')}>
                {wallet.replaced_at !== null && <Time at={wallet.replaced_at} />}
              </Fact>
            </Facts>
            <Holdings rows={wallet.holdings} />
            {wallet.others.length > 0 && <Others rows={wallet.others} />}
            <p className="links">
              <Link to={`/deposits?address=${wallet.address}`}>{t('wallet.deposits')}</Link>
              <Link to={`/payments?address=${wallet.address}`}>{t('wallet.payments')}</Link>
            </p>
          </>
        )}
      </Reading>
    </Page>
  );
}

const Holdings = ({ rows }: { readonly rows: Shown['holdings'] }) => (
  <Panel title={t('holdings')}>
    {rows.length === 0 ? (
      <p className="hint">{t('holdings.none')}</p>
    ) : (
      <Table
        label={t('holdings')}
        rows={rows}
        keyOf={(one) => one.blockchain}
        columns={[
          { label: t('column.network'), show: (one) => <span className="whole">{one.blockchain}</span> },
          { label: t('column.coins'), isNumber: true, show: (one) => <Usdc amount={one.coins} /> },
          { label: t('column.reserved'), isNumber: true, show: (one) => <Usdc amount={one.reserved} /> },
          { label: t('column.state'), show: (one) => <HoldingState holding={one} /> },
        ]}
      />
    )}
  </Panel>
);

function HoldingState({ holding }: { readonly holding: Shown['holdings'][number] }) {
  const { blacklisted_at: blacklistedAt, refusal, refused_until: refusedUntil, is_being_read_again: isRead } = holding;
  if (blacklistedAt !== null) {
    return (
      <>
        <Tag tone="bad">{t('wallet.blacklisted')}</Tag> <Time at={blacklistedAt} />
      </>
    );
  }
  if (refusal !== null) {
    return (
      <>
        <Tag tone="wait">{t('wallet.refused')}</Tag> <Words text={refusal} /> <Time at={refusedUntil} />
      </>
    );
  }
  return isRead ? <Tag tone="wait">{t('wallet.readAgain')}</Tag> : <None />;
}

const Others = ({ rows }: { readonly rows: Shown['others'] }) => (
  <Panel title={t('wallet.others')}>
    <Table
      label={t('wallet.others')}
      rows={rows}
      keyOf={(one) => `${one.blockchain} ${one.wallet_id}`}
      columns={[
        { label: t('column.network'), show: (one) => <span className="whole">{one.blockchain}</span> },
        { label: t('column.address'), show: (one) => <Code text={one.address} to={`/wallets/${one.wallet_id}`} /> },
      ]}
    />
  </Panel>
);
