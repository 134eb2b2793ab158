/** Faults that this fuzzer must find: the findings of a review, put back into a test database one at a time. */
import { readdirSync, readFileSync } from 'node:fs';
import type pg from 'pg';
import { TEMPLATE } from '../../database.ts';
import { findBlockingLocks } from './findBlockingLocks.ts';
import { openWorlds } from './openWorlds.ts';
import { type Fault, runPrivileges } from './runPrivileges.ts';

const FOLDER = new URL('mutants/', import.meta.url);

/** Which fault shows that a mutant was found; others may occur without it. */
const CAUGHT_BY: Readonly<Record<string, (fault: Fault) => boolean>> = {
  K1_ended_keys: ({ law, what, names }) =>
    law === 'accountKeys' && what.includes('has ended') && names.includes('pay_with_key'),
  K2_uncounted: ({ law, what, names }) =>
    law === 'accountKeys' && what.includes('has spent') && names.includes('pay_with_key'),
  K3_any_login: ({ law, names }) => law === 'accountKeys' && names.includes('create_account_key'),
  S11_positions: ({ law, actor, names }) => law === 'books' && actor === 'server' && names.includes('ledger_pay_batch'),
  S12_general_mover: ({ law, actor, names }) =>
    law === 'movements' && actor === 'worker' && names.includes('ledger_move'),
  S13_null_total: ({ law, names }) => law === 'twoPeople' && names.includes('confirm_payout'),
  S14_note_restore: ({ law, actor, names }) => law === 'table' && actor === 'support' && names.includes('note_restore'),
  S14_name_token: ({ law, actor, names }) =>
    law === 'table' && actor === 'support' && names.includes('ledger_name_token'),
  S14_advisory_lock: ({ law, names }) => law === 'locks' && names.includes('commit_signatures'),
  S15_any_actor: ({ law, names }) => law === 'audit' && names.includes('record_audit'),
  S15_forget_audit: ({ law, what, names }) =>
    law === 'audit' && what.includes('removed') && names.includes('forget_some'),
};

interface Hunt {
  readonly name: string;
  readonly caught: Fault | undefined;
  readonly calls: number;
  readonly seconds: number;
}

/** A mutant whose SQL no longer applies throws: it would prove nothing. */
export async function* huntMutants(seed: number, secondsEach: number): AsyncGenerator<Hunt> {
  for (const file of readdirSync(FOLDER).sort()) {
    const name = file.replace('.sql', '');
    const isCaught = CAUGHT_BY[name];
    if (!isCaught) throw new Error(`no fault is named for the mutant ${name}`);
    const started = Date.now();
    const worlds = await openWorlds('finished', (owner) => applyMutant(owner, file));
    try {
      const locks = await findBlockingLocks(worlds, seed);
      let caught = locks.find(isCaught);
      const { calls } = await runPrivileges(worlds, {
        seed,
        goesOn: () => !caught && Date.now() - started < secondsEach * 1_000,
        onFault: (fault) => {
          if (isCaught(fault)) caught ??= fault;
        },
      });
      yield { name, caught, calls, seconds: (Date.now() - started) / 1_000 };
    } finally {
      await worlds.drop();
    }
  }
}

async function applyMutant(owner: pg.Client, file: string): Promise<void> {
  const sql = readFileSync(new URL(file, FOLDER), 'utf8');
  await owner.query(sql.replaceAll(/\{(\w+)\}/g, (_, role: string) => `${TEMPLATE}_${role}`));
  // All functions belong to the owner, also those that a mutant brings back.
  await owner.query(
    `DO $$ DECLARE f regprocedure; BEGIN
       FOR f IN SELECT oid FROM pg_proc WHERE pronamespace = 'public'::regnamespace AND proowner::regrole::text <> '${TEMPLATE}_owner' LOOP
         EXECUTE format('ALTER FUNCTION %s OWNER TO ${TEMPLATE}_owner', f);
       END LOOP; END $$`,
  );
}
