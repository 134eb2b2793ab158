/** A person without a mouse: Tab, Enter, the arrows and letters. */
import type { Page } from 'playwright-core';

export interface Keyboard {
  /** Presses Tab until the name of the focused element matches, or its id after a `#`. */
  reach(wanted: RegExp): Promise<void>;
  /** Reaches it and presses Enter. */
  choose(wanted: RegExp): Promise<void>;
  type(text: string): Promise<void>;
  press(key: string): Promise<void>;
}

/** More than any screen has. */
const MOST_TABS = 80;

/** The name that a screen reader would announce, in short, and the id. */
const NAME_OF_FOCUS = `(() => {
  const focused = document.activeElement;
  const label = focused?.getAttribute('aria-label') || focused?.labels?.[0]?.textContent || focused?.textContent || '';
  return label.trim() + '#' + (focused?.id ?? '');
})()`;

export function useKeyboard(page: Page): Keyboard {
  async function reach(wanted: RegExp): Promise<void> {
    const seen: string[] = [];
    for (let pressed = 0; pressed < MOST_TABS; pressed++) {
      await page.keyboard.press('Tab');
      const name = String(await page.evaluate(NAME_OF_FOCUS));
      if (wanted.test(name)) return;
      seen.push(name);
    }
    throw new Error(`Tab does not reach ${wanted}, only ${[...new Set(seen)].join(', ')}`);
  }
  return {
    reach,
    async choose(wanted) {
      await reach(wanted);
      await page.keyboard.press('Enter');
    },
    type: (text) => page.keyboard.type(text),
    press: (key) => page.keyboard.press(key),
  };
}
