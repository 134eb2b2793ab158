/** The wallet's screens have addresses, so that they can be reloaded, shared and gone back to. */
import type { ComponentChildren, JSX } from 'preact';
import { useEffect } from 'react';
import { createStore, useStore } from './store.ts';

/** Where the person has gone, and what is on the screen: the second follows a frame later, see `go`. */
const place = createStore(location.pathname + location.search);
const shown = createStore(place.get());
/** How many screens of ours are behind this one; with none, "back" would leave the wallet. */
let depth = 0;

addEventListener('popstate', () => {
  depth = Math.max(0, depth - 1);
  place.set(location.pathname + location.search);
  // At once: the browser goes back to where the old screen was scrolled to.
  shown.set(place.get());
});

/** A touch is answered first (where one is, in the menu), and the screen, which may be long, is drawn after that. */
function afterAnswer(work: () => void): void {
  if (document.visibilityState === 'hidden') work();
  else requestAnimationFrame(() => setTimeout(work));
}

export function go(to: string, options: { readonly replace?: boolean } = {}): void {
  if (options.replace) history.replaceState(null, '', to);
  else {
    history.pushState(null, '', to);
    depth++;
  }
  place.set(to);
  afterAnswer(() => {
    shown.set(place.get());
    scrollTo(0, 0);
  });
}

export function goBack(): void {
  if (isOwnPage('/')) location.assign('/');
  else if (depth > 0) history.back();
  else go('/', { replace: true });
}

export interface Place {
  readonly path: string;
  readonly query: URLSearchParams;
}

/** What is on the screen. */
export function usePlace(): Place {
  const [path = '/', query = ''] = useStore(shown).split('?');
  return { path, query: new URLSearchParams(query) };
}

/** Where the person has just gone. */
export const usePath = (): string => useStore(place).split('?')[0] ?? '/';

type LinkProps = Omit<JSX.HTMLAttributes<HTMLAnchorElement>, 'href'> & {
  readonly to: string;
  readonly children?: ComponentChildren;
  readonly className?: string;
};

/** The page of identity checks has a policy of its own, so it is loaded like another site. */
const isOwnPage = (path: string): boolean => path === '/verify' || location.pathname === '/verify';

export function Link({ to, children, ...rest }: LinkProps): JSX.Element {
  const follow = (event: JSX.TargetedMouseEvent<HTMLAnchorElement>) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0 || isOwnPage(to)) return;
    event.preventDefault();
    go(to);
  };
  return (
    <a {...rest} href={to} onClick={follow}>
      {children}
    </a>
  );
}

/** A new screen is announced by its title, and the keyboard begins at its heading. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = title;
    document.querySelector<HTMLElement>('h1')?.focus({ preventScroll: true });
  }, [title]);
}
