import { useEffect, useRef } from 'react';
import { useStore } from '../../../wallet/src/store.ts';
import { Button } from '../../../wallet/src/ui/plain.tsx';
import { help } from '../keys.ts';
import { PLACES } from '../places.ts';
import { t } from '../text/text.ts';

const KEYS: readonly (readonly [keys: string, text: string])[] = [
  ['/', 'key.search'],
  ['j', 'key.down'],
  ['k', 'key.up'],
  ['Enter', 'key.open'],
  ['[', 'key.before'],
  [']', 'key.after'],
  ['Esc', 'key.leave'],
  ['?', 'key.help'],
];

/** `?` opens and closes it. */
export function Shortcuts() {
  const isOpen = useStore(help);
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    if (isOpen) dialog.current?.showModal();
    else dialog.current?.close();
  }, [isOpen]);
  return (
    <dialog ref={dialog} className="shortcuts" aria-labelledby="shortcuts-title" onClose={() => help.set(false)}>
      <h2 id="shortcuts-title">{t('shortcuts')}</h2>
      <dl>
        {KEYS.map(([key, text]) => (
          <Key key={key} keys={[key]} text={t(text)} />
        ))}
        {PLACES.map(({ key, label }) => (
          <Key key={key} keys={['g', key]} text={t(label)} />
        ))}
      </dl>
      <Button onClick={() => help.set(false)}>{t('close')}</Button>
    </dialog>
  );
}

const Key = ({ keys, text }: { readonly keys: readonly string[]; readonly text: string }) => (
  <div>
    <dt>
      {keys.map((key) => (
        <kbd key={key}>{key}</kbd>
      ))}
    </dt>
    <dd>{text}</dd>
  </div>
);
