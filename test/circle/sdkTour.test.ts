/** The unmodified official SDK uses the sandbox's Circle double for everything that Florin needs from Circle. */
import { createPublicKey, randomBytes, randomUUID, verify } from 'node:crypto';
import {
  type CircleDeveloperControlledWalletsClient,
  initiateDeveloperControlledWalletsClient,
} from '@circle-fin/developer-controlled-wallets';
import { encodeFunctionData, getAddress, type Hex, parseSignature } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { OPERATOR_KEY, usdcAbi } from '../../sandbox/src/chain/genesis.ts';
import { PLACE } from '../support/chain/serveTestChain.ts';
import { startCircleWorld } from '../support/circle/circleWorld.ts';
import { normalizeRequest, type RecordedRequest, recordRequests } from '../support/circle/recordRequests.ts';
import { eventually } from '../support/eventually.ts';

const BLOCKCHAIN = 'ETH-SEPOLIA';
let world: Awaited<ReturnType<typeof startCircleWorld>>;
let recorder: Awaited<ReturnType<typeof recordRequests>>;
let circle: CircleDeveloperControlledWalletsClient;

beforeAll(async () => {
  world = await startCircleWorld();
  recorder = await recordRequests(world.double.url);
  const { apiKey, entitySecret } = world.double;
  circle = initiateDeveloperControlledWalletsClient({ apiKey, entitySecret, baseUrl: recorder.url });
});
afterAll(async () => {
  await recorder?.stop();
  await world?.stop();
});

const stranger = () => privateKeyToAccount(`0x${randomBytes(32).toString('hex')}`).address;
const usdcOf = async (id: string) =>
  (await circle.getWalletTokenBalance({ id })).data?.tokenBalances?.find(({ token }) => token.symbol === 'USDC')
    ?.amount;

it('creates wallets, signs, sends, waits, lists, cancels and verifies webhooks, and its requests are recorded', async () => {
  const walletSet = (await circle.createWalletSet({ name: 'Tour', idempotencyKey: randomUUID() })).data!.walletSet!;
  expect((await circle.listWalletSets({ pageSize: 50 })).data!.walletSets![0]).toEqual(walletSet);
  const made = await circle.createWallets({
    walletSetId: walletSet.id,
    blockchains: [BLOCKCHAIN],
    count: 1,
    metadata: [{ name: 'ann', refId: '0c0ffee0-0000-4000-8000-00000000000a' }],
    idempotencyKey: randomUUID(),
    accountType: 'EOA',
  });
  const wallet = made.data!.wallets[0]!;
  const [found] = (
    await circle.listWallets({
      walletSetId: walletSet.id,
      refId: '0c0ffee0-0000-4000-8000-00000000000a',
      blockchain: BLOCKCHAIN,
    })
  ).data!.wallets;
  expect(found).toEqual(wallet);
  expect((await circle.getWallet({ id: wallet.id })).data!.wallet).toEqual(wallet);
  expect((await circle.updateWallet({ id: wallet.id, name: 'Ann' })).data!.wallet).toMatchObject({ name: 'Ann' });

  const subscription = (await circle.createSubscription({ endpoint: world.hookUrl })).data!;
  expect(subscription).toMatchObject({ enabled: true, endpoint: world.hookUrl });

  await world.mint(wallet.address, '100');
  await eventually(async () => expect(await usdcOf(wallet.id)).toBe('100'));

  // Signed by the double, relayed by someone else, and accepted by the token contract.
  const payee = stranger();
  await carry(wallet.id, wallet.address, payee);
  await eventually(async () => expect(await usdcOf(wallet.id)).toBe('97.5'));
  expect(await balanceOf(payee)).toBe(2_500_000n);
  expect((await circle.signMessage({ walletId: wallet.id, message: 'hello' })).data!.signature).toMatch(
    /^0x[0-9a-f]{130}$/,
  );

  const destinationAddress = stranger();
  expect((await circle.validateAddress({ address: destinationAddress, blockchain: BLOCKCHAIN })).data).toEqual({
    isValid: true,
  });
  const price = await circle.estimateTransferFee({
    walletId: wallet.id,
    tokenAddress: PLACE.usdc,
    blockchain: BLOCKCHAIN,
    amount: ['1.25'],
    destinationAddress,
  });
  expect(price.data?.high?.gasLimit).toMatch(/^\d+$/);
  const order = {
    walletId: wallet.id,
    tokenAddress: PLACE.usdc,
    blockchain: BLOCKCHAIN,
    amount: ['1.25'],
    destinationAddress,
    refId: 'payment-1',
    fee: { type: 'level', config: { feeLevel: 'MEDIUM' } },
    idempotencyKey: randomUUID(),
  } as const;
  const sent = (await circle.createTransaction(order as never)).data!;
  expect(sent.state).toBe('INITIATED');
  expect((await circle.createTransaction(order as never)).data).toEqual(sent);
  const ended = (await circle.getTransaction({ id: sent.id, waitForState: 'COMPLETE', pollingInterval: 50 })).data!
    .transaction!;
  expect(ended).toMatchObject({
    state: 'COMPLETE',
    amounts: ['1.25'],
    refId: 'payment-1',
    transactionType: 'OUTBOUND',
  });
  expect(await balanceOf(destinationAddress)).toBe(1_250_000n);

  const listed = await circle.listTransactions({ walletIds: [wallet.id], txType: 'OUTBOUND', blockchain: BLOCKCHAIN });
  expect(listed.data!.transactions!.map(({ id }) => id)).toEqual([sent.id]);
  const incoming = await circle.listTransactions({ walletIds: [wallet.id], txType: 'INBOUND' });
  expect(incoming.data!.transactions).toMatchObject([{ amounts: ['100'], destinationAddress: wallet.address }]);

  // A queued transfer is cancelled; a transfer stuck in the pool is accelerated.
  world.double.control.turn({ hold: 'QUEUED' });
  const queued = (await circle.createTransaction({ ...order, idempotencyKey: randomUUID() } as never)).data!;
  await eventually(async () => expect(await stateOf(queued.id)).toBe('QUEUED'));
  const cancelled = await circle.cancelTransaction({ id: queued.id, idempotencyKey: randomUUID() });
  expect(cancelled.data).toEqual({ id: queued.id, state: 'CANCELLED' });
  world.double.control.turn({ hold: null, fate: { state: 'STUCK', count: 1 } });
  const stuck = (await circle.createTransaction({ ...order, idempotencyKey: randomUUID() } as never)).data!;
  await eventually(async () => expect(await stateOf(stuck.id)).toBe('STUCK'));
  await circle.accelerateTransaction({ id: stuck.id, idempotencyKey: randomUUID() });
  await eventually(async () => expect(await stateOf(stuck.id)).toBe('COMPLETE'));

  const outcome = await eventually(() => {
    const about = world.heard.find(({ body }) => {
      const { notification } = JSON.parse(body.toString());
      return notification.id === sent.id && notification.state === 'COMPLETE';
    });
    expect(about).toBeDefined();
    return about!;
  });
  const keyId = String(outcome.headers['x-circle-key-id']);
  const key = (await circle.getNotificationSignature(keyId)).data!;
  expect(key).toMatchObject({ id: keyId, algorithm: 'ECDSA_SHA_256' });
  const publicKey = createPublicKey({ key: Buffer.from(key.publicKey!, 'base64'), format: 'der', type: 'spki' });
  const signature = Buffer.from(String(outcome.headers['x-circle-signature']), 'base64');
  expect(verify('sha256', outcome.body, publicKey, signature)).toBe(true);
  expect(verify('sha256', Buffer.concat([outcome.body, Buffer.from(' ')]), publicKey, signature)).toBe(false);
  await circle.deleteSubscription(subscription.id);

  // Waiting polls as often as necessary; one of those requests is enough.
  const seen = new Set<string>();
  const recorded: RecordedRequest[] = recorder.requests.map(normalizeRequest).filter((one) => {
    const text = JSON.stringify(one);
    return !seen.has(text) && seen.add(text);
  });
  await expect(`${JSON.stringify(recorded, null, 2)}\n`).toMatchFileSnapshot('./recorded.json');
});

