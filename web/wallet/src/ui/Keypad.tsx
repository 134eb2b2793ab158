import { useEffect } from 'react';
import { showTyped, typeKey } from '../money/amounts.ts';
import { t } from '../text/text.ts';
import { Icon } from './Icon.tsx';

interface KeypadProps {
  readonly typed: string;
  readonly onType: (typed: string) => void;
  readonly onEnter: () => void;
}

const KEYS = ['1', '2', '3', '4', '5', '6', '7', '8', '9', '.', '0', 'Backspace'];

/** The amount, as large as it fits. */
export const Typed = ({ typed }: { readonly typed: string }) => {
  const shown = showTyped(typed);
  const size = shown.length > 12 ? 'tiny' : shown.length > 8 ? 'small' : '';
  return (
    <output className={`typed ${size} ${typed === '' ? 'none' : ''}`} aria-live="polite" aria-label={t('amount')}>
      {shown} <small>USDC</small>
    </output>
  );
};

export function Keypad({ typed, onType, onEnter }: KeypadProps) {
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const inField = event.target instanceof HTMLInputElement || event.target instanceof HTMLSelectElement;
      if (inField) return;
      if (event.key === 'Enter' && !(event.target instanceof HTMLButtonElement || event.target instanceof HTMLAnchorElement)) {
        onEnter();
        return;
      }
      const next = typeKey(typed, event.key);
      if (next === typed) return;
      event.preventDefault();
      onType(next);
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, [typed, onType, onEnter]);
  return (
    <div className="keypad" role="group" aria-label={t('keypad')}>
      {KEYS.map((key) => (
        <button
          type="button"
          key={key}
          aria-label={key === 'Backspace' ? t('erase') : key === '.' ? t('point') : undefined}
          onClick={() => onType(typeKey(typed, key))}
        >
          {key === 'Backspace' ? <Icon name="erase" /> : key}
        </button>
      ))}
    </div>
  );
}
