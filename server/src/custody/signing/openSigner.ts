/**
 * `custody/signing` is what the signer's process does: it reads what is committed, decides by its own rules and signs. No
 * other process has keys. Start with `findObjection`, which has the rules.
 */
import type { Signer } from '../../core/signer.ts';
import { makeWallet } from '../../customers/wallets/makeWallet.ts';
import { authorizeMoves } from './authorizeMoves.ts';
import { cancelMoves } from './cancelMoves.ts';
import { signCarrier } from './signCarrier.ts';
import { OWN_PROVIDER, type SigningApp } from './signingApp.ts';

export function openSigner(app: SigningApp): Signer {
  const own = app.keyrings[OWN_PROVIDER]!;
  return {
    async check() {
      await app.db.query('SELECT FROM wallet_seeds');
      return { outcome: 'accepted' };
    },
    async makeWallet(userId) {
      const wallet = await makeWallet(app.db, own, userId);
      return wallet ? { outcome: 'accepted', ...wallet } : { outcome: 'rejected', reason: 'there is no such person' };
    },
    async findRelayer(number) {
      const { reference, address } = await own.create({ kind: 'relayer', number });
      return { outcome: 'accepted', reference, address };
    },
    signAuthorizations: async (moveIds, validBeforeSeconds) => ({
      outcome: 'accepted',
      refused: await authorizeMoves(app, moveIds, validBeforeSeconds),
    }),
    signCancellations: async (moveIds) => ({ outcome: 'accepted', refused: await cancelMoves(app, moveIds) }),
    signCarrier: (carrierId, bid, headNumber) => signCarrier(app, carrierId, bid, headNumber),
  };
}
