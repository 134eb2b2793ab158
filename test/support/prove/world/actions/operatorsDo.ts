/** Actions of operators with `florin`, each under their own login. */
import type { PayError } from '../../../../../server/src/core/errors.ts';
import type { Usdc } from '../../../../../server/src/core/money.ts';
import { endSessions } from '../../../../../server/src/customers/sessions/sessions.ts';
import { refundPayment } from '../../../../../server/src/payments/refunds/refundPayment.ts';
import { approvePayment } from '../../../../../server/src/payments/sends/approvePayment.ts';
import { denyPayment } from '../../../../../server/src/payments/sends/denyPayment.ts';
import { operate } from '../../../operate.ts';
import { loginOf } from '../../../operators.ts';
import { HOME } from '../../../values.ts';
import type { Answer, Call } from '../../model/calls.ts';
import { type Action, AMOUNTS, type Context, type Draw, PEOPLE, type PersonName, usdcNumber } from '../context.ts';
import { JOBS } from '../jobs.ts';
import type { OperatorName } from '../openWorld.ts';

interface Command {
  readonly name: string;
  readonly by: OperatorName;
  readonly words: readonly string[];
  readonly call?: Call;
  /** Interprets the output. */
  read(said: string): Answer;
}

const command = ({ world }: Context, { name, by, words, read, ...rest }: Command): Action => ({
  name,
  text: world.names.plain(`${by}: florin ${words.join(' ')}`),
  ...rest,
  run: () =>
    operate(world.operators[by], ...words).then(read, (error: Error & { code?: string }) => {
      if (error.constructor.name !== 'CommandFault' && !error.code) throw error;
      return read(error.message);
    }),
});

const WHY = ['--why', 'the world says so'];

const pausePerson: Draw = (context) => {
  const who = context.random.pick(PEOPLE);
  if (context.state.people[who]!.closed) return undefined;
  const words = ['pause', 'add', `user:${context.world.names.id(who)}`, ...WHY];
  return command(context, { name: 'pause', by: 'ada', words, call: { do: 'pause', who }, read: () => 'paused' });
};

const resumePerson: Draw = (context) => {
  const paused = PEOPLE.filter((who) => context.state.people[who]!.pausedFor.includes('operator'));
  if (paused.length === 0) return undefined;
  const who = context.random.pick(paused);
  return command(context, {
    name: 'resume',
    by: 'ada',
    words: ['pause', 'remove', `user:${context.world.names.id(who)}`],
    call: { do: 'resume', who },
    read: (said) => (said.startsWith('Resumed') ? 'resumed' : 'not paused'),
  });
};

const decide: Draw = ({ random, state, world }) => {
  const waiting = Object.entries(state.sends).filter(([, one]) => one.needed > 0 && one.ended === null);
  if (waiting.length === 0) return undefined;
  const [payment] = random.pick(waiting);
  const by = random.pick(['anna', 'rita', 'rolf'] as const);
  const id = world.names.id(payment);
  if (random.chance(0.4)) {
    return {
      name: 'approve',
      text: `${by} approves ${payment}`,
      call: { do: 'approve', payment, by },
      run: async () => (await approvePayment({ db: world.operators[by] }, id)).outcome,
    };
  }
  return {
    name: 'deny',
    text: `${by} denies ${payment}`,
    call: { do: 'deny', payment },
    run: () =>
      world.operators[by]
        .tx((tx) => denyPayment(tx, id, 'not today', `operator:${loginOf(by)}`))
        // After a restore an earlier wallet may have signed it.
        .catch((error: PayError) => error.code),
  };
};

const setLimit: Draw = (context) => {
  const day = context.random.pick([100_000_000n, 250_000_000n, 400_000_000n]);
  return command(context, {
    name: 'change tier',
    by: 'ada',
    words: ['limit', 'set', 'verified', '--day', String(usdcNumber(day)), ...WHY],
    call: { do: 'setLimit', day },
    read: () => 'changed',
  });
};

const logOutAll: Draw = ({ random, state, world }) => {
  const who = random.pick(PEOPLE);
  if (state.people[who]!.closed) return undefined;
  return {
    name: 'end sessions',
    text: `ada ends all sessions of ${who}`,
    call: { do: 'endSessions', who },
    run: async () => `ended ${await endSessions(world.operators.ada, world.names.id(who), 'stolen')}`,
  };
};

