import type { Network, Relayer } from '../contract/service.ts';
import { t } from '../text/text.ts';
import { Code, count, None, Tag, Time, Words } from './show.tsx';
import { Table } from './Table.tsx';

export const NetworkTable = ({ networks }: { readonly networks: readonly Network[] }) => (
  <Table
    label={t('nav.networks')}
    rows={networks}
    keyOf={({ blockchain }) => blockchain}
    columns={[
      { label: t('column.network'), show: (one) => <b>{one.blockchain}</b> },
      { label: t('column.health'), show: (one) => <Health network={one} /> },
      { label: t('column.readBy'), show: (one) => t(`readBy.${one.read_by}`) },
      { label: t('column.block'), isNumber: true, show: (one) => one.block ?? <None /> },
      { label: t('column.moved'), show: (one) => <Time at={one.moved_at} since /> },
    ]}
  />
);

const Health = ({ network: { fault, nodes } }: { readonly network: Network }) =>
  fault !== null ? (
    <>
      <Tag tone="bad">{t('health.bad')}</Tag> <Words text={fault} />
    </>
  ) : nodes.length > 0 ? (
    <Tag tone="wait">{t('health.nodes', { count: count(nodes.length) })}</Tag>
  ) : (
    <Tag tone="good">{t('health.good')}</Tag>
  );

/** Only nodes with faults are known. */
export const NodeTable = ({ networks }: { readonly networks: readonly Network[] }) => (
  <Table
    label={t('nodes')}
    rows={networks.flatMap(({ blockchain, nodes }) => nodes.map((node) => ({ blockchain, ...node })))}
    keyOf={(one) => `${one.blockchain} ${one.host} ${one.kind}`}
    columns={[
      { label: t('column.node'), show: (one) => <bdi>{one.host}</bdi> },
      { label: t('column.network'), show: (one) => <span className="whole">{one.blockchain}</span> },
      { label: t('column.fault'), show: (one) => one.kind },
      { label: t('column.about'), show: (one) => <Words text={one.about} /> },
      { label: t('column.times'), isNumber: true, show: (one) => count(one.times) },
      { label: t('column.since'), show: (one) => <Time at={one.since} since /> },
    ]}
  />
);

export const RelayerTable = ({ relayers }: { readonly relayers: readonly Relayer[] }) => (
  <Table
    label={t('relayers')}
    rows={relayers}
    keyOf={(one) => `${one.blockchain} ${one.address}`}
    columns={[
      { label: t('column.network'), show: (one) => <span className="whole">{one.blockchain}</span> },
      { label: t('column.address'), show: (one) => <Code text={one.address} /> },
      {
        label: t('column.health'),
        show: (one) =>
          one.fault === null ? (
            <Tag tone="good">{t('health.good')}</Tag>
          ) : (
            <>
              <Tag tone="bad">{t('health.bad')}</Tag> <Words text={one.fault} />
            </>
          ),
      },
      { label: t('column.gas'), isNumber: true, show: (one) => showGas(one.gas_wei) },
      {
        label: t('column.runway'),
        isNumber: true,
        show: (one) => (one.payments_left === null ? <None /> : t('runway', { count: count(one.payments_left) })),
      },
    ]}
  />
);

/** Wei as coins of 18 decimals, with six of them. */
function showGas(wei: string): string {
  const digits = wei.padStart(19, '0');
  return `${digits.slice(0, -18)}.${digits.slice(-18, -12)}`;
}
