import type { Networks as Shown } from '../contract/service.ts';
import { OFTEN_MS, useRead } from '../reads.ts';
import { t } from '../text/text.ts';
import { NetworkTable, NodeTable, RelayerTable } from '../ui/NetworkTables.tsx';
import { Nothing, Page, Panel, Reading } from '../ui/page.tsx';

/** The blockchains, the nodes that read them, and the relayers that pay for gas. */
export default function Networks() {
  const read = useRead<Shown>('/api/networks', OFTEN_MS);
  return (
    <Page title={t('nav.networks')}>
      <Reading read={read}>
        {({ networks, relayers }) => (
          <>
            <Panel title={t('networks')}>
              <NetworkTable networks={networks} />
            </Panel>
            <Panel title={t('nodes')}>
              {networks.every(({ nodes }) => nodes.length === 0) ? (
                <Nothing title={t('nodes.none')} />
              ) : (
                <NodeTable networks={networks} />
              )}
            </Panel>
            <Panel title={t('relayers')} note={t('relayers.text')}>
              {relayers.length === 0 ? (
                <p className="hint">{t('relayers.none')}</p>
              ) : (
                <RelayerTable relayers={relayers} />
              )}
            </Panel>
          </>
        )}
      </Reading>
    </Page>
  );
}
