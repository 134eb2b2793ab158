import { type Db, openDatabase, type Queryable } from '../../db/database.ts';
import { rebase } from '../../ledger/accounts.ts';
import { findRoleRefusal } from '../../operators/operators.ts';
import type { AuditActor } from '../../operators/recordAudit.ts';
import { loadChains, readDatabaseUrl } from '../config/config.ts';
import type { Context } from './command.ts';
import { CommandFault, EXIT } from './faults.ts';
import { print } from './printable.ts';
import { wrapLines } from './render.ts';

const APPLICATION = 'florin-operator';
/** Some commands run statements concurrently. */
const CONNECTIONS = 2;
/** A person waits and can interrupt the command. */
const STATEMENT_TIMEOUT_MS = 60_000;

interface OperatorContext extends Context {
  /** Before a plan is carried out. Not earlier: a plan changes nothing. */
  prepare(): Promise<void>;
}

/** The context in this process's environment. `close` closes what was opened. */
export function openContext(): { readonly context: OperatorContext; close(): Promise<void> } {
  let opened: Db | undefined;
  const open = () => {
    opened ??= openDatabase(readDatabaseUrl(), {
      maxConnections: CONNECTIONS,
      applicationName: APPLICATION,
      statementTimeoutMs: STATEMENT_TIMEOUT_MS,
      mayBeStandby: true,
    });
    return opened;
  };
  return { context: contextOf(open), close: async () => opened?.close() };
}

export function contextOf(open: () => Db): OperatorContext {
  let isAllowed = false;
  return {
    get db() {
      return open();
    },
    async chains() {
      const given = loadChains();
      const { viemChain } = await import('../../adapters/chain/viemChain.ts');
      return given.map(viemChain);
    },
    async allow(deed) {
      const db = open();
      const refusal = await findRoleRefusal(db, deed);
      if (refusal) throw new CommandFault(`${refusal}: florin operator list shows who may`, EXIT.forbidden);
      isAllowed = true;
      return readActor(db);
    },
    async prepare() {
      // Commands that use another login, or no database, never call `allow`.
      if (isAllowed) await rebase(open());
    },
    say: (line) => print(`${wrapLines(line)}\n`),
  };
}

/** The operator, by the login that PostgreSQL has verified. */
async function readActor(db: Queryable): Promise<AuditActor> {
  const [row] = await db.query<{ login: string }>('SELECT session_user::text AS login');
  return `operator:${row!.login}`;
}
