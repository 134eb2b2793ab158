import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, expect, it, vi } from 'vitest';
import { readConfig, readDatabaseUrl, readOwnerDatabaseUrl, readSigner } from '../bin/config/config.ts';
import { findDatabaseTlsFaults } from './findDatabaseTlsFaults.ts';

const folder = mkdtempSync(join(tmpdir(), 'florin-tls-'));
const authority = join(folder, 'authority.pem');
writeFileSync(authority, 'a certificate');
afterAll(() => rmSync(folder, { recursive: true }));
afterEach(() => vi.unstubAllEnvs());

const REMOTE = 'postgres://florin:x7Kp2mQv@db.internal/florin';
const isLoopback = (host: string) => ['localhost', '127.0.0.1', '::1'].includes(host);
const find = (url: string, verifiesNothing = false) =>
  findDatabaseTlsFaults(url, isLoopback, verifiesNothing).join('\n');

it.each([
  ['no sslmode', '', /without TLS/],
  ['disable', 'sslmode=disable', /without TLS/],
  ['ssl=0', 'ssl=0', /without TLS/],
  ['ssl=false', 'ssl=false', /does not support/],
  ['ssl=maybe', 'ssl=maybe', /does not support/],
  ['ssl=no-verify', 'ssl=no-verify', /does not verify/],
  ['no-verify', 'sslmode=no-verify', /does not verify/],
  ['a repeated sslmode, the last of which counts', 'sslmode=verify-full&sslmode=disable', /without TLS/],
  ['a repeated sslmode that verifies nothing', 'sslmode=verify-full&sslmode=no-verify', /does not verify/],
  ["libpq's meaning of require", 'uselibpqcompat=true&sslmode=require', /does not verify/],
  ["libpq's meaning of prefer", 'sslmode=prefer&uselibpqcompat=true', /does not verify/],
  ["libpq's require with an authority", `uselibpqcompat=true&sslmode=require&sslrootcert=${authority}`, /name/],
  ["libpq's verify-ca", `uselibpqcompat=true&sslmode=verify-ca&sslrootcert=${authority}`, /name/],
  ['a mode in the server options', 'options=-c%20sslmode%3Dverify-full', /without TLS/],
  ['a mode in capitals', 'SSLMODE=verify-full', /without TLS/],
  ['a host in the query', 'host=other.internal', /other\.internal without TLS/],
  ['a host in the query, unverified TLS', 'host=other.internal&ssl=0', /other\.internal without TLS/],
  ['an authority that cannot be read', 'sslmode=verify-full&sslrootcert=/no/such/file', /cannot be used \(ENOENT\)/],
])('a remote database with %s is refused', (_, query, fault) => {
  expect(find(`${REMOTE}?${query}`)).toMatch(fault);
});

it.each([
  ['verify-full', `${REMOTE}?sslmode=verify-full`],
  ['modes that the driver treats as verify-full', `${REMOTE}?sslmode=require`],
  ['the last of two that verifies', `${REMOTE}?sslmode=disable&sslmode=verify-full`],
  ['ssl=true', `${REMOTE}?ssl=true`],
  ["libpq's verify-full", `${REMOTE}?uselibpqcompat=true&sslmode=verify-full`],
  ['loopback without TLS', 'postgres://florin@127.0.0.1/florin'],
  ['loopback, spelt for IPv6', 'postgres://florin@[::1]/florin?sslmode=disable'],
  ['a socket of this machine', 'postgres:///florin?host=/var/run/postgresql'],
  ['a socket instead of the host', 'postgres://%2Fvar%2Frun%2Fpostgresql/florin'],
])('%s is accepted', (_, url) => expect(find(url)).toBe(''));

it("respects the driver's own variables", () => {
  vi.stubEnv('PGSSLMODE', 'verify-full');
  expect(find(REMOTE)).toBe('');
  vi.stubEnv('PGSSLMODE', 'no-verify');
  expect(find(REMOTE)).toMatch(/does not verify/);
  vi.stubEnv('PGSSLMODE', '');
  vi.stubEnv('PGHOST', 'db.internal');
  expect(find('postgres:///florin')).toMatch(/db\.internal without TLS/);
});

it('respects the variable that switches verification off for the whole process, also for commands and the migration', () => {
  vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
  const verified = `${REMOTE}?sslmode=verify-full`;
  expect(find(verified, true)).toMatch(/NODE_TLS_REJECT_UNAUTHORIZED=0/);
  for (const read of [readDatabaseUrl, readOwnerDatabaseUrl, readSigner]) {
    expect(() => read({ DATABASE_URL: verified })).toThrow(/NODE_TLS_REJECT_UNAUTHORIZED=0/);
  }
  expect(find('postgres://florin@127.0.0.1/florin', true)).toBe('');
});

it('applies to servers, workers and commands, but not to a sandbox', () => {
  for (const read of [readDatabaseUrl, readOwnerDatabaseUrl, readConfig]) {
    expect(() => read({ DATABASE_URL: REMOTE })).toThrow(/DATABASE_URL connects to db\.internal without TLS/);
  }
  expect(() => readOwnerDatabaseUrl({ FLORIN_OWNER_DATABASE_URL: `${REMOTE}?ssl=0` })).toThrow(/OWNER.* without TLS/);
  expect(readDatabaseUrl({ DATABASE_URL: REMOTE, FLORIN_MODE: 'sandbox' })).toBe(REMOTE);
  // Each of several hosts is checked.
  const [one, two] = ['127.0.0.1:5432,db.internal', '127.0.0.1:5432,127.0.0.1:5433'].map((hosts) =>
    REMOTE.replace(/@[^/]*/, `@${hosts}`),
  );
  for (const read of [readConfig, readDatabaseUrl])
    expect(() => read({ DATABASE_URL: one! })).toThrow(/DATABASE_URL connects to db\.internal without TLS/);
  expect(readDatabaseUrl({ DATABASE_URL: two! })).toBe(two);
});
