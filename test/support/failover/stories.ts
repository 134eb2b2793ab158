/** Stories in which commits are lost under running servers, on a real cluster, and what must not happen then. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Db } from '../../../server/src/db/database.ts';
import { listRestores } from '../../../server/src/operators/restores.ts';
import type { TestChain } from '../chain/chain.ts';
import { randomAddress } from '../chain/custody.ts';
import { operate } from '../operate.ts';
import type { Production } from '../production.ts';
import { ask, type Servers } from './payers.ts';
import { type Cluster, until } from './startCluster.ts';

export interface Stage {
  readonly cluster: Cluster;
  readonly florin: Production;
  readonly chain: TestChain;
  readonly db: Db;
  /** Two servers: clients make changes through the first, and the second still has the old state cached. */
  readonly servers: Servers;
}

export interface Outcome {
  readonly story: string;
  /** Empty: correct. */
  readonly faults: readonly string[];
}

/** A client that logs in again whenever necessary, and retries until it gets an answer. */
interface Customer {
  readonly userId: string;
  /** The id of the result. */
  ask(url: string, path: string, body: object, key?: string): Promise<string>;
}

const PATIENCE_MS = 120_000;

async function meet({ florin, servers }: Stage, name: string): Promise<Customer> {
  const logIn = async () => {
    const claims = { sub: name, email: `${name}@example.com`, email_verified: true, jti: randomUUID() };
    const idToken = await florin.issuer.sign(claims);
    const answer = await fetch(`${servers.backendUrls[0]}/api/v1/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ id_token: idToken }),
    });
    if (!answer.ok) return undefined;
    const said = (await answer.json()) as { access_token: string; user: { user_id: string } };
    return { bearer: said.access_token, userId: said.user.user_id };
  };
  const enter = () => insist(`${name} logs in`, () => logIn().catch(() => undefined));
  let { bearer, userId } = await enter();
  return {
    get userId() {
      return userId;
    },
    ask: (url, path, body, key = randomUUID()) =>
      insist(`${name} asks for ${path}`, async () => {
        const { id, code } = await ask(url + path, key, bearer, { ...body });
        if (code?.startsWith('401')) ({ bearer, userId } = await enter());
        else if (code && !/^(503|429|no answer|connection)/.test(code)) throw new Error(`${path} was refused: ${code}`);
        return id;
      }),
  };
}

async function insist<T>(what: string, attempt: () => Promise<T | undefined>): Promise<T> {
  for (const untilMs = performance.now() + PATIENCE_MS; performance.now() < untilMs; await sleep(200)) {
    const found = await attempt();
    if (found !== undefined) return found;
  }
  throw new Error(`not within ${PATIENCE_MS / 1000} s: ${what}`);
}

const takeName = (who: Customer, url: string, username: string) =>
  who.ask(url, '/api/v1/set_username', { user_id: who.userId, username });

const pay = (who: Customer, url: string, receiver: string, amount: number, key?: string) =>
  who.ask(url, '/api/v1/send_usdc', { sender_user_id: who.userId, receiver_username: receiver, amount }, key);

async function findReceiver(db: Db, paymentId: string): Promise<string | undefined> {
  const [row] = await db.query<{ user_id: string }>(
    `SELECT a.user_id FROM transfers_by_id(ARRAY[$1::uuid]) t JOIN accounts a ON a.account_id = t.credit_account`,
    [paymentId],
  );
  return row?.user_id;
}

/**
 * Standbys confirm no commits and lag when the primary dies: a person's new name is lost, and another person takes it.
 * The second server has cached the first owner, and must not pay that person.
 */
export async function runWrongReceiver(stage: Stage, payer: string): Promise<Outcome> {
  const { cluster, db } = stage;
  const [first, second] = stage.servers.backendUrls as [string, string];
  const faults: string[] = [];
  await cluster.confirm(false);
  const [ann, bob, carl] = [await meet(stage, payer), await meet(stage, 'bob'), await meet(stage, 'carl')];
  const restores = (await listRestores(db)).length;
  await cluster.settle();
  const primary = await cluster.findPrimary();
  primary.freeze('senders');
  await takeName(bob, first, 'robin');
  if ((await findReceiver(db, await pay(ann, second, 'robin', 0.5))) !== bob.userId) faults.push('bob was not paid');
  primary.kill('node');
  await until('another primary', async () => (await cluster.findPrimary()) !== primary);
  const kept = await db.query(`SELECT FROM usernames WHERE username = 'robin'`);
  if (kept.length > 0) faults.push('nothing was lost, so this proves nothing');
  await takeName(carl, first, 'robin');
  if ((await findReceiver(db, await pay(ann, second, 'robin', 1.5))) !== carl.userId)
    faults.push('1.5 USDC went to the wrong person');
  if ((await listRestores(db)).length === restores) faults.push('no server has noticed that commits were lost');
  primary.start();
  await cluster.heal();
  await cluster.confirm(true);
  await cluster.heal();
  return { story: 'a name is lost in a failover and taken by another person', faults };
}

/**
 * A backup is restored while servers, worker and signer keep running. Later answers are lost: clients repeat the calls
 * under the same keys, and no one is paid twice or instead of another person.
 */
export async function runRestore(stage: Stage, payer: string, receiver: string): Promise<Outcome> {
  const { cluster, chain, db, servers } = stage;
  const [first, second] = servers.backendUrls as [string, string];
  const faults: string[] = [];
  const [ann, dora, emil] = [await meet(stage, payer), await meet(stage, 'dora'), await meet(stage, 'emil')];
  await operate(db, 'restore', 'confirm', 'keys');
  const restore = await cluster.backUp();
  const restores = (await listRestores(db)).length;

  await takeName(dora, first, 'quinn');
  await pay(ann, second, 'quinn', 0.5);
  const [paidKey, sentKey, destination] = [randomUUID(), randomUUID(), randomAddress()];
  const paid = await pay(ann, first, receiver, 0.25, paidKey);
  const body = { destination_address: destination, amount: 0.01, blockchain: 'ETH-SEPOLIA', wallet_username: receiver };
  const send = () =>
    insist('a send is accepted', async () => {
      const { id } = await ask(`${servers.web3Urls[0]}/wallet/send-usdc`, sentKey, servers.serviceKey, body);
      return id;
    });
  const sent = await send();
  await chain.mineUntil(async () => {
    if ((await chain.balanceOf(destination)) === 0n) throw new Error('the send is in progress');
  });
  await restore();

  await takeName(emil, first, 'quinn');
  if ((await findReceiver(db, await pay(ann, second, 'quinn', 1.5))) !== emil.userId)
    faults.push('1.5 USDC went to the wrong person');
  if ((await listRestores(db)).length <= restores) faults.push('no server has noticed the restore');
  if ((await pay(ann, second, receiver, 0.25, paidKey)) !== paid) faults.push('a repeated payment got another id');
  await operate(db, 'restore', 'confirm', 'keys');
  if ((await send()) !== sent) faults.push('a repeated send got another id');
  // Long enough for a second one to be made.
  await chain.mineUntil(async () => {
    const open = await db.query('SELECT 1 FROM payments WHERE payment_id = $1 AND NOT payment_is_final(state)', [sent]);
    if (open.length > 0) throw new Error('the send is in progress');
  });
  if ((await chain.balanceOf(destination)) !== 10_000n) faults.push('the chain has not made the send once');
  return { story: 'a backup restored under running servers', faults };
}
