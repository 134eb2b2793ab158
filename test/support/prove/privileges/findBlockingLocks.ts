/**
 * Advisory locks are open to every login. So no work of a login may wait for one, or a dashboard's login could stop
 * signing.
 */
import { openRandom } from '../random.ts';
import { type Attempt, listFirstAttempts } from './calls/generate.ts';
import { ACTORS } from './logins.ts';
import type { World, Worlds } from './openWorlds.ts';
import type { Fault } from './runPrivileges.ts';

interface HeldLock {
  readonly classid: string;
  readonly objid: string;
  readonly objsubid: number;
}

/** The arguments with which a function takes this lock: one number of 64 bits, or two of 32. */
const argumentsOf = ({ classid, objid, objsubid }: HeldLock): string =>
  objsubid === 1
    ? String(BigInt.asIntN(64, (BigInt(classid) << 32n) | BigInt(objid)))
    : `${BigInt.asIntN(32, BigInt(classid))}, ${BigInt.asIntN(32, BigInt(objid))}`;

/** Undefined: PostgreSQL has refused the call. */
async function listLocks(world: World, { actor, statements }: Attempt): Promise<HeldLock[] | undefined> {
  const client = await world.as(actor);
  await client.query('BEGIN');
  try {
    await client.query(statements[0]!.sql);
    const { rows } = await world.owner.query<HeldLock>(
      `SELECT classid::text, objid::text, objsubid FROM pg_locks l JOIN pg_stat_activity a USING (pid)
        WHERE l.locktype = 'advisory' AND a.datname = current_database() AND a.state = 'idle in transaction'`,
    );
    return rows;
  } catch {
    return undefined;
  } finally {
    await client.query('ROLLBACK');
  }
}

async function isBlocked(world: World, { actor, statements }: Attempt): Promise<boolean> {
  const client = await world.as(actor);
  await client.query('BEGIN');
  try {
    await client.query(statements[0]!.sql);
    return false;
  } catch (error) {
    return (error as { code?: string }).code === '55P03';
  } finally {
    await client.query('ROLLBACK');
  }
}

export async function findBlockingLocks(worlds: Worlds, seed: number): Promise<Fault[]> {
  const world = await worlds.open();
  const faults = new Map<string, Fault>();
  const executed = new Set<string>();
  try {
    for (const attempt of listFirstAttempts(openRandom(seed), worlds)) {
      const { actor, statements } = attempt;
      const name = `${actor} ${statements[0]!.name}`;
      if (!statements[0]!.isValid || executed.has(name)) continue;
      const locks = await listLocks(world, attempt);
      if (locks) executed.add(name);
      for (const lock of locks ?? []) {
        const by = await findBlocker(world, attempt, argumentsOf(lock));
        if (!by) continue;
        faults.set(name, {
          actor: by,
          variant: worlds.variant,
          law: 'locks',
          what: `${by} can make ${statements[0]!.name} of ${actor} wait`,
          names: [statements[0]!.name],
          isAlone: true,
          sql: `SELECT pg_advisory_lock(${argumentsOf(lock)})`,
        });
      }
    }
  } finally {
    await world.close();
  }
  return [...faults.values()];
}

/** The least privileged login that can stop it. */
async function findBlocker(world: World, attempt: Attempt, lock: string) {
  for (const other of ACTORS.toReversed()) {
    if (other === attempt.actor) continue;
    const client = await world.as(other);
    const taken = await client.query(`SELECT pg_advisory_lock(${lock})`).catch(() => undefined);
    if (!taken) continue;
    try {
      if (await isBlocked(world, attempt)) return other;
    } finally {
      await client.query('SELECT pg_advisory_unlock_all()');
    }
  }
  return undefined;
}
