import type { ComponentChildren } from 'preact';
import { useState } from 'react';
import { findAmount, parsePasted, showAmount } from '../money/amounts.ts';
import { currency, findPrice, type Price, showWorth, toCents, toUsdc, writeCents } from '../money/currency.ts';
import { notify } from '../notices.ts';
import { useOverview } from '../reads.ts';
import { useStore } from '../store.ts';
import { t } from '../text/text.ts';
import { Typed } from './Keypad.tsx';
import { Button } from './parts.tsx';

interface Entered {
  readonly typed: string;
  /** The currency that is typed; undefined: USDC. */
  readonly unit: string | undefined;
}

interface Amount {
  /** In USDC; undefined if it is not an amount above zero, or while its value in USDC is unknown. */
  readonly amount: string | undefined;
  readonly onType: (change: (typed: string) => string) => void;
  readonly onPaste: (text: string) => void;
  readonly shown: ComponentChildren;
}

/** An amount that a person types in USDC or in their currency, pastes, or takes from their whole balance. */
export function useAmount(initial: string, options: { readonly all?: string | undefined } = {}): Amount {
  const [{ typed, unit }, set] = useState<Entered>({ typed: initial, unit: undefined });
  const { data } = useOverview();
  useStore(currency);
  const price = findPrice(data?.rates);
  const isUsable = price && !price.isStale;
  const amount =
    unit === undefined ? findAmount(typed) : isUsable && unit === price.currency ? toUsdc(typed, price) : undefined;

  const turn = () =>
    set(
      unit === undefined
        ? { typed: amount && price ? writeCents(toCents(amount, price)) : '', unit: price?.currency }
        : { typed: amount ?? '', unit: undefined },
    );
  const onPaste = (text: string) => {
    const pasted = parsePasted(text);
    if (pasted === undefined) notify(t('paste.none'));
    else set((now) => ({ ...now, typed: now.unit === undefined ? pasted : cut(pasted) }));
  };
  const paste = () => navigator.clipboard.readText().then(onPaste, () => notify(t('paste.failed')));

  return {
    amount,
    onPaste,
    onType: (change) =>
      set((now) => ({ ...now, typed: now.unit === undefined ? change(now.typed) : cut(change(now.typed)) })),
    shown: (
      <>
        <Typed typed={typed} unit={unit} />
        <div className="tools">
          {options.all !== undefined && (
            <Button
              label={t('max.all', { amount: showAmount(options.all) })}
              onClick={() => set({ typed: options.all!, unit: undefined })}
            >
              {t('max')}
            </Button>
          )}
          {(isUsable || unit !== undefined) && <Turn amount={amount} unit={unit} price={price} onTurn={turn} />}
          {'clipboard' in navigator && <Button onClick={() => void paste()}>{t('paste')}</Button>}
        </div>
      </>
    ),
  };
}

interface TurnProps {
  readonly amount: string | undefined;
  readonly unit: string | undefined;
  readonly price: Price | undefined;
  readonly onTurn: () => void;
}

/** Shows the amount in the other unit, and changes to it. */
function Turn({ amount = '0', unit, price, onTurn }: TurnProps) {
  const isOwn = unit === undefined && price !== undefined;
  const shown = isOwn ? `≈ ${showWorth(amount, price)}` : `= ${showAmount(amount)} USDC`;
  const how = isOwn ? t('currency.own', { currency: price.currency }) : t('currency.usdc');
  return (
    <Button label={`${shown}. ${how}`} onClick={onTurn}>
      {shown}
    </Button>
  );
}

/** Money of a country has two decimals. */
const cut = (typed: string): string => typed.replace(/(\.\d\d)\d+$/, '$1');
