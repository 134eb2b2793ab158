import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Hex, recoverMessageAddress } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CircleCaller, callCircle, QUICK, startCircleWorld } from '../../../test/support/circle/circleWorld.ts';
import { startCircleDouble } from './startCircleDouble.ts';

const folder = mkdtempSync(join(tmpdir(), 'florin-circle-'));
const stateFile = join(folder, 'circle.journal');
let world: Awaited<ReturnType<typeof startCircleWorld>>;
let circle: CircleCaller;

beforeAll(async () => {
  world = await startCircleWorld({ stateFile });
  circle = callCircle(world.double);
});
afterAll(async () => {
  await world?.stop();
  rmSync(folder, { recursive: true });
});

const WALLETS = '/v1/w3s/developer/wallets';
const makeWallets = (body: object) =>
  circle.post(WALLETS, { walletSetId: world.double.walletSetId, count: 1, ...body });
const makeWallet = async (body: object = {}) =>
  (await makeWallets({ blockchains: ['ETH-SEPOLIA'], ...body })).body.data.wallets[0];

describe('authentication', () => {
  it('accepts its API key, a ping, and paths with one slash too many', async () => {
    expect((await fetch(`${world.double.url}/v1/w3s/wallets`)).status).toBe(401);
    expect(await (await fetch(`${world.double.url}/ping`)).json()).toEqual({ message: 'pong' });
    expect((await circle.get('//v1/w3s/wallets')).status).toBe(200);
    expect((await circle.get('/v1/w3s/nothing')).status).toBe(404);
    expect(await circle.get('/v1/w3s/wallets/no-uuid')).toMatchObject({ status: 400, body: { code: 156009 } });
  });

  it('accepts each ciphertext of the entity secret once, and only of the right secret', async () => {
    const body = { name: 'set', idempotencyKey: randomUUID(), entitySecretCiphertext: await circle.encrypt() };
    const path = '/v1/w3s/developer/walletSets';
    expect((await circle.ask('POST', path, body)).status).toBe(201);
    expect((await circle.ask('POST', path, body)).body.code).toBe(156004);
    expect((await circle.post(path, { name: 'x', entitySecretCiphertext: 'bm9uc2Vuc2U=' })).body.code).toBe(156013);
    expect((await circle.post(path, { name: 'x', entitySecretCiphertext: undefined })).body.code).toBe(156013);
  });

  it('enforces the limits per second when they are on', async () => {
    world.double.control.turn({ limits: true });
    const body = { address: 'x', blockchain: 'ETH-SEPOLIA' };
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => circle.ask('POST', '/v1/w3s/transactions/validateAddress', body)),
    );
    world.double.control.reset();
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses.slice(0, 5)).toEqual([201, 201, 201, 201, 201]);
    expect(statuses.at(-1)).toBe(429);
  });

  it('listens on this machine only', async () => {
    await expect(startCircleDouble({ chains: [], host: '0.0.0.0' })).rejects.toThrow(/127\.0\.0\.1 only/);
  });
});

describe('an idempotency key', () => {
  it('stands for one request: a repetition gets the first answer, another request is refused', async () => {
    const idempotencyKey = randomUUID();
    const body = { blockchains: ['ETH-SEPOLIA'], metadata: [{ name: 'a', refId: 'one' }], idempotencyKey };
    const before = world.double.control.wallets().length;
    const [first, second] = await Promise.all([makeWallets(body), makeWallets(body)]);
    expect(first.status).toBe(201);
    expect(second).toEqual(first);
    expect(await makeWallets({ ...body, metadata: [{ refId: 'one', name: 'a' }] })).toEqual(first);
    expect((await makeWallets({ ...body, count: 2 })).body.code).toBe(156020);
    expect(world.double.control.wallets()).toHaveLength(before + 1);
  });

  it('must be a UUID of version 4', async () => {
    const wrong = '298b5449-e9e9-5a61-8f5c-7c8a6f5b1a11';
    expect(await makeWallets({ blockchains: ['ETH-SEPOLIA'], idempotencyKey: wrong })).toMatchObject({
      status: 400,
      body: { code: 2, errors: [{ location: 'idempotencyKey' }] },
    });
  });
});

