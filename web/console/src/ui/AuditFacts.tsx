import type { Audit } from '../contract/service.ts';
import { showSpan, t } from '../text/text.ts';
import { Fact, Facts } from './page.tsx';
import { count, Tag, Time } from './show.tsx';

/** How old the ledger's audit is, and whether it found anything. */
export const AuditFacts = ({ audit }: { readonly audit: Audit }) => (
  <Facts>
    <Fact label={t('audit.result')}>
      {audit.compared_at === null ? (
        <Tag tone="wait">{t('audit.never')}</Tag>
      ) : audit.faults === 0 ? (
        <Tag tone="good">{t('audit.clean')}</Tag>
      ) : (
        <Tag tone="bad">{t('audit.faults', { count: count(audit.faults) })}</Tag>
      )}
    </Fact>
    <Fact label={t('audit.compared')}>{audit.compared_at !== null && <Time at={audit.compared_at} since />}</Fact>
    <Fact label={t('audit.cycle')}>{audit.cycle_ended_at !== null && <Time at={audit.cycle_ended_at} since />}</Fact>
    <Fact label={t('audit.took')}>{audit.cycle_seconds !== null && showSpan(audit.cycle_seconds * 1000)}</Fact>
    <Fact label={t('audit.movements')}>{audit.movements !== null && count(Number(audit.movements))}</Fact>
  </Facts>
);
