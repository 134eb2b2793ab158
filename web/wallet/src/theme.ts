import { createStore } from './store.ts';

export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

const PLACE = 'florin-theme';

export const theme = createStore<Theme>('system');

export function setTheme(next: Theme): void {
  theme.set(next);
  if (next === 'system') {
    localStorage.removeItem(PLACE);
    delete document.documentElement.dataset.theme;
  } else {
    localStorage.setItem(PLACE, next);
    document.documentElement.dataset.theme = next;
  }
}

export function openTheme(): void {
  const kept = THEMES.find((one) => one === localStorage.getItem(PLACE));
  if (kept) setTheme(kept);
}
