/** The wallet's screens have addresses, so that they can be reloaded, shared and gone back to. */
import type { ComponentChildren, JSX } from 'preact';
import { useEffect } from 'react';
import { createStore, useStore } from './store.ts';

const place = createStore(location.pathname + location.search);
/** How many screens of ours are behind this one; with none, "back" would leave the wallet. */
let depth = 0;

addEventListener('popstate', () => {
  depth = Math.max(0, depth - 1);
  place.set(location.pathname + location.search);
});

export function go(to: string, options: { readonly replace?: boolean } = {}): void {
  if (options.replace) history.replaceState(null, '', to);
  else {
    history.pushState(null, '', to);
    depth++;
  }
  place.set(to);
  scrollTo(0, 0);
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

export function usePlace(): Place {
  const [path = '/', query = ''] = useStore(place).split('?');
  return { path, query: new URLSearchParams(query) };
}

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
