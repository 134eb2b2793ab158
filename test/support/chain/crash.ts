/** A worker that dies at a chosen step: everything it does goes through these wrappers, and after its end nothing does. */
import type { Chain, Signer, Transfers, Wallets } from '../../../server/src/core/ports.ts';
import type { Db, Tx } from '../../../server/src/db/database.ts';
import type { CustodyWorld } from './custody.ts';

export class Crash extends Error {}

interface Step {
  /** `chain.broadcast`, `signer.signCarrier`, `transfers.submit`, `db.query`, `db.commit`, `tx.query` … */
  readonly name: string;
  /** Of statements, with the values they carry. */
  readonly sql: string;
  readonly values: string;
}

interface Ports {
  readonly db: Db;
  readonly chain: Chain;
  readonly wallets: Wallets;
  readonly signer: Signer;
  readonly transfers: Readonly<Record<string, Transfers>>;
}

export interface Mortal extends Ports {
  /** The step it died at, once it did. */
  readonly died: string | undefined;
}

/**
 * `when` is asked at every step and answers whether to die before it happens or after it happened and before the
 * answer is heard. A statement inside a database transaction that dies rolls back, as a killed process does.
 */
export function createMortal(real: Ports, when: (step: Step) => 'before' | 'after' | undefined): Mortal {
  let died: string | undefined;

  async function take<T>(name: string, act: () => Promise<T>, sql = '', given: readonly unknown[] = []): Promise<T> {
    if (died) throw new Crash(`dead since ${died}`);
    const end = when({ name, sql, values: given.flat().map(String).join(' ') });
    const die = () => {
      died = `${end} ${name} ${sql.trim().slice(0, 60)}`;
      throw new Crash(died);
    };
    if (end === 'before') die();
    const result = await act();
    if (end === 'after') die();
    return result;
  }

  function wrap<Port extends object>(room: string, port: Port): Port {
    return new Proxy(port, {
      get(target, name) {
        const member = Reflect.get(target, name);
        if (typeof member !== 'function') return member;
        return (...given: unknown[]) => take(`${room}.${String(name)}`, () => member.apply(target, given));
      },
    });
  }

  const { db } = real;
  return {
    db: {
      query: (sql, values) => take('db.query', () => db.query(sql, values), sql, values),
      tx: (work) =>
        take('db.commit', () =>
          db.tx((tx) =>
            work({ query: (sql, values) => take('tx.query', () => tx.query(sql, values), sql, values) } as Tx),
          ),
        ),
      close: () => db.close(),
    },
    chain: wrap('chain', real.chain),
    wallets: wrap('wallets', real.wallets),
    signer: wrap('signer', real.signer),
    transfers: Object.fromEntries(
      Object.entries(real.transfers).map(([provider, port]) => [provider, wrap('transfers', port)]),
    ),
    get died() {
      return died;
    },
  };
}

export type When = (step: Step) => 'before' | 'after' | undefined;

/** At the first step of this name whose statement and values contain these words. */
export const at =
  (end: 'before' | 'after', name: string, sql = '', value = ''): When =>
  (step) =>
    step.name === name && step.sql.includes(sql) && step.values.includes(value) ? end : undefined;

/** Works until the worker has died there, and mines between its turns if it needs that. */
export async function workUntilDeath(world: CustodyWorld, when: When, turns = 6): Promise<void> {
  for (let i = 0; i < turns; i++) {
    const mortal = createMortal(world, when);
    await world.work(mortal).catch((error: Error) => {
      if (!mortal.died) throw error;
    });
    if (mortal.died) return;
    await world.mine();
  }
  throw new Error('the worker never came to that step');
}
