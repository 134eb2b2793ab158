/**
 * A whole server with two blockchains, an identity provider, people with money and keys, for calls that must be
 * refused.
 */
import { randomUUID } from 'node:crypto';
import { type RunningChains, startChains } from '../../../../sandbox/src/chain/startChains.ts';
import { parseUsdc } from '../../../../server/src/core/money.ts';
import { type Db, openDatabase } from '../../../../server/src/db/database.ts';
import { PATIENT, urlAs } from '../../database.ts';
import type { Answer } from '../../http/answer.ts';
import { recordDeposit } from '../../ledger/recordDeposit.ts';
import { operate } from '../../operate.ts';
import { startTestServer, type TestServer } from '../../server.ts';
import { startTestSumsub } from '../../sumsub.ts';
import { HOME } from '../../values.ts';

/** The second blockchain of the sandbox. */
export const OTHER_CHAIN = 'BASE-SEPOLIA';

export interface Member {
  readonly userId: string;
  readonly username: string;
  readonly email: string;
  readonly walletId: string;
  readonly address: string;
  readonly accessToken: string;
  readonly refreshToken: string;
}

type KeyName = 'send' | 'webhooks' | 'payouts' | 'events';

export interface NegativesWorld {
  readonly florin: TestServer;
  /** A connection with the rights of all our processes. */
  readonly db: Db;
  /** The owner's connection: for digests, and for causes that no process may produce. */
  readonly admin: Db;
  readonly keys: Readonly<Record<KeyName, string>>;
  operate(...args: string[]): Promise<string>;
  /** A new person; without a name when `username` is null. */
  join(username: string | null, amount?: string): Promise<Member>;
  /** A switch of the home blockchain. */
  turn(path: string, body: unknown): Promise<Response>;
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  idToken(email: string): Promise<string>;
  close(): Promise<void>;
}

export async function openWorld(env: Record<string, string> = {}): Promise<NegativesWorld> {
  const [chains, sumsub] = await Promise.all([startChains({ mining: 'demand' }), startTestSumsub()]);
  const florin = await startTestServer({
    FLORIN_CHAINS: describeChains(chains),
    FLORIN_WALLET_PORT: '0',
    ...sumsub.env,
    ...env,
  });
  sumsub.setWebhookUrl(`${florin.backendUrl}/webhooks/sumsub`);
  const db = openDatabase(florin.databaseUrl, { ...PATIENT, maxConnections: 4 });
  const adminUrl = new URL(process.env.FLORIN_TEST_DATABASE_URL!);
  adminUrl.pathname = new URL(florin.databaseUrl).pathname;
  const admin = openDatabase(adminUrl.href, { ...PATIENT, maxConnections: 2 });
  const operator = openDatabase(urlAs(florin.databaseUrl, 'operator'), { ...PATIENT, maxConnections: 2 });
  await admin.query(
    `UPDATE kyc_tiers SET tier = CASE kyc_status WHEN 'rejected' THEN 30 WHEN 'needs_input' THEN 10 ELSE 0 END`,
  );

  const run = (...args: string[]) => operate(operator, ...args);
  const makeKey = async (scope: string, ...may: string[]) =>
    (await run('key', 'create', scope, '--scope', scope, ...may)).split('\n')[0]!;
  const keys = {
    send: await makeKey('read,send', '--any-wallet'),
    webhooks: await makeKey('webhooks'),
    payouts: await makeKey('payouts', '--any-wallet'),
    events: await makeKey('events'),
  };
  const idToken = async (email: string) =>
    (await fetch(`${florin.issuer.issuerUrl}/id_token?email=${encodeURIComponent(email)}`)).text();

  return {
    florin,
    db,
    admin,
    keys,
    operate: run,
    idToken,
    call: florin.call,
    turn: (path, body) => fetch(chains.chains[0]!.rpc_url + path, { method: 'POST', body: JSON.stringify(body) }),
    async join(username, amount = '1000') {
      const email = `${username ?? randomUUID()}@example.com`;
      const { body } = await florin.logIn(email);
      const { user_id: userId } = body.user;
      if (username !== null) await florin.call('POST', '/api/v1/set_username', { user_id: userId, username });
      for (const blockchain of [HOME, OTHER_CHAIN]) {
        if (amount === '0') continue;
        const deposit = { depositId: randomUUID(), userId, blockchain, amount: parseUsdc(amount) };
        await db.tx((tx) => recordDeposit(tx, { ...deposit, fromAddress: `0x${'f'.repeat(40)}` }));
      }
      const { access_token: accessToken, refresh_token: refreshToken, wallet } = body;
      const { wallet_id: walletId, address } = wallet;
      return { userId, username: username ?? '', email, walletId, address, accessToken, refreshToken };
    },
    async close() {
      await Promise.all([db.close(), admin.close(), operator.close()]);
      await florin.stop();
      await Promise.all([chains.stop(), sumsub.stop()]);
    },
  };
}

const describeChains = ({ chains }: RunningChains): string =>
  JSON.stringify(chains.map(({ blockchain, chain_id, rpc_url }) => ({ blockchain, chain_id, rpc_urls: [rpc_url] })));