describe('wallets', () => {
  it('have addresses of their chain, and one address on all EVM chains of a call', async () => {
    const blockchains = ['ETH-SEPOLIA', 'BASE-SEPOLIA', 'EVM-TESTNET', 'SOL-DEVNET', 'APTOS-TESTNET'];
    const walletSetId = (await circle.post('/v1/w3s/developer/walletSets', { name: 'fresh' })).body.data.walletSet.id;
    const { wallets } = (await makeWallets({ blockchains, walletSetId })).body.data;
    const [eth, base, evm, sol, aptos] = wallets.map(({ address }: { address: string }) => address);
    expect(eth).toMatch(/^0x[0-9a-f]{40}$/);
    expect([base, evm]).toEqual([eth, eth]);
    expect(aptos).toMatch(/^0x[0-9a-f]{64}$/);
    for (const [address, blockchain, isValid] of [
      [sol, 'SOL-DEVNET', true],
      [aptos, 'APTOS-TESTNET', true],
      [eth, 'ETH-SEPOLIA', true],
      [`${sol.slice(0, -1)}0`, 'SOL-DEVNET', false],
      [sol.slice(4), 'SOL-DEVNET', false],
      [eth, 'APTOS-TESTNET', false],
      [`${eth}0`, 'ETH-SEPOLIA', false],
    ]) {
      const answer = await circle.ask('POST', '/v1/w3s/transactions/validateAddress', { address, blockchain });
      expect([address, answer.body.data]).toEqual([address, { isValid }]);
    }
    expect((await makeWallet()).address).not.toBe(eth);
    const next = await makeWallet({ metadata: [{ name: 'n', refId: 'kept' }] });
    const chain = 'BASE-SEPOLIA';
    const derived = await circle.ask('PUT', `/v1/w3s/developer/wallets/${next.id}/blockchains/${chain}`, {});
    expect(derived.body.data.wallet).toMatchObject({ address: next.address, blockchain: chain, refId: '' });
    const place = { walletAddress: next.address, sourceBlockchain: 'ETH-SEPOLIA', targetBlockchain: chain };
    const again = await circle.ask('PUT', '/v1/w3s/developer/wallets/derive', { ...place, metadata: { refId: 'now' } });
    expect(again.body.data.wallet).toMatchObject({ id: derived.body.data.wallet.id, refId: 'now' });
  });

  it('are refused where Circle refuses them', async () => {
    expect((await makeWallets({ blockchains: ['ETH'] })).body.code).toBe(156006);
    expect((await makeWallets({ blockchains: ['DOGE'] })).body.code).toBe(156027);
    expect((await makeWallets({ blockchains: ['SOL-DEVNET'], accountType: 'SCA' })).body.code).toBe(156027);
    expect((await makeWallets({ blockchains: ['ETH-SEPOLIA'], walletSetId: randomUUID() })).body.code).toBe(156005);
  });

  it('are found by refId, in pages', async () => {
    const refId = `people ${randomUUID()}`;
    const metadata = [1, 2, 3].map((i) => ({ name: `n${i}`, refId }));
    await makeWallets({ blockchains: ['ETH-SEPOLIA'], count: 3, metadata });
    const list = async (more = '') =>
      (await circle.get(`/v1/w3s/wallets?refId=${encodeURIComponent(refId)}${more}`)).body.data.wallets;
    const all = await list();
    expect(all.map(({ name }: { name: string }) => name)).toEqual(['n3', 'n2', 'n1']);
    expect(await list('&order=ASC')).toEqual(all.toReversed());
    expect(await list('&pageSize=2')).toEqual(all.slice(0, 2));
    expect(await list(`&pageAfter=${all[1].id}`)).toEqual(all.slice(2));
    expect(await list(`&pageBefore=${all[1].id}`)).toEqual(all.slice(0, 1));
    expect((await circle.get(`/v1/w3s/wallets?pageAfter=${randomUUID()}`)).body.code).toBe(156014);
  });
});

