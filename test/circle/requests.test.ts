/** Every request of our own adapter equals what the official SDK sends for the same operation, field by field. */
import { randomUUID } from 'node:crypto';
import { initiateDeveloperControlledWalletsClient } from '@circle-fin/developer-controlled-wallets';
import { expect, it, onTestFinished } from 'vitest';
import { startCircleDouble } from '../../sandbox/src/circle/startCircleDouble.ts';
import { circleAccounts } from '../../server/src/adapters/wallets/circle/circleAccounts.ts';
import { circleTransfers } from '../../server/src/adapters/wallets/circle/circleTransfers.ts';
import { circleWallets } from '../../server/src/adapters/wallets/circle/circleWallets.ts';
import { openCircle } from '../../server/src/adapters/wallets/circle/openCircle.ts';
import { checkWalletSet, getWalletSet } from '../../server/src/adapters/wallets/circle/walletSets.ts';
import { QUICK } from '../support/circle/circleWorld.ts';
import { normalizeRequest, type RecordedRequest, recordRequests } from '../support/circle/recordRequests.ts';

const NETWORKS = [
  { blockchain: 'ETH-SEPOLIA', chainId: 11155111 },
  { blockchain: 'BASE-SEPOLIA', chainId: 84532 },
];
const USDC = '0x1c7D4B196Cb0C7B01d743Fbc6116a902379C7238';
const SEED = 'f'.repeat(64);

/** The comparison ignores the order of fields, and our own name in `User-Agent` is not a secret. */
function describe(recorded: RecordedRequest) {
  const { method, path, headers, body } = normalizeRequest(recorded);
  const { pathname, searchParams } = new URL(path, 'http://circle');
  const kept = headers.filter(([name]) => ['authorization', 'content-type', 'accept'].includes(name));
  return {
    line: `${method} ${decodeURIComponent(pathname)}`,
    query: Object.fromEntries(searchParams),
    headers: Object.fromEntries(kept),
    body: body && Object.fromEntries(body),
  };
}
const textOf = (requests: readonly RecordedRequest[], path: string, field: string): string =>
  String(Object.fromEntries(requests.find((one) => one.path.endsWith(path))!.body!)[field]);

/** Our adapter and the SDK, each with its own recording proxy to the same double. */
async function openBoth(options: { readonly isEmpty?: boolean } = {}) {
  const double = await startCircleDouble({ chains: [], ...QUICK, ...options });
  const [ours, theirs] = [await recordRequests(double.url), await recordRequests(double.url)];
  onTestFinished(async () => {
    await Promise.all([ours.stop(), theirs.stop()]);
    await double.stop();
  });
  const { apiKey, entitySecret, walletSetId } = double;
  const secret = Buffer.from(entitySecret, 'hex');
  const circle = openCircle({ url: ours.url, apiKey, entitySecret: secret, timeoutMs: 20_000 });
  const sdk = initiateDeveloperControlledWalletsClient({ apiKey, entitySecret, baseUrl: theirs.url });
  return { ours, theirs, circle, sdk, walletSetId };
}
/** Whatever the double answers. */
const ask = async (work: Promise<unknown>) => void (await work.catch(() => {}));
const isKey = ({ line }: { readonly line: string }) => line.endsWith('/publicKey');

it('sends the requests that the SDK sends', async () => {
  const { ours, theirs, circle, sdk } = await openBoth({ isEmpty: true });
  const walletSetId = await getWalletSet(circle, SEED);
  await checkWalletSet(circle, walletSetId);
  const open = (networks: typeof NETWORKS) =>
    circleWallets({ circle, networks, isTest: true, walletSetId: () => walletSetId });
  const owner = { kind: 'user', issuer: 'https://issuer.example', subject: 'alice' } as const;
  const { reference, address } = await open(NETWORKS.slice(0, 1)).create(owner);
  const domain = { name: 'USDC', version: '2', chainId: 84532, verifyingContract: USDC } as const;
  const signed = await open(NETWORKS).signCancellation(reference, domain, address, `0x${'a'.repeat(64)}`);
  expect(signed.outcome).toBe('accepted');

  const name = textOf(ours.requests, '/developer/walletSets', 'name');
  await sdk.listWalletSets({ pageSize: 50, order: 'ASC' });
  const keyOf = (path: string) => textOf(ours.requests, path, 'idempotencyKey');
  await sdk.createWalletSet({ name, idempotencyKey: keyOf('/developer/walletSets') });
  await sdk.getWalletSet({ id: walletSetId });
  const metadata = { name: 'Florin', refId: reference };
  await sdk.listWallets({ walletSetId, refId: reference, pageSize: 50 });
  const made = await sdk.createWallets({
    walletSetId,
    blockchains: ['EVM-TESTNET'],
    count: 1,
    metadata: [metadata],
    accountType: 'EOA',
    idempotencyKey: keyOf('/developer/wallets'),
  });
  await sdk.listWallets({ walletSetId, refId: reference, pageSize: 50 });
  const derived = await sdk.deriveWallet({ id: made.data!.wallets[0]!.id, blockchain: 'BASE-SEPOLIA', metadata });
  const data = textOf(ours.requests, '/sign/typedData', 'data');
  await sdk.signTypedData({ walletId: derived.data!.wallet!.id, data });

  const [we, they] = [ours.requests.map(describe), theirs.requests.map(describe)];
  expect(we.filter((one) => !isKey(one))).toEqual(they.filter((one) => !isKey(one)));
  expect(we.filter(isKey)).toEqual(they.filter(isKey));
});

