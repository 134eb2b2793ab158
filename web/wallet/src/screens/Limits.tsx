import type { BackendTypes } from '@florin/client';
import { toMicros } from '@florin/client';
import { facts } from '../facts.ts';
import { showAmount } from '../money/amounts.ts';
import { useMe } from '../reads.ts';
import { useTitle } from '../router.tsx';
import { showTime, t } from '../text/text.ts';
import { Bones, Fault, Screen } from '../ui/parts.tsx';

type Schemas = BackendTypes['schemas'];
type Limit = Schemas['Limit'];

/** The limits after a check; undefined if they are not higher than now. */
function findRaised({ limits, raised_to: raised }: Schemas['Me']['limits']) {
  const maximumOf = (name: string) => limits.find(({ limit }) => limit === name)?.maximum;
  const isMore = raised && (raised.payment !== maximumOf('payment') || raised.day !== maximumOf('day'));
  return isMore ? raised : undefined;
}

export default function Limits() {
  const title = t('limits');
  useTitle(title);
  const { data: me, error } = useMe();
  const raised = me && findRaised(me.limits);
  return (
    <Screen title={title}>
      <p className="lead">{t('limits.text')}</p>
      {!me && (error === undefined ? <Bones count={4} /> : <Fault error={error} />)}
      {me && (
        <>
          {!me.limits.can_pay && me.limits.paused === null && <p className="banner">{t('limits.cannot')}</p>}
          <ul className="limits">
            {me.limits.limits.map((limit) => (
              <li key={limit.limit} className="card">
                <Bar limit={limit} />
              </li>
            ))}
          </ul>
          {raised && facts.kyc && (
            <div className="card">
              <b>{t('limits.more')}</b>
              <p className="hint">
                {t('limits.more.text', {
                  payment: raised.payment ? showAmount(raised.payment) : '∞',
                  day: raised.day ? showAmount(raised.day) : '∞',
                })}
              </p>
              <a className="button main" href="/verify">
                {t('fault.verify')}
              </a>
            </div>
          )}
          {!raised && <p className="hint">{t('limits.operator')}</p>}
        </>
      )}
    </Screen>
  );
}

const show = (limit: Limit, amount: string): string => (limit.unit === 'USDC' ? `${showAmount(amount)} USDC` : amount);

/** The used share, in whole percent: only for the length of a bar. */
function usedPercent({ maximum, left }: Limit): number {
  if (maximum === null || left === null || toMicros(maximum) === 0n) return 0;
  return 100 - Math.min(100, Math.max(0, parseInt(String((toMicros(left) * 100n) / toMicros(maximum)), 10)));
}

function Bar({ limit }: { readonly limit: Limit }) {
  const used = usedPercent(limit);
  return (
    <>
      <div className="limit-head">
        <b>{t(`limit.${limit.limit}`)}</b>
        <span>{limit.maximum === null ? t('limit.none') : show(limit, limit.maximum)}</span>
      </div>
      {limit.maximum !== null && limit.left !== null && limit.limit !== 'payment' && (
        <>
          <div className="meter" aria-hidden="true">
            <i style={{ inlineSize: `${used}%` }} />
          </div>
          <p className="hint">
            {t('limit.left', { amount: show(limit, limit.left) })}
            {limit.resets_at && ` ${t('limit.resets', { time: showTime(limit.resets_at) })}`}
          </p>
        </>
      )}
      {limit.limit === 'payment' && <p className="hint">{t('limit.payment.text')}</p>}
    </>
  );
}
