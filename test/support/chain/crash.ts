/**
 * A worker that dies at a chosen step: all its actions go through these wrappers, and after its death none does. Its
 * signer dies with it, as when the machine of both fails; `createMortalSigner` makes one that dies alone.
 */
import type { Chain, Keyring } from '../../../server/src/core/ports.ts';
import type { ProviderSender } from '../../../server/src/core/providers.ts';
import type { Signer } from '../../../server/src/core/signer.ts';
import type { Db, Tx } from '../../../server/src/db/database.ts';
import type { CustodyWorld } from './custody.ts';

export class Crash extends Error {}

interface Step {
  /** `chain.broadcast`, `signer.signRelayTx`, `keys.signRelayTx`, `transfers.submit`, `circle.submit`, `db.query`, `db.commit`, `tx.query` … */
  readonly name: string;
  /** Statements only, with their values. */
  readonly sql: string;
  readonly values: string;
}

interface Ports {
  readonly db: Db;
  readonly chain: Chain;
}

interface Real extends Ports {
  /** The keys. */
  readonly wallets: Keyring;
  openSigner(ports: {
    readonly db: Db;
    readonly keys: Keyring;
    readonly wrapSender: (sender: ProviderSender) => ProviderSender;
  }): Signer;
}

export interface Mortal extends Ports {
  readonly signer: Signer;
  /** The step it died at, once it did. */
  readonly died: string | undefined;
}

/**
 * `when` is called at every step and decides whether to die before it happens, or after it happened and before the
 * answer arrives. Death inside a database transaction rolls it back, as when a process is killed.
 */
export function createMortal(real: Real, when: (step: Step) => 'before' | 'after' | undefined): Mortal {
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

  function wrap<Port extends object>(portName: string, port: Port): Port {
    return new Proxy(port, {
      get(target, name) {
        const member = Reflect.get(target, name);
        if (typeof member !== 'function') return member;
        return (...given: unknown[]) => take(`${portName}.${String(name)}`, () => member.apply(target, given));
      },
    });
  }

  const { db } = real;
  const mortalDb: Db = {
    query: (sql, values) => take('db.query', () => db.query(sql, values), sql, values),
    tx: (work) =>
      take('db.commit', () =>
        db.tx((tx) =>
          work({
            query: (sql, values) => take('tx.query', () => tx.query(sql, values), sql, values),
            afterCommit: (key, news) => tx.afterCommit(key, news),
          } as Tx),
        ),
      ),
    close: () => db.close(),
  };
  const opened = real.openSigner({
    db: mortalDb,
    keys: wrap('keys', real.wallets),
    wrapSender: (sender) => ({ ...wrap('circle', sender), queueOf: sender.queueOf }),
  });
  const signer = wrap('signer', { ...opened, transfers: wrap('transfers', opened.transfers) });
  return {
    db: mortalDb,
    chain: wrap('chain', real.chain),
    signer,
    get died() {
      return died;
    },
  };
}

/** A signer whose process dies alone: the worker gets no answer from then on. */
export function createMortalSigner(
  real: Real,
  when: When,
): { readonly signer: Signer; readonly died: string | undefined } {
  const mortal = createMortal(real, when);
  const silence = <Port extends object>(port: Port): Port =>
    new Proxy(port, {
      get(target, name) {
        const member = Reflect.get(target, name);
        if (typeof member !== 'function') return member;
        return (...given: unknown[]) =>
          member.apply(target, given).catch((cause: unknown) => {
            if (cause instanceof Crash) return { outcome: 'unknown', cause };
            throw cause;
          });
      },
    });
  return {
    signer: silence({ ...mortal.signer, transfers: silence(mortal.signer.transfers) }),
    get died() {
      return mortal.died;
    },
  };
}

export type When = (step: Step) => 'before' | 'after' | undefined;

/** Dies at the first step of this name whose statement and values contain these words. */
export const at =
  (end: 'before' | 'after', name: string, sql = '', value = ''): When =>
  (step) =>
    step.name === name && step.sql.includes(sql) && step.values.includes(value) ? end : undefined;

/** Works until the worker has died there, and mines between its passes if necessary. */
export async function workUntilDeath(world: CustodyWorld, when: When, turns = 6): Promise<void> {
  for (let i = 0; i < turns; i++) {
    const mortal = createMortal(world, when);
    await world.work(mortal).catch((error: Error) => {
      if (!mortal.died) throw error;
    });
    if (mortal.died) return;
    await world.mine();
  }
  throw new Error('the worker never reached that step');
}