it('requests transfers as the SDK does', async () => {
  const { ours, theirs, circle, sdk, walletSetId } = await openBoth();
  const shared = { circle, accountType: 'SCA', isTest: true, walletSetId: () => walletSetId } as const;
  const accounts = circleAccounts({ ...shared, provider: 'circle_send' });
  const sender = circleTransfers({ ...shared, accounts, feeLevel: 'HIGH' });
  const { reference } = await accounts.create({ kind: 'treasury' });
  const [key, id, otherKey] = [randomUUID(), randomUUID(), randomUUID()];
  const to = '0x00000000000000000000000000000000000000a1';
  const request = { key, blockchain: 'ETH-SEPOLIA', token: USDC, reference, to, amount: 1_500_000n } as const;
  const before = ours.requests.length;
  // No such chain runs here, so the double refuses; only the request matters.
  await sender.search(request);
  await sender.submit(request);
  const sent = { ...request, providerId: id, cancelKey: otherKey, accelerateKey: otherKey };
  await sender.find(sent);
  await sender.cancel(sent);
  await sender.accelerate(sent);

  const walletId = textOf(ours.requests, '/transactions/transfer', 'walletId');
  const wallet = { walletIds: [walletId], destinationAddress: to };
  await ask(sdk.listTransactions({ ...wallet, blockchain: 'ETH-SEPOLIA', txType: 'OUTBOUND', pageSize: 50 }));
  await ask(
    sdk.createTransaction({
      walletId,
      tokenAddress: USDC,
      blockchain: 'ETH-SEPOLIA',
      amount: ['1.5'],
      destinationAddress: to,
      refId: key,
      idempotencyKey: key,
      fee: { type: 'level', config: { feeLevel: 'HIGH' } },
    } as Parameters<typeof sdk.createTransaction>[0]),
  );
  await ask(sdk.getTransaction({ id }));
  await ask(sdk.cancelTransaction({ id, idempotencyKey: otherKey }));
  await ask(sdk.accelerateTransaction({ id, idempotencyKey: otherKey }));

  const [we, they] = [ours.requests.slice(before).map(describe), theirs.requests.map(describe)];
  expect(we.filter((one) => !isKey(one))).toEqual(they.filter((one) => !isKey(one)));
});

it('queries arrivals and balances on Solana as the SDK does', async () => {
  const { ours, theirs, circle, sdk, walletSetId } = await openBoth();
  const shared = { circle, accountType: 'EOA', isTest: true, walletSetId: () => walletSetId } as const;
  const accounts = circleAccounts({ ...shared, provider: 'circle_send', family: 'solana' });
  const evm = circleAccounts({ ...shared, provider: 'circle_send' });
  const sender = circleTransfers({ ...shared, accounts: evm, elsewhere: { solana: accounts }, feeLevel: 'MEDIUM' });
  const { reference } = await accounts.create({ kind: 'treasury' });
  const [id, blockchain, token] = [randomUUID(), 'SOL-DEVNET', '4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU'] as const;
  const since = '2026-01-02T03:04:05.000Z';
  const before = ours.requests.length;
  await sender.listArrivals(blockchain, since, id);
  await sender.findArrival(blockchain, id);
  await sender.readBalance({ blockchain, reference, token });

  const page = { from: since, pageAfter: id, pageSize: 50, order: 'ASC' } as const;
  await ask(sdk.listTransactions({ blockchain, ...page }));
  await ask(sdk.getTransaction({ id }));
  const wallet = (await accounts.find(reference))!;
  const walletId = await accounts.idOn(reference, wallet, blockchain);
  await ask(sdk.getWalletTokenBalance({ id: walletId, tokenAddresses: [token] }));
  expect(ours.requests.slice(before).map(describe)).toEqual(theirs.requests.map(describe));
});
