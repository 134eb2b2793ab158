/** Every command of `florin`. Its file is `<noun>.ts` in this folder, which exports the noun or verb by default. */
import type { Nouns } from '../program/command.ts';
import { completionOf } from '../program/completion.ts';

const loadProcess = async (name: 'server' | 'worker' | 'signer' | 'console') => {
  const { default: processes } = await import('./processes.ts');
  return { default: processes[name] };
};

export const NOUNS: Nouns = {
  'Run the service': {
    server: { summary: 'both APIs and the operations port', load: () => loadProcess('server') },
    worker: { summary: 'watches the chains, sends payments, settles, reconciles', load: () => loadProcess('worker') },
    signer: { summary: 'has the keys, and signs only committed payments', load: () => loadProcess('signer') },
    console: { summary: 'the operator console, a website for operators', load: () => loadProcess('console') },
    migrate: {
      summary: 'migrates tables, functions and roles of the database to this build',
      load: () => import('./migrate.ts'),
    },
    seed: { summary: 'the encrypted seed of all wallets, and its secret', load: () => import('./seed.ts') },
    doctor: { summary: 'finds faults and shows how to fix them', load: () => import('./doctor.ts') },
  },
  'Help people': {
    payment: {
      summary: 'payments: list, show, cancel, approve, refund',
      load: () => import('./payment.ts'),
    },
    payout: { summary: 'many payments from one file: pay it, list, show', load: () => import('./payout.ts') },
    user: {
      summary: 'people: list; money, limits, identity check, payments, sessions',
      load: () => import('./user.ts'),
    },
    deposit: { summary: 'deposits: list; those that arrived, or are missing', load: () => import('./deposit.ts') },
    wallet: { summary: 'who owns an address, and what it holds', load: () => import('./wallet.ts') },
    call: { summary: 'a call of the APIs, by its request id', load: () => import('./calls/call.ts') },
  },
  'Keep it safe': {
    pause: { summary: 'pauses and resumes payments, all or some', load: () => import('./pause.ts') },
    limit: { summary: 'what people may spend', load: () => import('./limit.ts') },
    key: { summary: 'keys of other services, and what they may spend', load: () => import('./key.ts') },
    webhook: { summary: 'endpoints of other services that receive events', load: () => import('./webhook.ts') },
    operator: { summary: 'who may use which command', load: () => import('./operator.ts') },
    audit: { summary: 'who did what, and when', load: () => import('./audit.ts') },
  },
  'Keep it right': {
    reconcile: { summary: 'compares ledger, coins and chain', load: () => import('./reconcile.ts') },
    books: { summary: 'unexplained moves, debts, corrections', load: () => import('./books.ts') },
    transfer: {
      summary: 'provider transfers with an unknown outcome',
      load: () => import('./verbs/transfer.ts'),
    },
    relayer: { summary: 'the wallets that pay gas', load: () => import('./relayer.ts') },
    restore: { summary: 'after the database was restored from a backup', load: () => import('./restore.ts') },
  },
  'Your shell': {
    completion: {
      summary: 'completes commands in bash and zsh',
      load: async () => ({ default: completionOf(() => NOUNS) }),
    },
  },
};