const refund: Draw = ({ random, state, world, next }) => {
  const payments = Object.entries(state.transfers).filter(([id]) => /^(pay|request)/.test(id));
  if (payments.length === 0) return undefined;
  const [payment, { amount: paid }] = random.pick(payments);
  const amount = random.chance(0.5) ? paid : random.pick(AMOUNTS);
  const id = next('refund');
  const wanted = { paymentId: world.names.id(payment), amount: amount as Usdc, reason: id };
  return {
    name: 'refund',
    text: `rita refunds ${usdcNumber(amount)} of ${payment}`,
    call: { do: 'refund', id, payment, amount },
    creates: { refunds: id, transfers: id },
    run: async () => (await refundPayment(world.operators.rita, wanted)).outcome,
  };
};

/** Makes a key while there are few, and revokes one otherwise. */
const changeKeys: Draw = (context) => {
  const { random, state, world, secrets, next } = context;
  const open = Object.entries(state.keys).filter(([name, key]) => name.startsWith('key') && !key.revoked);
  if (open.length < 2) {
    const [key, day] = [next('key'), random.pick([40_000_000n, 120_000_000n])];
    const limits = ['--any-wallet', '--day', String(usdcNumber(day))];
    return {
      name: 'create key',
      text: `ada makes ${key}, which may spend ${usdcNumber(day)} a day`,
      call: { do: 'createKey', key, day },
      creates: { keys: key },
      run: async () => {
        const said = await operate(world.operators.ada, 'key', 'create', key, '--scope', 'read,send', ...limits);
        secrets.set(key, said.split('\n')[0]!);
        return 'created';
      },
    };
  }
  const [key] = random.pick(open);
  return {
    name: 'revoke key',
    text: `ada revokes ${key}`,
    call: { do: 'revokeKey', key },
    run: async () => {
      await operate(world.operators.ada, 'key', 'revoke', world.names.id(key));
      return 'revoked';
    },
  };
};

const pauseChain: Draw = (context) => {
  const isPaused = context.state.pauses.includes('operator');
  // Soon resumed, because a pause stops most of what a seed does.
  if (!isPaused)
    context.planned.push((later) => (later.state.pauses.includes('operator') ? pauseChain(later) : undefined));
  return command(context, {
    name: isPaused ? 'resume chain' : 'pause chain',
    by: 'ada',
    words: isPaused ? ['pause', 'remove', `chain:${HOME}`] : ['pause', 'add', `chain:${HOME}`, '--signing', ...WHY],
    call: isPaused ? { do: 'resumeChain' } : { do: 'pauseChain' },
    read: () => (isPaused ? 'resumed' : 'paused'),
  });
};

/**
 * Everyone gets a new wallet at another holder of keys, and settlement moves the coins there (docs/guides/moving-wallets.md).
 * Before the first backup: a restore to a time before the move would need the move again.
 */
const moveWallets: Draw = (context) => {
  const { world } = context;
  if (!world.places.double || context.backup) return undefined;
  return {
    name: 'move wallets',
    text: 'the wallets move to another holder of keys',
    call: { do: 'moveWallets' },
    run: async () => {
      await world.moveWallets();
      for (let i = 0; i < 3; i++) await JOBS.wallet(world.processes.app).catch(() => {});
      const { rows } = await world.owner.query<{ user_id: string | null; wallet_id: string; address: string }>(
        `SELECT user_id, wallet_id, address FROM wallets JOIN wallet_seeds s ON provider = s.wallet_provider
          WHERE replaced_at IS NULL AND (user_id IS NOT NULL OR kind = 'treasury')`,
      );
      for (const { user_id: userId, wallet_id: walletId, address } of rows) {
        const who = userId === null ? 'treasury' : world.names.nameOf(userId)!;
        if (userId !== null) context.addresses[who as PersonName] = address;
        world.names.know(`wallet ${who}`, walletId);
        world.names.know(`address of ${who}`, address.toLowerCase());
      }
      return rows.length > PEOPLE.length ? 'moved' : `only ${rows.length} wallets have moved`;
    },
  };
};

export const operatorsDo: readonly (readonly [number, Draw])[] = [
  [3, pausePerson],
  [4, resumePerson],
  [70, decide],
  [3, setLimit],
  [3, logOutAll],
  [4, refund],
  [4, pauseChain],
  [9, changeKeys],
  [28, moveWallets],
];
