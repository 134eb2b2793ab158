/**
 * Starts the outside parties that production needs: PostgreSQL as its distribution installs it, an issuer, a blockchain
 * node. The last two are doubles behind TLS, with an authority that only the service's processes trust.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findFreePort } from '../../../sandbox/src/ports.ts';
import { type Account, findAccount } from '../../../sandbox/src/postgres/chooseHome.ts';
import { SEPOLIA_ID, startTestChain, type TestChain } from '../../../test/support/chain/chain.ts';
import { createCertificate } from '../../../test/support/http/certificate.ts';
import { httpsUrlOf, startTlsIssuer, type TlsIssuer } from '../../../test/support/http/tlsIssuer.ts';
import { startTlsProxy } from '../../../test/support/http/tlsProxy.ts';

const PASSWORD = 'of-a-drill-only';
const BINARIES = [18, 17, 16, 15].map((major) => `/usr/lib/postgresql/${major}/bin`);

interface Outside {
  readonly chain: TestChain;
  readonly issuer: TlsIssuer;
  readonly nodeUrl: string;
  /** A file with the authority of both. */
  readonly authority: string;
  readonly postgres: { readonly port: number; readonly url: string; readonly data: string; readonly bin: string };
  readonly account: Account | undefined;
  stop(): Promise<void>;
}

export async function startOutside(folder: string): Promise<Outside> {
  const bin = BINARIES.find((one) => existsSync(`${one}/pg_basebackup`));
  if (!bin) throw new Error('PostgreSQL with its programs is not installed: apt-get install postgresql');
  const certificate = createCertificate();
  const authority = join(folder, 'authority.pem');
  writeFileSync(authority, certificate.cert);
  const account = findAccount();
  const home = join(folder, 'postgres');
  mkdirSync(home, { mode: 0o755 });
  if (account) chownSync(home, account.uid, account.gid);
  const data = join(home, 'data');
  const port = await findFreePort();
  const word = join(home, 'password');
  writeFileSync(word, PASSWORD);
  chmodSync(word, 0o644);
  const as = { ...account, cwd: home, stdio: 'ignore' as const, env: { PATH: process.env.PATH, LC_ALL: 'C' } };
  const initdb = [
    '-D',
    data,
    '-U',
    'postgres',
    `--pwfile=${word}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    '--locale=C',
  ];
  execFileSync(`${bin}/initdb`, initdb, as);
  writeFileSync(
    join(data, 'postgresql.conf'),
    `listen_addresses = '127.0.0.1'\nport = ${port}\nunix_socket_directories = ''\n`,
  );
  execFileSync(`${bin}/pg_ctl`, ['start', '-D', data, '-w', '-l', `${data}.log`], as);
  const [chain, issuer] = await Promise.all([startTestChain(SEPOLIA_ID), startTlsIssuer(certificate)]);
  const node = await startTlsProxy(certificate, chain.url);
  return {
    chain,
    issuer,
    nodeUrl: httpsUrlOf(node),
    authority,
    postgres: { port, url: `postgres://postgres:${PASSWORD}@127.0.0.1:${port}/postgres`, data, bin },
    account,
    async stop() {
      // It may already be stopped, if a restore has failed.
      spawnSync(`${bin}/pg_ctl`, ['stop', '-D', data, '-w', '-m', 'immediate'], as);
      await new Promise<void>((done) => {
        node.close(() => done());
        node.closeAllConnections();
      });
      await Promise.all([issuer.stop(), chain.stop()]);
    },
  };
}
