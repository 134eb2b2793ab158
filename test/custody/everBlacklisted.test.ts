/**
 * The list of every address that the token has ever blacklisted. A send to an address that is not on it is accepted
 * without asking the chain. The caller's answer is the same with and without the list.
 */
import { hexToBigInt, numberToHex, pad } from 'viem';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { BLACKLISTED } from '../../server/src/adapters/chain/usdcAbi.ts';
import { viemChain } from '../../server/src/adapters/chain/viemChain.ts';
import type { Chain, Hex } from '../../server/src/core/ports.ts';
import { keepEverBlacklisted } from '../../server/src/custody/watch/everBlacklisted.ts';
import { sendUsdcOperation } from '../../server/src/http/web3/sendUsdc.ts';
import { openDestinations } from '../../server/src/payments/destinations/openDestinations.ts';
import { openSends } from '../../server/src/payments/sends/openSends.ts';
import { type CustodyWorld, randomAddress, startCustody } from '../support/chain/custody.ts';
import { type Lie, Refusal, serveLiar } from '../support/chain/serveLiar.ts';
import { PLACE } from '../support/chain/serveTestChain.ts';
import { eventually } from '../support/eventually.ts';
import { readAnswer } from '../support/http/answer.ts';
import { openTestWaits } from '../support/http/openTestWaits.ts';
import { type ServedOperations, serveOperations } from '../support/http/serveOperations.ts';
import { HOME } from '../support/values.ts';

let world: CustodyWorld;
/** With the list, and without it, as before the list existed. */
let listed: ServedOperations;
let unlisted: ServedOperations;
/** Destinations that the server with the list has asked the token about. */
let asked: Hex[] = [];

const FROM_OLD = randomAddress();

beforeAll(async () => {
  world = await startCustody();
  await world.fund({ treasury: '1000' });
  await blacklist(FROM_OLD);
  await world.mine(100);
  await world.work();
  const { db } = world;
  const serve = (chain: Chain, blacklistSeconds: number) => {
    const sends = openSends({ db, sendRules: { ...world.sendRules, blacklistSeconds } });
    const operation = sendUsdcOperation({
      db,
      destinations: openDestinations([chain], 'USDC'),
      sends,
      ...openTestWaits(db),
    });
    return serveOperations('web3', { send_specific_amount_usdc_wallet_send_usdc_post: operation });
  };
  const counting: Chain = {
    ...world.chain,
    readRefusals(token, addresses) {
      asked.push(...addresses);
      return world.chain.readRefusals(token, addresses);
    },
  };
  listed = await serve(counting, 60);
  unlisted = await serve(world.chain, 0);
});
afterAll(async () => {
  await listed.close();
  await unlisted.close();
  await world.stop();
});
beforeEach(() => {
  asked = [];
});

async function blacklist(address: Hex): Promise<void> {
  await world.turn('/token', { blacklist: address });
  await world.mine();
}

async function send(destination: Hex, api = listed) {
  const response = await fetch(`${api.url}/wallet/send-usdc`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-request-id': 'same' },
    body: JSON.stringify({ destination_address: destination, amount: 0.01 }),
  });
  return readAnswer(response);
}

/** Until everything is read, as a worker's job does. */
async function read(chain = world.chain): Promise<void> {
  while (await keepEverBlacklisted(world.db, { ...world.network, chain }));
}

const listBlacklisted = async (): Promise<string[]> =>
  (await world.db.query<{ address: string }>('SELECT address FROM ever_blacklisted')).map(({ address }) => address);

/** A list that was too old is not retried for a moment. */
async function sendListed(): Promise<void> {
  await expect
    .poll(
      async () => {
        asked = [];
        expect((await send(randomAddress())).status).toBe(200);
        return asked;
      },
      { timeout: 120_000 },
    )
    .toEqual([]);
}

