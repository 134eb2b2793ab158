/** The database goes away while a worker starts: the worker waits instead of ending. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestChain, type TestChain } from '../support/chain/chain.ts';
import { asAdmin } from '../support/database.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { HOME, SECRET } from '../support/values.ts';

/** A sequence keeps its count when the statement fails. */
const REFUSE = `
  CREATE FUNCTION refuse_once() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
  BEGIN
    IF nextval(TG_ARGV[0]::regclass) = 1 THEN RAISE 'shutting down' USING ERRCODE = '57P01'; END IF;
    RETURN NEW;
  END $$;
  CREATE SEQUENCE tries_of_expire;
  CREATE TRIGGER refuse_expire BEFORE INSERT ON jobs FOR EACH ROW WHEN (NEW.kind = 'expire')
    EXECUTE FUNCTION refuse_once('tries_of_expire');
  CREATE SEQUENCE tries_of_settle;
  CREATE TRIGGER refuse_settle BEFORE INSERT ON jobs FOR EACH ROW WHEN (NEW.kind LIKE 'settle %')
    EXECUTE FUNCTION refuse_once('tries_of_settle')`;

let chain: TestChain;
let florin: TestServer;

beforeAll(async () => {
  chain = await startTestChain();
  const chains = [{ blockchain: HOME, chain_id: chain.chainId, rpc_urls: [chain.url], finality: 'finalized' }];
  florin = await startTestServer({ FLORIN_CHAINS: JSON.stringify(chains) });
  await chain.fuel(florin.seedFile, SECRET);
});
afterAll(async () => {
  await florin.stop();
  await chain.stop();
});

it('a worker whose database goes away while it writes its jobs becomes ready when the database is back', async () => {
  await asAdmin(florin.databaseUrl, REFUSE);
  await florin.startWorker();
  const read = async (kind: string) =>
    (await asAdmin<{ tries: number }>(florin.databaseUrl, `SELECT last_value::int AS tries FROM tries_of_${kind}`))[0]!
      .tries;
  expect([await read('expire'), await read('settle')]).toEqual([2, 2]);
});
