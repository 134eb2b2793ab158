/**
 * The service worker caches the wallet's shell, so that the app opens without a connection and says so. It never
 * touches the API or the session: information about money always comes from the service.
 */
/** The build writes both: a name that changes with the wallet, and all of its files. */
const CACHE = 'shell-in-development';
const FILES = ['/', '/icon.svg'];

self.addEventListener('install', (event) => {
  event.waitUntil(caches.open(CACHE).then((cache) => cache.addAll(FILES)));
  self.skipWaiting();
});

self.addEventListener('activate', (event) => {
  event.waitUntil(
    caches
      .keys()
      .then((names) => Promise.all(names.filter((name) => name !== CACHE).map((name) => caches.delete(name)))),
  );
  self.clients.claim();
});

const isShell = (url) =>
  url.pathname.startsWith('/assets/') || url.pathname === '/icon.svg' || url.pathname === '/logo.svg';

async function keepShell(request) {
  const cache = await caches.open(CACHE);
  const kept = await cache.match(request);
  if (kept) return kept;
  const answer = await fetch(request);
  if (answer.ok) await cache.put(request, answer.clone());
  return answer;
}

/** The identity check page has its own policy and is never cached. */
async function openPage(request, url) {
  try {
    const answer = await fetch(request);
    if (answer.ok && url.pathname === '/') await (await caches.open(CACHE)).put('/', answer.clone());
    return answer;
  } catch (error) {
    const kept = url.pathname === '/verify' ? undefined : await caches.match('/');
    if (kept) return kept;
    throw error;
  }
}

self.addEventListener('fetch', (event) => {
  const url = new URL(event.request.url);
  if (event.request.method !== 'GET' || url.origin !== self.location.origin) return;
  if (/^\/(api|session|callback)\b/.test(url.pathname)) return;
  if (event.request.mode === 'navigate') event.respondWith(openPage(event.request, url));
  else if (isShell(url)) event.respondWith(keepShell(event.request));
});
