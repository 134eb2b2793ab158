import { createHash } from 'node:crypto';
import { HDKey, hdKeyToAccount } from 'viem/accounts';
import type { WalletOwner, Wallets } from '../../core/ports.ts';

/**
 * Wallets under our own keys. The derivation path is computed from a hash of who the owner is, never from a
 * counter: a database restored from yesterday must not give one person's address to another, and a lost database
 * loses no wallet.
 */
export function localWallets(seed: Uint8Array): Wallets {
  const master = HDKey.fromMasterSeed(seed);
  return {
    fingerprint: createHash('sha256').update('florin seed fingerprint').update(master.publicKey!).digest('hex'),
    async create(owner) {
      const path = derivePath(owner);
      return { provider: 'local', reference: path, address: hdKeyToAccount(master, { path }).address };
    },
  };
}

/**
 * m/44'/60' and then four hardened levels of 31 bits each, cut from SHA-256: 124 bits, so two owners never meet.
 * Hardened, so that one leaked key leads to no other.
 */
export function derivePath(owner: WalletOwner): `m/44'/60'/${string}` {
  const words = owner.kind === 'user' ? ['user', owner.issuer, owner.subject] : ['treasury'];
  const hash = createHash('sha256').update(JSON.stringify(words)).digest();
  const levels = [0, 4, 8, 12].map((at) => `${hash.readUInt32BE(at) >>> 1}'`);
  return `m/44'/60'/${levels.join('/')}`;
}
