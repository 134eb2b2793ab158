/** Short messages that appear without user action. */
import { createStore } from './store.ts';

interface Notice {
  readonly id: number;
  readonly text: string;
  readonly to?: string | undefined;
  /** What another person wrote. */
  readonly note?: string | undefined;
}

const SHOWN_MS = 6_000;
let last = 0;

export const notices = createStore<readonly Notice[]>([]);

export function dismiss(id: number): void {
  notices.set(notices.get().filter((one) => one.id !== id));
}

export function notify(text: string, to?: string, note?: string | null): void {
  const id = ++last;
  notices.set([...notices.get().slice(-2), { id, text, to, note: note ?? undefined }]);
  setTimeout(() => dismiss(id), SHOWN_MS);
}
