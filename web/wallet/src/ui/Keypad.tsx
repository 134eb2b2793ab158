import { useLayoutEffect, useRef } from 'react';
import { showPoint, showTyped, sizeOf, typeKey } from '../money/amounts.ts';
import { t } from '../text/text.ts';
import { Icon } from './Icon.tsx';

interface KeypadProps {
  /** Receives the previous text and returns the new one, so that no key is lost between two renders. */
  readonly onType: (change: (typed: string) => string) => void;
  readonly onEnter: () => void;
  /** Receives text from the clipboard, wherever on the screen it was pasted. */
  readonly onPaste: (text: string) => void;
}

const KEYS = ['1', '2', '3', '4', '5', '6', '7', '8', '9', '.', '0', 'Backspace'];

export const Typed = ({ typed, unit = 'USDC' }: { readonly typed: string; readonly unit?: string | undefined }) => {
  const shown = showTyped(typed);
  return (
    <output
      className={`typed ${sizeOf(shown)} ${typed === '' ? 'none' : ''}`}
      aria-live="polite"
      aria-label={t('amount')}
    >
      {shown} <small>{unit}</small>
    </output>
  );
};

export function Keypad({ onType, onEnter, onPaste }: KeypadProps) {
  const latest = useRef({ onType, onEnter, onPaste });
  latest.current = { onType, onEnter, onPaste };
  // Immediately: the first key may come before the screen is drawn.
  useLayoutEffect(() => {
    const press = (event: KeyboardEvent) => {
      const { target, key } = event;
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (target instanceof HTMLInputElement || target instanceof HTMLSelectElement) return;
      const isOnControl = target instanceof HTMLButtonElement || target instanceof HTMLAnchorElement;
      if (key === 'Enter' && !isOnControl) latest.current.onEnter();
      else if (KEYS.includes(key) || key === ',') {
        event.preventDefault();
        latest.current.onType((typed) => typeKey(typed, key));
      }
    };
    const paste = ({ target, clipboardData }: ClipboardEvent) => {
      if (!(target instanceof HTMLInputElement)) latest.current.onPaste(clipboardData?.getData('text') ?? '');
    };
    addEventListener('keydown', press);
    addEventListener('paste', paste);
    return () => {
      removeEventListener('keydown', press);
      removeEventListener('paste', paste);
    };
  }, []);
  return (
    <fieldset className="keypad" aria-label={t('keypad')}>
      {KEYS.map((key) => (
        <button
          type="button"
          key={key}
          aria-label={key === 'Backspace' ? t('erase') : key === '.' ? t('point') : undefined}
          onClick={() => onType((typed) => typeKey(typed, key))}
        >
          {key === 'Backspace' ? <Icon name="erase" /> : key === '.' ? showPoint() : key}
        </button>
      ))}
    </fieldset>
  );
}