it('reports a refusal by its code, as the SDK reads it', async () => {
  const unknownId = randomUUID();
  await expect(circle.getWallet({ id: unknownId })).rejects.toMatchObject({ code: 156001, status: 404 });
  const other = initiateDeveloperControlledWalletsClient({
    apiKey: world.double.apiKey,
    entitySecret: randomBytes(32).toString('hex'),
    baseUrl: world.double.url,
  });
  await expect(other.createWalletSet({ name: 'no' })).rejects.toMatchObject({ code: 156013 });
});

const stateOf = async (id: string) => (await circle.getTransaction({ id })).data!.transaction!.state;

async function balanceOf(address: string): Promise<bigint> {
  const data = encodeFunctionData({ abi: usdcAbi, functionName: 'balanceOf', args: [getAddress(address)] });
  return BigInt(await world.chain.local.read<Hex>('eth_call', [{ to: PLACE.usdc, data }, 'latest']));
}

/** In Circle's own form: a JSON text, the fields of the domain listed, numbers as decimal strings. */
async function carry(walletId: string, from: string, to: string): Promise<void> {
  const nonce: Hex = `0x${'17'.repeat(32)}`;
  const message = { from, to, value: '2500000', validAfter: '0', validBefore: '4102444800', nonce };
  const fields = (...list: string[]) => list.map((one) => ({ name: one.split(' ')[1]!, type: one.split(' ')[0]! }));
  const data = JSON.stringify({
    domain: { name: 'USDC', version: '2', chainId: String(PLACE.chainId), verifyingContract: PLACE.usdc },
    message,
    primaryType: 'TransferWithAuthorization',
    types: {
      EIP712Domain: fields('string name', 'string version', 'uint256 chainId', 'address verifyingContract'),
      TransferWithAuthorization: fields(
        'address from',
        'address to',
        'uint256 value',
        'uint256 validAfter',
        'uint256 validBefore',
        'bytes32 nonce',
      ),
    },
  });
  const signature = (await circle.signTypedData({ walletId, data })).data!.signature as Hex;
  const { r, s, v } = parseSignature(signature);
  const args = [getAddress(from), to, 2_500_000n, 0n, 4_102_444_800n, nonce, Number(v), r, s];
  const call = encodeFunctionData({ abi: usdcAbi, functionName: 'transferWithAuthorization', args });
  const operator = privateKeyToAccount(OPERATOR_KEY);
  const count = await world.chain.local.read<Hex>('eth_getTransactionCount', [operator.address, 'pending']);
  const raw = await operator.signTransaction({
    type: 'eip1559',
    chainId: PLACE.chainId,
    nonce: Number(count),
    to: PLACE.usdc,
    data: call,
    gas: 200_000n,
    maxFeePerGas: 20_000_000_000n,
    maxPriorityFeePerGas: 1_000_000_000n,
  });
  await world.chain.local.broadcast(raw);
}
