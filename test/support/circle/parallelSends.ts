/** Many concurrent sends under Circle's limits per second: each must be made once, and none may be lost. */
import { circleProvider } from '../../../server/src/adapters/wallets/circle/circleProvider.ts';
import { openLookups } from '../../../server/src/custody/signing/openLookups.ts';
import { randomAddress, startCustody } from '../chain/custody.ts';
import { type SetUp, setUp } from './sendingWorld.ts';

const PATIENCE_MS = 600_000;
const PAYERS = ['hana', 'ivan', 'jana', 'karl', 'lena', 'mila', 'nino', 'olga', 'pia', 'quin'];

/** Returns what is wrong in the end; anything is a bug. */
export async function runParallelSends(kind: SetUp, count: number): Promise<readonly string[]> {
  const home = setUp(kind);
  const world = await startCustody({}, home.options);
  try {
    const people = Object.values(await world.fund(Object.fromEntries(PAYERS.map((name) => [name, String(count)]))));
    home.limits.takeLookup = openLookups(world.db, circleProvider);
    home.limits.isOn = true;
    home.double()?.control.turn({ limits: true });
    const sends = await Promise.all(
      Array.from({ length: count }, async (_, i) => {
        const destination = randomAddress();
        const { walletId } = people[i % people.length]!;
        return { destination, id: await world.send({ amount: '1', destination, walletId }) };
      }),
    );
    const listOpen = async () => {
      const [row] = await world.db.query<{ open: number }>(
        'SELECT count(*)::int AS open FROM payments WHERE NOT payment_is_final(state)',
      );
      return row!.open;
    };
    for (const deadline = Date.now() + PATIENCE_MS; Date.now() < deadline && (await listOpen()) > 0; ) {
      await world.work();
      await world.mine();
    }
    const faults: string[] = [];
    for (const { destination, id } of sends) {
      const { state } = await world.get(id);
      const amounts = (await world.listTransfers(destination)).map(({ amount }) => amount);
      if (state !== 'COMPLETE' || amounts.length !== 1 || amounts[0] !== 1_000_000n)
        faults.push(`payment ${id} is ${state} and made transfers of ${amounts.join(' and ') || 'nothing'}`);
    }
    return [...faults, ...(await world.faults())];
  } finally {
    await world.stop();
  }
}
