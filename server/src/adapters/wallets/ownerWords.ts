import type { WalletOwner } from '../../core/ports.ts';

/**
 * Returns everything that distinguishes an owner from all others. Wallets are derived from it, so it must never change.
 */
export function wordsOf(owner: WalletOwner): (string | number)[] {
  if (owner.kind === 'user') return ['user', owner.issuer, owner.subject];
  return owner.kind === 'relayer' ? ['relayer', owner.number] : ['treasury'];
}
