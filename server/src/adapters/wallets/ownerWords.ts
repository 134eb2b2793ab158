import type { WalletOwner } from '../../core/ports.ts';

/** Everything that tells an owner from all others. Wallets are made from it, so it never changes. */
export function wordsOf(owner: WalletOwner): (string | number)[] {
  if (owner.kind === 'user') return ['user', owner.issuer, owner.subject];
  return owner.kind === 'relayer' ? ['relayer', owner.number] : ['treasury'];
}
