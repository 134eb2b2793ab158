import type { BackendTypes } from '@florin/client';
import { isAddress } from '../money/addresses.ts';
import { showAmount, sizeOf } from '../money/amounts.ts';
import { showParty } from '../money/describePayment.ts';
import { showSpan, t } from '../text/text.ts';
import { Icon } from '../ui/Icon.tsx';
import { Avatar, Row, Usdc } from '../ui/parts.tsx';

type Preview = BackendTypes['schemas']['Preview'];

/** Exactly what a person sees before they confirm; two previews that show the same are equal. */
function listShown(preview: Preview) {
  const { to, amount, fee, available_after, approvals_needed, first_time, blockchain, kind } = preview;
  const name = 'username' in to ? (to.username ?? '') : 'address' in to ? (to.address ?? '') : '';
  const day = preview.limits_after.find(({ limit }) => limit === 'day');
  const waitMs = preview.not_before === null ? 0 : Date.parse(preview.not_before) - Date.now();
  return {
    name,
    redirected: 'redirected_from' in to ? to.redirected_from : undefined,
    amount,
    fee,
    blockchain: kind === 'chain' ? blockchain : undefined,
    after: available_after,
    left: day?.left ?? undefined,
    approvals: approvals_needed,
    isFirst: first_time,
    wait: waitMs > 0 ? showSpan(waitMs) : undefined,
  };
}

export const isSamePreview = (one: Preview, other: Preview): boolean =>
  JSON.stringify(listShown(one)) === JSON.stringify(listShown(other));

export function PreviewFacts({ preview }: { readonly preview: Preview }) {
  const shown = listShown(preview);
  const isElsewhere = isAddress(shown.name);
  return (
    <>
      <div className="amount">
        <Avatar name={shown.name} large />
        <p className={`typed ${sizeOf(showAmount(shown.amount))}`}>
          {showAmount(shown.amount)} <small>USDC</small>
        </p>
        <p className="hint">{t('review.to', { name: showParty(shown.name) })}</p>
      </div>
      {shown.redirected && <p className="banner">{t('review.renamed', { old: shown.redirected, name: shown.name })}</p>}
      {shown.isFirst && (
        <p className="banner">
          <Icon name="warn" size={20} />
          {t(isElsewhere ? 'review.firstAddress' : 'review.first', { name: showParty(shown.name) })}
        </p>
      )}
      {shown.approvals > 0 && <p className="banner">{t('review.approvals', { count: String(shown.approvals) })}</p>}
      {shown.wait && <p className="banner">{t('review.waits', { span: shown.wait })}</p>}
      <dl className="facts">
        {isElsewhere && (
          <Row label={t('address')}>
            <code>{shown.name}</code>
          </Row>
        )}
        {shown.blockchain && <Row label={t('network')}>{shown.blockchain}</Row>}
        <Row label={t('arrives')}>{t(isElsewhere ? 'arrives.chain' : 'arrives.now')}</Row>
        <Row label={t('fee')}>{shown.fee === '0' ? t('fee.none') : <Usdc amount={shown.fee} />}</Row>
        <Row label={t('after')}>
          <Usdc amount={shown.after} />
        </Row>
        {shown.left !== undefined && (
          <Row label={t('leftToday')}>
            <Usdc amount={shown.left} />
          </Row>
        )}
      </dl>
    </>
  );
}
