import { randomUUID } from 'node:crypto';
import { findBlockchain } from '../blockchains.ts';
import type { Double } from '../double.ts';
import { addressOf, isSameAddress, nameId } from '../keys.ts';
import { type AccountType, stamp, type Wallet, type WalletSet } from '../records.ts';
import { type Call, findText, getText } from './call.ts';
import { listPage } from './listing.ts';
import { getId, invalid, Refusal } from './refusal.ts';
import { renderWallet, renderWalletSet } from './renderRecords.ts';

const MAX_WALLETS = 200;
const MAX_METADATA = 100;

export function createWalletSet({ store }: Double, call: Call) {
  const date = stamp();
  const walletSet: WalletSet = {
    id: randomUUID(),
    name: findText(call, 'name') ?? '',
    createDate: date,
    updateDate: date,
  };
  store.walletSets.put(walletSet);
  return { walletSet: renderWalletSet(walletSet) };
}

export const readWalletSet = (double: Double, call: Call) => ({
  walletSet: renderWalletSet(getWalletSet(double, call.ids[0])),
});

export const listWalletSets = ({ store }: Double, call: Call) => ({
  walletSets: listPage(store.walletSets.list(), call).map(renderWalletSet),
});

export function updateWalletSet(double: Double, call: Call) {
  const walletSet = { ...getWalletSet(double, call.ids[0]), name: getText(call, 'name'), updateDate: stamp() };
  double.store.walletSets.put(walletSet);
  return { walletSet: renderWalletSet(walletSet) };
}

function getWalletSet({ store }: Double, id: unknown): WalletSet {
  const found = store.walletSets.find(getId(id));
  if (!found) throw new Refusal(404, 156005, 'Cannot find target wallet set in the system.');
  return found;
}

export function getWallet({ store }: Double, id: unknown): Wallet {
  const found = store.wallets.find(getId(id));
  if (!found) throw new Refusal(404, 156001, 'Cannot find target wallet in the system.');
  return found;
}

/** A wallet is named by its id, or by address and blockchain, not by both. */
export function findWalletOf(double: Double, call: Call, addressName = 'walletAddress'): Wallet {
  const [id, address, blockchain] = [
    findText(call, 'walletId'),
    findText(call, addressName),
    findText(call, 'blockchain'),
  ];
  if (id !== undefined && address !== undefined) {
    throw new Refusal(400, 155244, `walletId and ${addressName} cannot be used together`);
  }
  if (id !== undefined) return getWallet(double, id);
  if (address === undefined || blockchain === undefined)
    throw invalid('walletId', `or ${addressName} and blockchain are required`);
  return findByAddress(double, blockchain, address);
}

export function refuseFrozen({ switches }: Double, { address }: Wallet): void {
  if (switches.freeze.some((one) => isSameAddress(one, address)))
    throw new Refusal(400, 155501, 'the wallet is frozen');
}

function findByAddress({ store }: Double, blockchain: string, address: string): Wallet {
  const found = store.wallets
    .list()
    .find((one) => one.blockchain === blockchain && isSameAddress(one.address, address));
  if (!found) throw new Refusal(404, 156001, 'Cannot find target wallet in the system.');
  return found;
}

export function createWallets(double: Double, call: Call) {
  const { id: walletSetId } = getWalletSet(double, call.body.walletSetId);
  const blockchains = readBlockchains(double, call.body.blockchains);
  const count = call.body.count ?? 1;
  if (!Number.isInteger(count) || Number(count) < 1 || Number(count) > MAX_WALLETS) {
    throw invalid('count', `must be from 1 to ${MAX_WALLETS}`, count);
  }
  const accountType = findText(call, 'accountType') ?? 'EOA';
  if (accountType !== 'EOA' && accountType !== 'SCA') throw invalid('accountType', 'must be EOA or SCA', accountType);
  if (accountType === 'SCA' && blockchains.some((name) => !isSmart(name))) {
    throw new Refusal(400, 156027, 'there are no smart contract accounts on this blockchain');
  }
  const metadata = readMetadata(call.body.metadata);
  if (metadata.length > 0 && metadata.length !== count) {
    throw new Refusal(400, 155503, 'metadata must have as many entries as there are wallets');
  }
  const firsts = blockchains.map((blockchain) => nextIndex(double, walletSetId, blockchain));
  const wallets = Array.from({ length: Number(count) }, (_, i) =>
    blockchains.map((blockchain, at) =>
      makeWallet(double, { walletSetId, accountType, index: firsts[at]! + i }, blockchain, metadata[i]),
    ),
  ).flat();
  return { wallets: wallets.map(renderWallet) };
}

/**
 * Counted per blockchain: EVM wallets of one call share an address only if the same number were created before on each
 * chain. Circle does not document how it counts across several calls, so clients must not depend on a more convenient
 * way.
 */
