/** Tables and the function of the obvious way to pay, for `obviousServer.ts`. */
import { type ChildProcess, fork } from 'node:child_process';
import pg from 'pg';
import { buildServer } from '../buildServer.ts';
import type { Person } from '../ledgerWorld.ts';
import type { BuiltServer } from '../startBuiltServer.ts';
import { readCpuSeconds } from '../yardsticks/cpuSeconds.ts';

/** With room for new row versions, as Florin's accounts have it: without, it is slower. */
const SCHEMA = `
CREATE TABLE accounts (
  user_id uuid PRIMARY KEY,
  username text NOT NULL UNIQUE,
  balance bigint NOT NULL CHECK (balance >= 0)
) WITH (fillfactor = 40);
CREATE TABLE transfers (
  transfer_id uuid PRIMARY KEY,
  sender_id uuid NOT NULL,
  receiver_id uuid NOT NULL,
  amount bigint NOT NULL CHECK (amount > 0),
  paid_at timestamptz NOT NULL DEFAULT now()
);
CREATE FUNCTION pay(p_id uuid, p_sender uuid, p_receiver text, p_amount bigint,
  OUT available bigint, OUT sender_name text, OUT paid_at timestamptz) LANGUAGE plpgsql AS $$
DECLARE
  v_receiver uuid;
BEGIN
  SELECT user_id INTO STRICT v_receiver FROM accounts WHERE username = p_receiver;
  PERFORM FROM accounts WHERE user_id IN (p_sender, v_receiver) ORDER BY user_id FOR UPDATE;
  UPDATE accounts SET balance = balance - p_amount WHERE user_id = p_sender
    RETURNING balance, username INTO STRICT available, sender_name;
  UPDATE accounts SET balance = balance + p_amount WHERE user_id = v_receiver;
  INSERT INTO transfers VALUES (p_id, p_sender, v_receiver, p_amount) RETURNING transfers.paid_at INTO paid_at;
END $$`;

const BALANCE = 1_000_000_000_000n;

export async function createObviousLedger(url: string, people: readonly Person[]): Promise<void> {
  await withClient(url, async (client) => {
    await client.query(SCHEMA);
    await client.query(`INSERT INTO accounts SELECT unnest($1::uuid[]), unnest($2::text[]), ${BALANCE}`, [
      people.map(({ userId }) => userId),
      people.map(({ username }) => username),
    ]);
    await client.query('VACUUM ANALYZE');
  });
}

/** Every balance is what the transfers say. Returns how many there are. */
export const proveObviousLedger = (url: string): Promise<number> =>
  withClient(url, async (client) => {
    const { rows } = await client.query<{ wrong: string; transfers: string }>(
      `SELECT (SELECT count(*) FROM transfers) AS transfers, count(*) AS wrong
         FROM accounts a
         LEFT JOIN (SELECT user_id, sum(amount) AS amount
                      FROM (SELECT receiver_id AS user_id, amount FROM transfers
                            UNION ALL SELECT sender_id, -amount FROM transfers) t GROUP BY user_id) t USING (user_id)
        WHERE balance <> ${BALANCE} + coalesce(amount, 0)`,
    );
    if (rows[0]!.wrong !== '0') throw new Error(`${rows[0]!.wrong} balances of the obvious ledger are wrong`);
    return Number(rows[0]!.transfers);
  });

async function withClient<Result>(url: string, use: (client: pg.Client) => Promise<Result>): Promise<Result> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end();
  }
}

/** `connections`: to PostgreSQL. */
export async function startObviousServer(url: string, connections: number): Promise<BuiltServer> {
  const built = await buildServer(new URL('./obviousServer.ts', import.meta.url));
  const child: ChildProcess = fork(built.file, [url, String(connections)], { execArgv: built.execArgv });
  const ended = new Promise<void>((done) => child.once('exit', () => done()));
  const backendUrl = await new Promise<string>((resolve, reject) => {
    child.once('message', (message) => resolve(String(message)));
    child.once('exit', (code) => reject(new Error(`the server ended with ${code}`)));
  });
  return {
    backendUrl,
    readCpuSeconds: () => readCpuSeconds(child.pid!),
    async stop() {
      child.kill();
      await ended;
    },
  };
}
