import { expect, test } from 'vitest';
import { createRouter } from './createRouter.ts';
import { parseQuery, unquote } from './url.ts';

const router = createRouter([
  { template: '/wallet/send-usdc', method: 'POST', target: 'send' },
  { template: '/sessions', method: 'GET', target: 'list' },
  { template: '/sessions', method: 'DELETE', target: 'end' },
  { template: '/tx/{id}', method: 'GET', target: 'tx' },
]);

test.each([
  ['/wallet/send-usdc', '/wallet/send-usdc', {}],
  ['/wallet/send%2Dusd%63', '/wallet/send-usdc', {}],
  ['/wallet%2Fsend-usdc', '/wallet/send-usdc', {}],
  ['/wallet/send-usdc%0A', '/wallet/send-usdc', {}],
  ['/tx/a%20b', '/tx/{id}', { id: 'a b' }],
  ['/tx/%', '/tx/{id}', { id: '%' }],
  ['/tx/%ff', '/tx/{id}', { id: '\ufffd' }],
  ['/tx/..', '/tx/{id}', { id: '..' }],
  ['/tx/__proto__', '/tx/{id}', { id: '__proto__' }],
])('finds %s', (path, template, params) => {
  const match = router.find(path);
  expect([match?.route.template, match?.params]).toEqual([template, params]);
});

test.each(['/Wallet/send-usdc', '//wallet/send-usdc', '/tx/', '/tx/a/b', '/tx/a%2Fb', '/./tx/a', '/tx', '*'])(
  'does not find %s',
  (path) => {
    expect(router.find(path)).toBeUndefined();
  },
);

test.each([
  ['/wallet/send-usdc/', '', '/wallet/send-usdc'],
  ['/tx/a///', 'x=1&y=%20', '/tx/a?x=1&y=%20'],
  ['/tx/a%2F', '', '/tx/a'],
  ['/tx/a;b/', 'c;d', '/tx/a;b?c;d'],
  ['/tx/%C3%A9/', '', '/tx/%C3%A9'],
  ['/tx/a%0D%0ASet-Cookie:x/', '', '/tx/a%0D%0ASet-Cookie:x'],
  ['/', '', undefined],
  ['/nope/', '', undefined],
])('redirects %s?%s to %s', (path, query, location) => {
  expect(router.findRedirect(path, query)).toBe(location);
});

test('names the methods of a path', () => {
  expect(router.find('/sessions')?.route.allow).toBe('GET, DELETE');
});

test('a path of slashes costs linear time', () => {
  // In quadratic time this would not end within the time of a test.
  expect(router.findRedirect(`${'/'.repeat(5_000_000)}a/`, '')).toBeUndefined();
});

test('queries are read as Python reads them', () => {
  expect([...parseQuery('a=1&a=2&&b&c=%zz+%41&=x&d=%c0%af&%65=1=2')]).toEqual([
    ['a', '2'],
    ['b', ''],
    ['c', '%zz A'],
    ['', 'x'],
    ['d', '\ufffd\ufffd'],
    ['e', '1=2'],
  ]);
  expect(unquote('\u00e9%C3%A9%4')).toBe('\u00e9é%4');
});
