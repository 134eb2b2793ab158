/** Attacks with long-polled answers. */
import { randomUUID } from 'node:crypto';
import { openDatabase } from '../../server/src/db/database.ts';
import { type Attack, credit } from '../support/attacks.ts';
import { startTestChain } from '../support/chain/chain.ts';
import { randomAddress } from '../support/chain/custody.ts';
import { type Recorder, recordStatements } from '../support/database/recordStatements.ts';
import { eventually } from '../support/eventually.ts';
import { type Answer, bearer } from '../support/http/answer.ts';
import { howMany } from '../support/run/thorough.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

const REPLAYS = howMany(80, 240);
const DIFFERENT = howMany(40, 60);
const ALL = REPLAYS + DIFFERENT;
/** The number of answers that a server holds for one person. */
const HELD = 32;
/** Connections of the server's database pool; the smallest machine has more. */
const CONNECTIONS = '3';
const CALLS = 20;
const MOST_ROUNDS = 40;
/**
 * This many calls come before each call of the bystander: a repeated request waits for others under its key until they
 * are decided.
 */
const AT_ONCE = 5;
/** Only reading an unfinished payment to an address asks for this. */
const READS_A_WAITING_PAYMENT = /payment_waits\(p\)/;

async function startSmallServer() {
  const chain = await startTestChain();
  let recorder: Recorder | undefined;
  const server = await startTestServer(
    {
      FLORIN_CHAINS: JSON.stringify([
        { blockchain: 'ETH-SEPOLIA', chain_id: chain.chainId, rpc_urls: [chain.url], finality: 'finalized' },
      ]),
      FLORIN_DATABASE_CONNECTIONS: CONNECTIONS,
      FLORIN_RATE_LIMITS: 'address=100000, user=10000',
    },
    async (url) => {
      recorder = await recordStatements(url);
      return recorder.url;
    },
  );
  const db = openDatabase(server.databaseUrl);
  return {
    server,
    db,
    recorder: recorder!,
    async stop() {
      await db.close();
      await server.stop();
      await recorder!.remove();
      await chain.stop();
    },
  };
}

/**
 * A call of a person's client. The connection closes with the answer, so that no call waits for a connection of a
 * client's pool.
 */
type Call = (method: string, path: string, body?: unknown, headers?: Record<string, string>) => Promise<Answer>;

async function logIn(server: TestServer, db: Parameters<typeof credit>[0], name: string): Promise<Call> {
  const { body } = await eventually(async () => {
    const answer = await server.logIn(`${name}@example.com`);
    if (answer.status !== 200) throw new Error(`${answer.status}`);
    return answer;
  });
  await credit(db, body.user.user_id);
  return (method, path, given, headers = {}) =>
    server.call(method, `/api/v1${path}`, given, { ...bearer(body.access_token), ...headers });
}

/** Rounds of calls by a bystander during the attack, until the server has nothing left to read for the attackers. */
async function watchBystander(call: Call, recorder: Recorder, come: () => boolean) {
  let [calls, good, reads, allReads] = [0, 0, 0, 0];
  for (let round = 0; round < MOST_ROUNDS; round++) {
    recorder.take();
    let areAllHere = true;
    for (let i = 0; i < CALLS; i++) {
      areAllHere = !come();
      const { status } = await call('GET', i % 2 ? '/me' : '/me/recipients');
      calls++;
      if (status >= 200 && status < 300) good++;
    }
    reads = recorder.take().filter((one) => READS_A_WAITING_PAYMENT.test(one)).length;
    allReads += reads;
    if (reads === 0 && areAllHere) break;
  }
  return { isUnharmed: good === calls, reads, allReads };
}

export const heldAnswers: Attack = {
  attack: `${ALL} answers held by one person, most of them for one payment, at a server with three connections to its database`,
  wanted:
    "the bystander's calls: all good; reads: one per request at most, then 0; " +
    `held to the end: ${HELD}; answered immediately: ${ALL - HELD}`,
  async probe() {
    const { server, db, recorder, stop } = await startSmallServer();
    const [mallory, bystander] = [await logIn(server, db, 'mallory'), await logIn(server, db, 'bystander')];
    const send = (key: string, amount: number) =>
      mallory(
        'POST',
        '/send_to_address',
        { destination_address: destination, amount },
        { 'idempotency-key': key, prefer: 'wait=60' },
      );
    const destination = randomAddress();
    const replayed = randomUUID();
    const answers: Answer[] = [];
    const keys = [...Array(REPLAYS).fill(replayed), ...Array.from({ length: DIFFERENT }, randomUUID)];
    const asking: Promise<void>[] = [];
    const { isUnharmed, reads, allReads } = await watchBystander(bystander, recorder, () => {
      const some = keys.splice(0, AT_ONCE);
      for (const key of some) asking.push(send(key, 0.01).then((answer) => void answers.push(answer)));
      return some.length > 0;
    });
    const atOnce = answers.length;
    const open = await db.query<{ payment_id: string }>(`SELECT payment_id FROM payments WHERE state = 'INITIATED'`);
    for (const { payment_id: id } of open) await mallory('POST', `/transactions/${id}/cancel`);
    await Promise.all(asking);
    const held = answers.filter(({ headers, body }) => headers.has('preference-applied') && body.state === 'CANCELLED');
    await stop();
    return (
      `the bystander's calls: ${isUnharmed ? 'all good' : 'harmed'}; ` +
      `reads: ${allReads <= ALL ? 'one per request at most' : allReads}, then ${reads}; ` +
      `held to the end: ${held.length}; answered immediately: ${atOnce}`
    );
  },
};
