/**
 * `custody/signing` is the work of the signer process: it reads committed moves, decides by its own rules and signs. No
 * other process has keys. Start with `checkSigningRules`, which has the rules.
 */
import { limitNameOf, OWN_PROVIDER } from '../../adapters/wallets/providers.ts';
import type { Signer } from '../../core/signer.ts';
import { makeWallet } from '../../customers/wallets/makeWallet.ts';
import { authorizeMoves } from './authorizeMoves.ts';
import { cancelMoves } from './cancelMoves.ts';
import { keepWebhookKey } from './keepWebhookKey.ts';
import { openRateLimiter, type RateLimiter } from './rateLimiter.ts';
import { findArrival, listArrivals, readBalance } from './readUnwatchedChains.ts';
import { openTransfers } from './sendMoves.ts';
import type { SigningApp } from './signingApp.ts';
import { signRelayTx } from './signRelayTx.ts';

/** A login waits less than this. A job that waits longer asks again. */
const WALLET_PATIENCE_MS = 2_000;
const BUSY = { outcome: 'unknown', cause: 'many wallets are being created' } as const;

export function openSigner(app: SigningApp): Signer {
  const own = app.keyrings[OWN_PROVIDER]!;
  const turns: Record<string, RateLimiter> = {};
  for (const [provider, { perSecond }] of Object.entries(app.keyrings))
    turns[provider] = openRateLimiter(app.db, `${limitNameOf(provider)}: signatures`, perSecond);
  const posts: Record<string, RateLimiter> = {};
  for (const [provider, { perSecond }] of Object.entries(app.senders))
    posts[provider] = openRateLimiter(app.db, `${limitNameOf(provider)}: posts`, perSecond.posts);
  const wallets: Record<string, RateLimiter> = {};
  for (const [name, perSecond] of leastByName(app.providers))
    wallets[name] = openRateLimiter(app.db, `${name}: wallets`, perSecond);
  return {
    async check() {
      await app.db.query('SELECT FROM wallet_seeds');
      return { outcome: 'accepted' };
    },
    async makeWallet(userId) {
      const untilMs = performance.now() + WALLET_PATIENCE_MS;
      const made = [];
      for (const maker of app.providers) {
        if (!(await wallets[limitNameOf(maker.provider)]!.take('first', untilMs))) return BUSY;
        made.push(await makeWallet(app.db, maker, userId));
      }
      const [wallet] = made;
      return wallet ? { outcome: 'accepted', ...wallet } : { outcome: 'rejected', reason: 'there is no such person' };
    },
    async findRelayer(number) {
      const { reference, address } = await own.create({ kind: 'relayer', number });
      return { outcome: 'accepted', reference, address };
    },
    signAuthorizations: async (moveIds, validBeforeSeconds) => ({
      outcome: 'accepted',
      refused: await authorizeMoves(app, turns, moveIds, validBeforeSeconds),
    }),
    signCancellations: async (moveIds) => ({ outcome: 'accepted', refused: await cancelMoves(app, turns, moveIds) }),
    signRelayTx: (relayTxId, bid, headNumber) => signRelayTx(app, relayTxId, bid, headNumber),
    transfers: openTransfers(app, posts),
    listArrivals: (blockchain, since, after) => listArrivals(app, blockchain, since, after),
    findArrival: (blockchain, providerId) => findArrival(app, blockchain, providerId),
    readBalance: (blockchain, currency, walletId) => readBalance(app, blockchain, currency, walletId),
    fetchWebhookKey: (adapter, keyId) => keepWebhookKey(app, adapter, keyId),
  };
}

/** Returns the lowest limit under each name; undefined: no limit. */
function leastByName(makers: SigningApp['providers']): ReadonlyMap<string, number | undefined> {
  const least = new Map<string, number | undefined>();
  for (const { provider, perSecond } of makers) {
    const name = limitNameOf(provider);
    const other = least.get(name);
    least.set(name, other === undefined ? perSecond : Math.min(other, perSecond ?? other));
  }
  return least;
}