const nextIndex = ({ store }: Double, walletSetId: string, blockchain: string): number =>
  1 +
  Math.max(
    -1,
    ...store.wallets
      .list()
      .flatMap((one) => (one.walletSetId === walletSetId && one.blockchain === blockchain ? [one.index] : [])),
  );

const isSmart = (blockchain: string): boolean => {
  const { family, isGeneric } = findBlockchain(blockchain)!;
  return family === 'evm' && !isGeneric;
};

function readBlockchains({ secrets }: Double, value: unknown): string[] {
  if (!Array.isArray(value) || value.length === 0) throw invalid('blockchains', 'must be a list of blockchains', value);
  for (const name of value) {
    const known = findBlockchain(name);
    if (!known) throw new Refusal(400, 156027, `${name} is not a supported blockchain`);
    if (known.isTestnet !== secrets.apiKey.startsWith('TEST_')) {
      throw new Refusal(
        400,
        156006,
        `the API key is not for ${name}: test keys are for testnets, live keys for the others`,
      );
    }
  }
  return [...new Set(value as string[])];
}

interface Metadata {
  readonly name: string;
  readonly refId: string;
}

function readMetadata(value: unknown): Metadata[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw invalid('metadata', 'must be a list', value);
  return value.map((one: Partial<Metadata> | null) => {
    const [name, refId] = [one?.name ?? '', one?.refId ?? ''];
    if ([name, refId].some((text) => typeof text !== 'string' || text.length > MAX_METADATA)) {
      throw new Refusal(400, 155503, `name and refId must be texts of at most ${MAX_METADATA} characters`);
    }
    return { name, refId };
  });
}

interface KeyPath {
  readonly walletSetId: string;
  readonly accountType: AccountType;
  readonly index: number;
}

function makeWallet({ store, secrets }: Double, place: KeyPath, blockchain: string, metadata?: Metadata): Wallet {
  const date = stamp();
  const id = nameId('wallet', place.walletSetId, place.accountType, place.index, blockchain);
  const known = store.wallets.find(id);
  const wallet: Wallet = {
    id,
    ...place,
    blockchain,
    address: addressOf(secrets.seed, blockchain, place),
    name: metadata?.name ?? known?.name ?? '',
    refId: metadata?.refId ?? known?.refId ?? '',
    createDate: known?.createDate ?? date,
    updateDate: date,
  };
  store.wallets.put(wallet);
  return wallet;
}

export const readWallet = (double: Double, call: Call) => ({ wallet: renderWallet(getWallet(double, call.ids[0])) });

export const listWallets = (double: Double, call: Call) => ({
  wallets: listPage(findWallets(double, call), call).map(renderWallet),
});

/** The wallets that match the filters of a query. */
export function findWallets({ store }: Double, { query }: Call): Wallet[] {
  const [address, scaCore] = [query.get('address'), query.get('scaCore')];
  const exact = (['blockchain', 'walletSetId', 'refId'] as const).filter((name) => query.get(name) !== null);
  return store.wallets
    .list()
    .filter((one) => exact.every((name) => one[name] === query.get(name)))
    .filter((one) => address === null || isSameAddress(one.address, address))
    .filter((one) => scaCore === null || one.accountType === 'SCA');
}

export function updateWallet(double: Double, call: Call) {
  const before = getWallet(double, call.ids[0]);
  const [metadata] = readMetadata([{ name: before.name, refId: before.refId, ...definedOf(call) }]);
  const wallet = { ...before, ...metadata!, updateDate: stamp() };
  double.store.wallets.put(wallet);
  return { wallet: renderWallet(wallet) };
}

const definedOf = ({ body }: Call) =>
  Object.fromEntries(['name', 'refId'].filter((name) => body[name] != null).map((name) => [name, body[name]]));

/** The same address on another EVM chain; if that wallet already exists, only its metadata changes. */
export const deriveWallet = (double: Double, call: Call) =>
  derive(double, call, getWallet(double, call.ids[0]), call.ids[1]);

export function deriveWalletByAddress(double: Double, call: Call) {
  const [address, blockchain] = [getText(call, 'walletAddress'), getText(call, 'sourceBlockchain')];
  return derive(double, call, findByAddress(double, blockchain, address), getText(call, 'targetBlockchain'));
}

function derive(double: Double, call: Call, source: Wallet, target: unknown) {
  const [blockchain] = readBlockchains(double, [target]);
  if (findBlockchain(source.blockchain)!.family !== 'evm' || findBlockchain(blockchain)!.family !== 'evm') {
    throw new Refusal(400, 156027, 'only EVM chains share an address');
  }
  const [metadata] = readMetadata(call.body.metadata === undefined ? undefined : [call.body.metadata]);
  const { walletSetId, accountType, index } = source;
  return { wallet: renderWallet(makeWallet(double, { walletSetId, accountType, index }, blockchain!, metadata)) };
}