describe('the list of addresses that were ever blacklisted', () => {
  it('is not used before it is read: the token is asked', async () => {
    const destination = randomAddress();
    expect((await send(destination)).status).toBe(200);
    expect(asked.map((one) => one.toLowerCase())).toEqual([destination]);
    // The token is asked for a second at most.
    await eventually(async () => expect((await send(FROM_OLD)).body.code).toBe('address.blocked'));
  });

  it('is read from the first block on, and continues where it stopped, also in another process', async () => {
    const ranges: (readonly [bigint, bigint])[] = [];
    const noting: Chain = {
      ...world.chain,
      listRefusals(range) {
        ranges.push([range.from, range.to.number]);
        return world.chain.listRefusals(range);
      },
    };
    await read(noting);
    const [final, head] = [await world.chain.getFinalized(), await world.chain.getHead()];
    expect(ranges).toEqual([
      [0n, final.number],
      [final.number + 1n, head.number],
    ]);
    expect(await listBlacklisted()).toEqual([FROM_OLD]);
    await world.mine(40);
    await world.work();
    ranges.length = 0;
    // Only the database remembers anything.
    await read({ ...noting });
    expect(ranges[0]).toEqual([final.number + 1n, (await world.chain.getFinalized()).number]);
    expect(await listBlacklisted()).toEqual([FROM_OLD]);
  });

  it('saves the request for an address that is not on it', sendListed);

  it('causes a request for an address that is on it, and the answer is the same as without the list', async () => {
    const bad = randomAddress();
    await blacklist(bad);
    await read();
    const [answer, wanted] = [await send(bad), await send(bad, unlisted)];
    expect(asked.map((one) => one.toLowerCase())).toEqual([bad]);
    expect([answer.status, answer.body]).toEqual([wanted.status, wanted.body]);
    expect(answer.body).toMatchObject({ code: 'address.blocked', party: 'the destination' });

    await world.turn('/token', { unblacklist: bad });
    await world.mine();
    await read();
    asked = [];
    expect((await send(bad)).status).toBe(200);
    expect(asked).toHaveLength(1);
  });

  it('is not used while it is stale', async () => {
    await sendListed();
    await world.db.query(`UPDATE blacklist_reads SET read_at = read_at - interval '2 minutes'`);
    await send(randomAddress());
    expect(asked).toHaveLength(1);
    await read();
    await sendListed();
  });

  it('is not used while the token is paused', async () => {
    await world.turn('/token', { paused: true });
    await world.mine();
    await read();
    const destination = randomAddress();
    const [answer, wanted] = [await send(destination), await send(destination, unlisted)];
    expect([answer.status, answer.body]).toEqual([wanted.status, wanted.body]);
    expect(answer.body.code).toBe('service.paused');
    await world.turn('/token', { paused: false });
    await world.mine();
    await read();
    await sendListed();
  });

  it('sends no coins to an address that it does not have yet: the token is asked before signing', async () => {
    await sendListed();
    const bad = randomAddress();
    await blacklist(bad);
    asked = [];
    const { status, body } = await send(bad);
    expect([status, asked]).toEqual([200, []]);
    // Nothing is denied while the watcher lags: this pass lets it catch up.
    await world.settleDown();
    expect((await world.get(body.transaction_id)).state).toBe('DENIED');
    expect(await world.balance(bad)).toBe(0n);
    expect(await world.faults()).toEqual([]);
  });

  it('keeps an answer under its key, whatever is added to the list later', async () => {
    await sendListed();
    const destination = randomAddress();
    const again = async () => {
      const response = await fetch(`${listed.url}/wallet/send-usdc`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'idempotency-key': `key of ${destination}` },
        body: JSON.stringify({ destination_address: destination, amount: 0.01 }),
      });
      return readAnswer(response);
    };
    const first = await again();
    await blacklist(destination);
    await read();
    const second = await again();
    expect([second.status, second.body]).toEqual([200, first.body]);
    expect(second.headers.get('idempotency-replayed')).toBe('true');
  });
});

describe('one of three nodes', () => {
  const withLiar = async (lie: Lie, use: (chain: Chain) => Promise<void>): Promise<void> => {
    const liar = await serveLiar(world.url);
    liar.lie = lie;
    const tokens = [{ symbol: 'USDC', decimals: 6, contract: PLACE.usdc }];
    const chain = viemChain({
      blockchain: HOME,
      chainId: PLACE.chainId,
      tokens,
      finality: { kind: 'tag' },
      rpcUrls: [liar.url, world.url, world.url],
      timeoutMs: 20_000,
    });
    await use(chain);
    liar.close();
  };

  it('cannot keep an address off the list', async () => {
    const bad = randomAddress();
    await blacklist(bad);
    await withLiar(({ method }, truth) => (method === 'eth_getLogs' ? [] : truth), read);
    expect(await listBlacklisted()).toContain(bad);
  });

  it('cannot put an address on it, or report the token as paused', async () => {
    const good = randomAddress();
    const before = await listBlacklisted();
    const invent: Lie = ({ method, params }, truth) => {
      if (method !== 'eth_getLogs') return truth;
      const { toBlock } = params[0] as { toBlock: Hex };
      const place = { blockNumber: toBlock, blockHash: pad('0x1'), transactionHash: pad('0x2'), logIndex: '0x63' };
      const topics = [BLACKLISTED, pad(good, { size: 32 })];
      return [...(truth as unknown[]), { address: PLACE.usdc, topics, data: '0x', ...place }];
    };
    await withLiar(invent, read);
    expect(await listBlacklisted()).toEqual(before);
  });

  it('may refuse wide ranges: they are read in parts', async () => {
    const bad = randomAddress();
    await blacklist(bad);
    await world.mine(80);
    const narrow: Lie = ({ method, params }, truth) => {
      const { fromBlock, toBlock } = (params[0] ?? {}) as { fromBlock?: Hex; toBlock?: Hex };
      if (method === 'eth_getLogs' && fromBlock && hexToBigInt(toBlock!) - hexToBigInt(fromBlock) >= 10n) {
        throw new Refusal(-32005, 'block range is too wide');
      }
      return truth;
    };
    await withLiar(narrow, async (chain) => {
      await read(chain);
      expect(chain.nodes()[0]!.fault).toBeUndefined();
    });
    expect(await listBlacklisted()).toContain(bad);
  });
});

describe('when final blocks are replaced', () => {
  it('the blocks that replace them are read again', async () => {
    await read();
    const [{ next_block: next }] = (await world.db.query('SELECT next_block FROM blacklist_reads')) as [
      { next_block: bigint },
    ];
    await world.db.query('UPDATE chain_cursors SET block_number = $1', [next - 20n]);
    const from: bigint[] = [];
    await read({
      ...world.chain,
      listRefusals(range) {
        from.push(range.from);
        return world.chain.listRefusals(range);
      },
    });
    expect(numberToHex(from[0]!)).toBe(numberToHex(next - 19n));
  });
});
