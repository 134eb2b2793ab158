/**
 * After a restore, a client may repeat a send that an operator has already imported. Where a provider sends, only the
 * provider can tell that it is the same transfer. The model does not predict when it does. The payment must end, and pay
 * once: the laws of the end judge it.
 */
import { listUnended } from '../../properties/listUnended.ts';
import type { Action, Context, PersonName } from './context.ts';
import { JOBS } from './jobs.ts';
import { judgeEnd } from './judgeEnd.ts';

const ROUNDS = 30;

/** `sent`: every send that people have asked for, by name. */
export async function repeatImported(
  context: Context,
  sent: ReadonlyMap<string, Action>,
  count: (name: string) => void,
): Promise<string[]> {
  const { state, world } = context;
  if (!state.restored?.asksProvider) return [];
  let repeats = 0;
  for (const id of state.restored.lost) {
    const { call, http } = sent.get(id) ?? {};
    if (call?.do !== 'send' || call.needed > 0 || !http || state.sends[id]) continue;
    const token = findToken(context, call.by as PersonName);
    if (!token || !state.restored.imports.includes(`${call.by} ${call.amount}`)) continue;
    const headers = { ...http.headers, authorization: `Bearer ${token}` };
    const { status } = await world.processes.call(http.method, http.path, http.body, headers);
    if (status !== 200) continue;
    count('repeat after an import');
    repeats++;
  }
  if (repeats === 0) return [];
  for (let round = 0; round < ROUNDS && (await listUnended(world.db)).length > 0; round++) {
    await world.endBackoffs();
    // A job that fails runs again.
    for (const job of ['submit', 'start', 'carry', 'track'] as const)
      await JOBS[job](world.processes.app).catch(() => undefined);
    await world.places.mine(1);
  }
  return (await judgeEnd(context)).map((fault) => `after sends were repeated that operators had imported: ${fault}`);
}

function findToken({ state, tokens }: Context, who: PersonName): string | undefined {
  const person = state.people[who]!;
  if (person.closed || person.paused) return undefined;
  const session = person.sessions.find((one) => tokens.has(one));
  return session && tokens.get(session)!.token;
}
