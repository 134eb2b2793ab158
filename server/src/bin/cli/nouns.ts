/** Every command of `florin`: its file is `<noun>.ts` beside this one, and exports the noun or verb by default. */
import type { Nouns } from '../program/command.ts';
import { completionOf } from '../program/completion.ts';

const loadProcess = async (name: 'server' | 'worker' | 'signer') => {
  const { default: processes } = await import('./processes.ts');
  return { default: processes[name] };
};

export const NOUNS: Nouns = {
  'Run the service': {
    server: { says: 'both APIs and the operations port', load: () => loadProcess('server') },
    worker: { says: 'watches the chains, carries payments, settles, reconciles', load: () => loadProcess('worker') },
    signer: { says: 'alone has the keys, and signs what is committed', load: () => loadProcess('signer') },
    migrate: { says: "the database's tables, functions and roles, for this build", load: () => import('./migrate.ts') },
    seed: { says: 'the encrypted seed of all wallets, and its secret', load: () => import('./seed.ts') },
    doctor: { says: 'what is wrong, and the command that mends it', load: () => import('./doctor.ts') },
  },
  'Help people': {
    payment: { says: 'one payment, by id or hash: where it is, cancel, approve', load: () => import('./payment.ts') },
    payout: { says: 'pays many people and addresses from one CSV file', load: () => import('./payout.ts') },
    user: { says: 'one person: money, limits, identity check, payments, sessions', load: () => import('./user.ts') },
    deposit: { says: 'coins that arrived, or have not yet', load: () => import('./deposit.ts') },
    wallet: { says: 'whose an address is, and what it has', load: () => import('./wallet.ts') },
  },
  'Keep it safe': {
    pause: { says: 'stops payments, all or some, and lets them go on', load: () => import('./pause.ts') },
    limit: { says: 'what people may spend', load: () => import('./limit.ts') },
    key: { says: 'keys of other services, and what they may spend', load: () => import('./key.ts') },
    webhook: { says: 'services of others that are told of events', load: () => import('./webhook.ts') },
    operator: { says: 'who may use which command', load: () => import('./operator.ts') },
    audit: { says: 'who did what, and when', load: () => import('./audit.ts') },
  },
  'Keep it right': {
    reconcile: { says: 'compares ledger, coins and chain', load: () => import('./reconcile.ts') },
    books: { says: 'moves nobody has explained, debts, corrections', load: () => import('./books.ts') },
    relayer: { says: 'the wallets that pay gas', load: () => import('./relayer.ts') },
    restore: { says: 'after the database came back from a backup', load: () => import('./restore.ts') },
  },
  'Your shell': {
    completion: {
      says: 'completes commands in bash and zsh',
      load: async () => ({ default: completionOf(() => NOUNS) }),
    },
  },
};
