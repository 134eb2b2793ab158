/** Keyboard shortcuts. None works while somebody types. */
import { go } from '../../wallet/src/router.tsx';
import { createStore } from '../../wallet/src/store.ts';
import { PLACES } from './places.ts';

/** Whether the list of shortcuts is open. */
export const help = createStore(false);

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName));

/** Focuses the next row (or the one before), of all tables of the screen. */
function moveBy(step: 1 | -1): void {
  const rows = [...document.querySelectorAll<HTMLElement>('main [data-row]')];
  if (rows.length === 0) return;
  const now = rows.indexOf(document.activeElement as HTMLElement);
  const next = now < 0 ? (step === 1 ? 0 : rows.length - 1) : Math.min(rows.length - 1, Math.max(0, now + step));
  rows[next]!.focus();
  rows[next]!.scrollIntoView({ block: 'nearest' });
}

const turn = (page: 'before' | 'after'): void =>
  document.querySelector<HTMLElement>(`main [data-page="${page}"]`)?.click();

const SEARCH = 'search';
export const searchFieldId = SEARCH;

function focusSearch(): void {
  const field = document.getElementById(SEARCH) as HTMLInputElement | null;
  // On a phone the field is on a screen of its own.
  if (field?.checkVisibility()) {
    field.focus();
    field.select();
  } else go('/search');
}

const DEEDS: Readonly<Record<string, () => void>> = {
  '/': focusSearch,
  j: () => moveBy(1),
  k: () => moveBy(-1),
  '[': () => turn('before'),
  ']': () => turn('after'),
  '?': () => help.set(!help.get()),
};

/** `g` waits for the key of a place. */
let isGoing = false;

function press(event: KeyboardEvent): void {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (isTyping(event.target)) {
    if (event.key === 'Escape') (event.target as HTMLElement).blur();
    return;
  }
  const place = isGoing ? PLACES.find(({ key }) => key === event.key) : undefined;
  const deed = place ? () => go(place.to) : DEEDS[event.key];
  isGoing = event.key === 'g' && !isGoing;
  if (!deed) return;
  event.preventDefault();
  deed();
}

/** Returns what ends it. */
export function listenToKeys(): () => void {
  addEventListener('keydown', press);
  return () => removeEventListener('keydown', press);
}