describe('signing', () => {
  const domain = { name: 'USDC', version: '2', chainId: '31337', verifyingContract: `0x${'11'.repeat(20)}` };
  const types = {
    EIP712Domain: [
      { name: 'name', type: 'string' },
      { name: 'version', type: 'string' },
      { name: 'chainId', type: 'uint256' },
      { name: 'verifyingContract', type: 'address' },
    ],
    Note: [{ name: 'text', type: 'string' }],
  };
  const signData = async (walletId: string, data: object) =>
    circle.post('/v1/w3s/developer/sign/typedData', { walletId, data: JSON.stringify(data) });

  it('requires the domain’s fields in the list, matching the domain', async () => {
    const { id } = await makeWallet();
    const good = { domain, types, primaryType: 'Note', message: { text: 'x' } };
    expect((await signData(id, good)).body.data.signature).toMatch(/^0x[0-9a-f]{130}$/);
    for (const bad of [
      { ...good, types: { Note: types.Note } },
      { ...good, types: { ...types, EIP712Domain: [] } },
      { ...good, types: { ...types, EIP712Domain: types.EIP712Domain.slice(0, 3) } },
      { ...good, primaryType: 'Other' },
      { ...good, message: undefined },
    ]) {
      expect((await signData(id, bad)).body.code).toBe(2);
    }
    expect((await signData(randomUUID(), good)).body.code).toBe(156001);
  });

  it('can return the forms of a signature that a client must not trust', async () => {
    const wallet = await makeWallet();
    const sign = async (signatures: 'normal' | 'v_0_or_1' | 'high_s' | 'other_signer') => {
      world.double.control.turn({ signatures });
      const { body } = await circle.post('/v1/w3s/developer/sign/message', { walletId: wallet.id, message: 'hello' });
      world.double.control.reset();
      return body.data.signature as Hex;
    };
    const signer = async (signature: Hex) =>
      (await recoverMessageAddress({ message: 'hello', signature })).toLowerCase();
    expect(await signer(await sign('normal'))).toBe(wallet.address);
    const low = await sign('v_0_or_1');
    expect(low).toMatch(/0[01]$/);
    expect(await signer(low)).toBe(wallet.address);
    const high = await sign('high_s');
    expect(BigInt(`0x${high.slice(66, 130)}`)).toBeGreaterThan(2n ** 255n - 1n);
    expect(await signer(high)).toBe(wallet.address);
    expect(await signer(await sign('other_signer'))).not.toBe(wallet.address);
  });

  it('of chain transactions is for wallets of no particular chain', async () => {
    const { id } = await makeWallet();
    const sign = (walletId: string) =>
      circle.post('/v1/w3s/developer/sign/transaction', {
        walletId,
        transaction: JSON.stringify({
          to: `0x${'22'.repeat(20)}`,
          value: '1',
          gas: '21000',
          maxFeePerGas: '2000000000',
          maxPriorityFeePerGas: '1000000000',
          nonce: 0,
          chainId: 31337,
        }),
      });
    expect((await sign(id)).body.code).toBe(156027);
    const generic = await makeWallet({ blockchains: ['EVM-TESTNET'] });
    expect((await sign(generic.id)).body.data).toMatchObject({ signedTransaction: expect.stringMatching(/^0x02/) });
  });
});

describe('a restart', () => {
  it('keeps keys, wallets, answers and used ciphertexts, in a file for its owner only', async () => {
    const idempotencyKey = randomUUID();
    const entitySecretCiphertext = await circle.encrypt();
    const body = { walletSetId: world.double.walletSetId, blockchains: ['ETH-SEPOLIA'], idempotencyKey };
    const first = await circle.ask('POST', WALLETS, { ...body, entitySecretCiphertext });
    const publicKey = await circle.get('/v1/w3s/config/entity/publicKey');
    // The same file, as a process finds it after a kill.
    const again = await startCircleDouble({ chains: [], stateFile, ...QUICK });
    const caller = callCircle(again);
    expect(again).toMatchObject({ apiKey: world.double.apiKey, walletSetId: world.double.walletSetId });
    expect(await caller.get('/v1/w3s/config/entity/publicKey')).toEqual(publicKey);
    expect((await caller.ask('POST', WALLETS, { ...body, entitySecretCiphertext })).body.code).toBe(156004);
    expect(await caller.post(WALLETS, body)).toEqual(first);
    await again.stop();
    expect(statSync(stateFile).mode & 0o777).toBe(0o600);
  });
});

describe('the page', () => {
  const press = (fields: Record<string, string>, headers: Record<string, string> = {}) =>
    fetch(world.double.url, { method: 'POST', body: new URLSearchParams(fields), redirect: 'manual', headers });

  it('shows all records, without a script', async () => {
    await makeWallets({ blockchains: ['ETH-SEPOLIA'], metadata: [{ name: '<b>bold</b>', refId: 'shown-here' }] });
    const page = await fetch(world.double.url);
    const html = await page.text();
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(html).toContain('shown-here');
    expect(html).not.toMatch(/<script|<b>bold<\/b>/);
  });

  it('turns switches on and off, but not for other sites', async () => {
    expect((await press({ switch: 'busy' })).status).toBe(303);
    expect((await circle.get('/v1/w3s/wallets')).status).toBe(429);
    expect((await press({ switch: 'busy' }, { origin: 'https://evil.example' })).status).toBe(403);
    expect((await press({ switch: 'busy' })).status).toBe(303);
    expect((await circle.get('/v1/w3s/wallets')).status).toBe(200);
    expect((await press({ switch: '__proto__' })).status).toBe(400);
    expect((await fetch(`${world.double.url}/nothing`)).status).toBe(404);
  });

  it('has the same switches as JSON', async () => {
    const turn = (method: string, body?: object, headers = {}) =>
      fetch(`${world.double.url}/switches`, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    expect(await (await turn('POST', { answers: { kind: 'error', only: 'GET', count: 1 } })).json()).toMatchObject({
      answers: { kind: 'error', count: 1 },
    });
    expect((await circle.get('/v1/w3s/wallets')).status).toBe(500);
    expect((await circle.get('/v1/w3s/wallets')).status).toBe(200);
    expect((await turn('POST', { answers: { kind: 'nonsense' } })).status).toBe(400);
    expect((await turn('POST', { hold: 'SENT' }, { origin: 'https://evil.example' })).status).toBe(403);
    expect(await (await turn('DELETE')).json()).toMatchObject({ answers: null, hold: null });
  });
});
