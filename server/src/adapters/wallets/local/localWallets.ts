import { createHash } from 'node:crypto';
import { type HDAccount, HDKey, hdKeyToAccount } from 'viem/accounts';
import { keccak256 } from 'viem/utils';
import type { Hex, Keyring, WalletOwner } from '../../../core/ports.ts';
import { AUTHORIZATION_TYPES, CANCELLATION_TYPES } from '../eip3009Types.ts';
import { wordsOf } from '../ownerWords.ts';

type Path = `m/44'/60'/${string}`;
const ROOT = `m/44'/60'`;
const PATH = /^m\/44'\/60'(\/\d{1,10}'){4}$/;

/** Deriving a key costs an elliptic-curve operation per level, more than signing, so recent keys are kept in memory. */
const REMEMBERED_ACCOUNTS = 2_000;

/**
 * Wallets under our own keys. The derivation path is a hash of the owner's identity, not a counter: a restored database
 * cannot give one person's address to another, and a lost database loses no wallet.
 *
 * A key management service can replace this adapter: no other code sees a key, and only the three kinds of message
 * below are ever signed.
 */
export function localWallets(seed: Uint8Array): Keyring {
  const master = HDKey.fromMasterSeed(seed);
  const accounts = new Map<string, HDAccount>();
  // The levels that all paths share are derived once.
  const root = master.derive(ROOT);
  const derive = (path: string): HDAccount => hdKeyToAccount(root, { path: path.replace(ROOT, 'm') as Path });

  function getAccount(reference: string): HDAccount {
    const known = accounts.get(reference);
    if (known) return known;
    if (!PATH.test(reference)) throw new TypeError('not a reference of a local wallet');
    const account = derive(reference);
    const [oldest] = accounts.keys();
    if (accounts.size >= REMEMBERED_ACCOUNTS && oldest) accounts.delete(oldest);
    accounts.set(reference, account);
    return account;
  }

  function getSigner(reference: string, address: string): HDAccount {
    const account = getAccount(reference);
    if (account.address !== address)
      throw new TypeError('the authorization is not from the wallet with this reference');
    return account;
  }

  const toWallet = (reference: string, address: Hex) =>
    ({ provider: 'local', family: 'evm', reference, address }) as const;

  return {
    fingerprint: createHash('sha256').update('florin seed fingerprint').update(master.publicKey!).digest('hex'),
    async create(owner) {
      const path = derivePath(owner);
      return toWallet(path, derive(path).address);
    },
    referenceOf: derivePath,
    list: async (references) =>
      references
        .filter((reference) => PATH.test(reference))
        .map((reference) => toWallet(reference, getAccount(reference).address)),
    async signAuthorization(reference, domain, { from, to, amount, validAfterSeconds, validBeforeSeconds, nonce }) {
      const signature = await getSigner(reference, from).signTypedData({
        domain,
        types: AUTHORIZATION_TYPES,
        primaryType: 'TransferWithAuthorization',
        message: { from, to, value: amount, validAfter: validAfterSeconds, validBefore: validBeforeSeconds, nonce },
      });
      return { outcome: 'accepted', signature };
    },
    async signCancellation(reference, domain, authorizer, nonce) {
      const signature = await getSigner(reference, authorizer).signTypedData({
        domain,
        types: CANCELLATION_TYPES,
        primaryType: 'CancelAuthorization',
        message: { authorizer, nonce },
      });
      return { outcome: 'accepted', signature };
    },
    async signRelayTx(reference, { gasLimit, ...relayTx }) {
      const raw = await getAccount(reference).signTransaction({ type: 'eip1559', ...relayTx, gas: gasLimit });
      return { outcome: 'accepted', raw, hash: keccak256(raw) };
    },
  };
}

/**
 * m/44'/60' and then four hardened levels of 31 bits each, taken from SHA-256: with 124 bits two owners never collide.
 * Hardened, so that no other key can be computed from a leaked one.
 */
export function derivePath(owner: WalletOwner): Path {
  const hash = createHash('sha256')
    .update(JSON.stringify(wordsOf(owner)))
    .digest();
  const levels = [0, 4, 8, 12].map((at) => `${hash.readUInt32BE(at) >>> 1}'`);
  return `m/44'/60'/${levels.join('/')}`;
}
