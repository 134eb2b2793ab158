/** A blockchain, a relayer and keys for races: they refuse nothing and answer immediately. */
import { createHash } from 'node:crypto';
import { derivePath } from '../../../../server/src/adapters/wallets/local/localWallets.ts';
import type { Bid, Block, Chain, Hex, Keyring, TokenLog } from '../../../../server/src/core/ports.ts';
import type { Poll } from '../../../../server/src/custody/eip3009/relaying/pollChain.ts';
import type { Network } from '../../../../server/src/custody/network.ts';
import type { SigningApp } from '../../../../server/src/custody/signing/signingApp.ts';
import type { Db } from '../../../../server/src/db/database.ts';
import { HOME } from '../../values.ts';
import { FIRST_BLOCK } from '../model/predict.ts';
import { usdc } from './usdc.ts';

const CHAIN_ID = 1;
/** Any address: no node is asked. */
export const TOKEN: Hex = `0x${'7'.repeat(40)}`;
/** The coins of each wallet of a scene, on the chain. */
export const COINS = usdc(200);
export const RELAYER = { reference: derivePath({ kind: 'relayer', number: 0 }), address: `0x${'8'.repeat(40)}` as Hex };
/** A signature of 65 bytes (r, s, v). No code here checks it. */
export const SIGNATURE: Hex = `0x${'11'.repeat(32)}${'22'.repeat(32)}1b`;

const nowSeconds = (): bigint => BigInt(Math.floor(Date.now() / 1_000));
/** The expiry of signatures, in chain time; the same for all races within an hour. */
export const validBefore = (): bigint => (nowSeconds() / 3_600n + 1n) * 3_600n + 3_600n;

const FIRST: Block = {
  number: BigInt(FIRST_BLOCK),
  hash: '0xblock',
  parentHash: '0xparent',
  timeSeconds: 1_760_000_000n,
};

/** A network whose second block, which is final, has these logs. */
export function openChain(logs: readonly TokenLog[] = []): Network {
  const next = logs[0] && { ...FIRST, number: logs[0].blockNumber, hash: logs[0].blockHash };
  const last = next ?? FIRST;
  const chain = {
    blockchain: HOME,
    chainId: CHAIN_ID,
    getFinalized: async () => last,
    getHead: async () => last,
    findBlock: async (which: bigint | Hex) =>
      [FIRST, last].find(({ number, hash }) => which === number || which === hash),
    listTokenLogs: async () => logs,
    findReceipt: async () => undefined,
    readBalances: async (_: Hex, addresses: readonly Hex[]) => addresses.map(() => COINS),
    readRefusals: async (_: string, addresses: readonly string[]) => ({
      isPaused: false,
      blacklisted: addresses.map(() => false),
    }),
    broadcast: async () => ({ outcome: 'accepted' }),
  } as unknown as Chain;
  const domain = { name: 'USDC', version: '2', chainId: CHAIN_ID, verifyingContract: TOKEN };
  return {
    networkId: 1,
    chain,
    settings: { ...SETTINGS },
    assets: [{ assetId: 1, symbol: 'USDC', contract: TOKEN, domain }],
  };
}

const HOUR_MS = 3_600_000;
const SETTINGS: Network['settings'] = {
  validitySeconds: 900,
  callsPerRelayTx: 50,
  maxFeePerGasWei: 500_000_000_000n,
  bumpAfterMs: HOUR_MS,
  rebroadcastAfterMs: HOUR_MS,
  stuckAfterMs: HOUR_MS,
  relayers: 1,
  minGasWei: 1n,
  missingAfterMs: HOUR_MS,
  askProviderMs: HOUR_MS,
  settleMin: 0n,
};

const BID: Bid = { maxFeeWei: 2_000_000_000n, priorityFeeWei: 1_000_000_000n };

/** The answer of a node about the only relayer: it can pay, and nothing is mined. */
export const pollRelayer = (): Poll =>
  ({
    head: FIRST,
    nowSeconds: nowSeconds(),
    fees: {},
    bid: BID,
    relayers: [
      {
        relayerId: 1,
        address: RELAYER.address,
        nextNonce: 0n,
        isStopped: false,
        isInTrouble: false,
        usedNonces: 0n,
        balanceWei: 10n ** 20n,
      },
    ],
  }) as unknown as Poll;

/** The signer's process, with keys of the relayer and of this wallet. */
export function openSigning(db: Db, address: string): SigningApp {
  const accept = async () => ({ outcome: 'accepted', signature: SIGNATURE });
  const keyring = {
    list: async ([reference]: readonly string[]) => [
      reference === RELAYER.reference ? RELAYER : { reference, address },
    ],
    signAuthorization: accept,
    signCancellation: accept,
    // The same bytes always have the same hash.
    signRelayTx: async (_: string, relayTx: object) => {
      const words = JSON.stringify(relayTx, (__, value: unknown) => (typeof value === 'bigint' ? `${value}` : value));
      return { outcome: 'accepted', hash: `0x${createHash('sha256').update(words).digest('hex')}`, raw: '0x01' };
    },
  } as unknown as Keyring;
  return {
    db,
    keyrings: { local: keyring },
    providers: [],
    others: {},
    senders: {},
    networks: [
      {
        blockchain: HOME,
        chainId: CHAIN_ID,
        tokens: [{ symbol: 'USDC', contract: TOKEN }],
        maxFeePerGasWei: SETTINGS.maxFeePerGasWei,
      },
    ],
    limits: { payment: undefined, day: undefined },
  };
}
