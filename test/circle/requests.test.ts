/** Every request of our own adapter is what the official SDK sends for the same wish, field by field. */
import { initiateDeveloperControlledWalletsClient } from '@circle-fin/developer-controlled-wallets';
import { expect, it } from 'vitest';
import { startCircleDouble } from '../../sandbox/src/circle/startCircleDouble.ts';
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

/** What is compared: the order of fields means nothing, and our own name in `User-Agent` is no secret. */
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

it('asks as the SDK does', async () => {
  const double = await startCircleDouble({ chains: [], ...QUICK, isEmpty: true });
  const ours = await recordRequests(double.url);
  const theirs = await recordRequests(double.url);
  const { apiKey, entitySecret } = double;

  const circle = openCircle({
    url: ours.url,
    apiKey,
    entitySecret: Buffer.from(entitySecret, 'hex'),
    timeoutMs: 20_000,
  });
  const walletSetId = await getWalletSet(circle, SEED);
  await checkWalletSet(circle, walletSetId);
  const open = (networks: typeof NETWORKS) =>
    circleWallets({ circle, networks, isTest: true, walletSetId: () => walletSetId });
  const owner = { kind: 'user', issuer: 'https://issuer.example', subject: 'alice' } as const;
  const { reference, address } = await open(NETWORKS.slice(0, 1)).create(owner);
  const domain = { name: 'USDC', version: '2', chainId: 84532, verifyingContract: USDC } as const;
  const signed = await open(NETWORKS).signCancellation(reference, domain, address, `0x${'a'.repeat(64)}`);
  expect(signed.outcome).toBe('accepted');

  const sdk = initiateDeveloperControlledWalletsClient({ apiKey, entitySecret, baseUrl: theirs.url });
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

  const isKey = ({ line }: { line: string }) => line.endsWith('/publicKey');
  const [we, they] = [ours.requests.map(describe), theirs.requests.map(describe)];
  expect(we.filter((one) => !isKey(one))).toEqual(they.filter((one) => !isKey(one)));
  expect(we.filter(isKey)).toEqual(they.filter(isKey));
  await Promise.all([ours.stop(), theirs.stop()]);
  await double.stop();
});
