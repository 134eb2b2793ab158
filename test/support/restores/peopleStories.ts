/** Stories about people and their permissions: a restore does not give back what was taken away after the backup. */
import { randomUUID } from 'node:crypto';
import { settleWallets } from '../../../server/src/custody/coins/settleWallets.ts';
import { ANY_WALLET } from '../../../server/src/customers/keys/keyRules.ts';
import {
  createServiceKey,
  openServiceCallers,
  revokeServiceKey,
} from '../../../server/src/customers/keys/serviceKeys.ts';
import { openSession, revokeSession } from '../../../server/src/customers/sessions/sessions.ts';
import { setUsername } from '../../../server/src/customers/usernames/setUsername.ts';
import type { Holder } from '../chain/custody.ts';
import { operate } from '../operate.ts';
import { compare } from './checks.ts';
import type { Story } from './runStory.ts';
import type { Scene } from './scene.ts';

const RULES = { accessTokenSeconds: 900, refreshTokenSeconds: 9_000, sessionSeconds: 90_000 };
const USDC = 1_000_000n;

const rename = ({ world }: Scene, { userId }: Holder, username: string) =>
  world.db.tx((tx) => setUsername(tx, { cooldownDays: 0 }, { userId: userId!, username }));

/**
 * A name that was given after the backup may belong to another person in the restored database: it pays its owner
 * there.
 */
const renaming: Story = {
  name: 'rename',
  async begin(scene) {
    const { alice, bob, carol } = await scene.world.fund({ alice: '100', bob: '0', carol: '0' });
    return {
      steps: [
        ['remembered', () => scene.pay(alice, 'bob', '1', 'before')],
        ['renamed', () => rename(scene, bob, 'sunshine')],
        ['paid under the new name', () => scene.pay(alice, 'sunshine', '2', 'under it')],
      ],
      async tryForbidden() {
        // Another person takes the name, if the database has lost its owner.
        const isKnown = await rename(scene, carol, 'sunshine').then(
          () => false,
          (error: { code?: string }) => error.code === 'username.taken',
        );
        const before = await scene.available(bob, carol);
        await scene.pay(alice, 'sunshine', '4', 'after it');
        const paid = (await scene.available(bob, carol)).map((amount, i) => amount - before[i]!);
        return compare('paid to the owner of the name', paid, isKnown ? [4n * USDC, 0n] : [0n, 4n * USDC]);
      },
      repeat: () => scene.pay(alice, 'bob', '1', 'before'),
      async check() {
        const owed = await scene.available(alice, bob, carol);
        const sum = owed.reduce((total, one) => total + one, 0n);
        return compare('nothing is lost', [sum, owed[1]! > 0n], [100n * USDC, true]);
      },
    };
  },
};

const registration: Story = {
  name: 'registration',
  async begin(scene) {
    const { world } = scene;
    const { alice } = await world.fund({ alice: '100' });
    let xena: Holder;
    const register = async () => {
      const [known] = await world.db.query('SELECT FROM usernames WHERE username = $1', ['xena']);
      if (!known) xena = await world.person('xena');
      await scene.poll();
    };
    const pay = () => scene.pay(alice, 'xena', '30', 'pay');
    const send = () => scene.send({ amount: '5', destination: xena.address, walletUsername: 'alice' }, 'send');
    return {
      steps: [
        ['registered', register],
        ['paid', pay],
        ['sent to', send],
        ['sent', () => world.settleDown()],
        ['settled', () => settleWallets(world, world.network, world.usdc)],
        ['final', () => world.settleDown()],
      ],
      async repeat() {
        await register();
        await pay();
        await send();
      },
      async check() {
        await settleWallets(world, world.network, world.usdc);
        await world.settleDown();
        return [
          ...compare('owed', await scene.available(alice, xena), [65n * USDC, 35n * USDC]),
          ...compare(
            'coins',
            [await world.balance(alice.address), await world.balance(xena.address)],
            [65n * USDC, 35n * USDC],
          ),
          ...(await world.faults()),
        ];
      },
    };
  },
};

const revocation: Story = {
  name: 'session or key revoked',
  async begin(scene) {
    const { world } = scene;
    const { alice, bob } = await world.fund({ alice: '100', bob: '0' });
    const open = () => world.db.tx((tx) => openSession(tx, RULES, alice.userId!, null));
    const [stolen, other] = [await open(), await open()];
    const robot = await world.db.tx((tx) =>
      createServiceKey(tx, { name: 'robot', scopes: ['send'], rules: ANY_WALLET }),
    );
    const pay = (token: string) => scene.pay(alice, 'bob', '1', randomUUID(), token);
    const tryKey = () =>
      openServiceCallers(world.db)
        .get(robot.key)
        .then(
          () => 'works',
          (error: { code: string }) => error.code,
        );
    const revoke = async () => {
      const { sessionId } = stolen;
      await world.db.tx((tx) => revokeSession(tx, { userId: alice.userId!, sessionId: other.sessionId }, sessionId));
      await world.db.tx((tx) => revokeServiceKey(tx, robot.keyId));
    };
    return {
      steps: [
        ['used', () => pay(stolen.accessToken)],
        ['revoked', revoke],
        ['refused', () => pay(stolen.accessToken)],
      ],
      async tryForbidden() {
        // In this order: a server that was left running detects the restore at the first call of a session.
        const tried = [await pay(stolen.accessToken), await tryKey()];
        const fresh = await open();
        return [
          ...compare('the revoked session and key', tried, ['auth.invalid', 'auth.invalid']),
          ...compare('a new session is refused', [(await pay(fresh.accessToken)).startsWith('auth')], [false]),
        ];
      },
      // The operator repeats the revocations before confirming the rest.
      repeat: () => revoke().catch(() => {}),
      async check() {
        const tried = [await pay(stolen.accessToken), await tryKey()];
        const [, bobs] = await scene.available(alice, bob);
        return [
          ...compare('the revoked session and key in the end', tried, ['auth.invalid', 'auth.invalid']),
          ...compare('the other session pays again', [(await pay(other.accessToken)).startsWith('auth')], [false]),
          ...compare('the stolen one paid nothing', [bobs! <= 2n * USDC], [true]),
        ];
      },
    };
  },
};

/**
 * The decisions that operators made after the backup are lost with it, and operators repeat them. The money stays
 * correct.
 */
const deciding = (name: string, decide: (scene: Scene) => Promise<unknown>, code: string): Story => ({
  name,
  async begin(scene) {
    const { alice, bob } = await scene.world.fund({ alice: '100', bob: '0' });
    const pay = () => scene.pay(alice, 'bob', '40', 'before');
    return {
      steps: [
        ['paid', pay],
        ['decided', () => decide(scene)],
      ],
      async repeat() {
        await pay();
        await decide(scene);
      },
      async check() {
        return [
          ...compare('owed', await scene.available(alice, bob), [60n * USDC, 40n * USDC]),
          ...compare('the next one', [await scene.pay(alice, 'bob', '40', 'after')], [code]),
        ];
      },
    };
  },
});

export const peopleStories: readonly Story[] = [
  renaming,
  registration,
  revocation,
  deciding('pause', ({ world }) => operate(world.db, 'pause', 'add', 'user', '--why', 'a test'), 'service.paused'),
  deciding(
    'tier change',
    async ({ world }) => {
      const why = ['--why', 'a test'];
      await operate(world.db, 'limit', 'set', 'verified', '--payment', '30', ...why);
      await operate(world.db, 'limit', 'give', 'none', 'verified', ...why);
    },
    'limit.exceeded',
  ),
];
