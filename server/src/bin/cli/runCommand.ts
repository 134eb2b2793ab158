import { type Db, openDatabase, type Queryable } from '../../db/database.ts';
import { rebase } from '../../ledger/accounts.ts';
import { type Deed, findObjection } from '../../operators/operators.ts';
import type { AuditActor } from '../../operators/recordAudit.ts';
import { readDatabaseUrl } from '../config/config.ts';
import { ConfigError } from '../config/configError.ts';

/** The command cannot be run; the message is printed for the operator. */
export class CommandFault extends Error {}

/** Returns the text to print. */
export type Command = (db: Db, args: readonly string[]) => Promise<string>;

/** The operator, by the login that PostgreSQL has verified. */
export async function readActor(db: Queryable): Promise<AuditActor> {
  const [row] = await db.query<{ login: string }>('SELECT session_user::text AS login');
  return `operator:${row!.login}`;
}

/** Runs an operator's command that needs only the database, and prints its result or its fault. */
export function runCommand(help: string, command: Command): void {
  run(help, command, process.argv.slice(2)).catch((error: Error) => {
    process.stderr.write(`${describe(error)}\n`);
    process.exitCode = 1;
  });
}

async function run(help: string, command: Command, args: readonly string[]): Promise<void> {
  if (args.length === 0 || args.includes('--help') || args[0] === 'help') {
    process.stdout.write(help);
    return;
  }
  const db = openDatabase(readDatabaseUrl(), { maxConnections: 1 });
  try {
    process.stdout.write(await command(db, args));
  } finally {
    await db.close();
  }
}

function describe(error: Error & { code?: string }): string {
  if (error instanceof CommandFault || error instanceof ConfigError) return error.message;
  if (error.code === '42P01') return 'this database was never migrated: npm run migrate';
  if (error.code === '42501') {
    return `this login may not do it (${error.message}): an operator's is a member of …_operator (docs/operating/database-roles.md)`;
  }
  return `the database cannot be used: ${error.cause instanceof Error ? error.cause.message : error.message}`;
}

/** Throws unless the operator's role allows it; answers who they are. Every command that writes begins with this. */
export async function refuseUnlessAllowed(db: Db, deed: Deed): Promise<AuditActor> {
  const objection = await findObjection(db, deed);
  if (objection) throw new CommandFault(objection);
  await rebase(db);
  return readActor(db);
}

/** The reason that goes into the audit log. */
export function parseReason(text: string | undefined): string {
  const reason = text?.trim();
  if (!reason || reason.length > 500 || reason.includes('\0')) {
    throw new CommandFault('say why with --why, at most 500 characters');
  }
  return reason;
}

/** The first row is the heading; every column is as wide as its longest cell. */
export function renderTable(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  const lines = rows.map((row) => row.map((cell, i) => cell.padEnd(widths[i]!)).join('  '));
  return `${lines.map((line) => line.trimEnd()).join('\n')}\n`;
}
