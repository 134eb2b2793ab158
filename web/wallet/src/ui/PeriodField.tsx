import { useState } from 'react';
import { makePeriod, nameOfPeriod, PERIODS, type Period, type PeriodName } from '../money/periods.ts';
import { t } from '../text/text.ts';
import { Field } from './parts.tsx';

/** A choice of usual periods, and two days for any other. */
export function PeriodField({
  period,
  onChange,
}: {
  readonly period: Period;
  readonly onChange: (next: Period) => void;
}) {
  const named = nameOfPeriod(period);
  const [isOpen, setOpen] = useState(named === undefined);
  const choose = (name: PeriodName | 'days') => {
    setOpen(name === 'days');
    if (name !== 'days') onChange(makePeriod(name));
  };
  return (
    <>
      <div className="field">
        <label htmlFor="period">{t('period')}</label>
        <select
          id="period"
          value={isOpen ? 'days' : (named ?? 'days')}
          onChange={(event) => choose(event.currentTarget.value as PeriodName | 'days')}
        >
          {[...PERIODS, 'days'].map((name) => (
            <option key={name} value={name}>
              {t(`period.${name}`)}
            </option>
          ))}
        </select>
      </div>
      {isOpen && (
        <div className="days">
          {(['from', 'to'] as const).map((side) => (
            <Field
              key={side}
              id={`period-${side}`}
              type="date"
              label={t(`period.${side}`)}
              value={period[side]}
              min={side === 'to' ? period.from : undefined}
              onChange={(event) => onChange({ ...period, [side]: event.currentTarget.value })}
            />
          ))}
        </div>
      )}
    </>
  );
}
