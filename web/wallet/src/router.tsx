/** The wallet's screens have URLs, so that people can reload, share and go back to them. */
import type { ComponentChildren, JSX } from 'preact';
import { useEffect } from 'react';
import { createStore, useStore } from './store.ts';

/** The current path and the path on the screen: the second follows a frame later, see `go`. */
const place = createStore(location.pathname + location.search);
const shown = createStore(place.get());
/** The number of our screens in the browser's history; with none, "back" would leave the wallet. */
let depth = 0;

addEventListener('popstate', () => {
  depth = Math.max(0, depth - 1);
  place.set(location.pathname + location.search);
  // Immediately: the browser restores the scroll position of the old screen.
  shown.set(place.get());
});

/** Responds to a touch first (by marking the menu), and then draws the screen, which may be long. */
function afterAnswer(work: () => void): void {
  if (document.visibilityState === 'hidden') work();
  else requestAnimationFrame(() => setTimeout(work));
}

/** The state of pages that the wallet itself has opened: no link from elsewhere can claim it. */
const OWN = { own: true };

export function go(to: string, options: { readonly replace?: boolean } = {}): void {
  if (options.replace) history.replaceState(OWN, '', to);
  else {
    history.pushState(OWN, '', to);
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

export interface Route {
  readonly path: string;
  readonly query: URLSearchParams;
}

/** The path on the screen. */
export function useRoute(): Route {
  const [path = '/', ...query] = useStore(shown).split('?');
  return { path, query: new URLSearchParams(query.join('?')) };
}

/** The path that was just chosen. */
export const usePath = (): string => useStore(place).split('?')[0] ?? '/';

type LinkProps = Omit<JSX.HTMLAttributes<HTMLAnchorElement>, 'href'> & {
  readonly to: string;
  readonly children?: ComponentChildren;
  readonly className?: string;
};

/** The identity check, after which the person returns to the current page. */
export const verifyFor = (): string => `/verify?${new URLSearchParams({ to: place.get() })}`;

/** Only a path of this site: a link from elsewhere must not lead away after the identity check. */
export const ownPath = (text: string | null): string => (/^\/(?![/\\])[\x21-\x7e]*$/.test(text ?? '') ? text! : '/');

/**
 * Puts what the person has typed into the URL, so that it survives a reload and the identity check. The screen stays as
 * it is.
 */
export function rememberTyped(name: string, value: string): void {
  const [path = '/', query = ''] = place.get().split('?');
  const next = new URLSearchParams(query);
  next.set(name, value);
  next.delete('from');
  history.replaceState(OWN, '', `${path}?${next}`);
  place.set(`${path}?${next}`);
}

/** Whether the query comes from a link or a code, and not from this wallet. */
export const isFromLink = (query: URLSearchParams): boolean =>
  query.get('from') === 'code' || (history.state as typeof OWN | null)?.own !== true;

/** The identity check page has its own policy, so it is loaded like another site. */
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

/** Announces a new screen by its title, and moves the keyboard focus to its heading. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = title;
    document.querySelector<HTMLElement>('h1')?.focus({ preventScroll: true });
  }, [title]);
}
