import pg from 'pg';
import { PayError, renderProblem } from '../../core/errors.ts';
import { ConfigError } from '../config/configError.ts';
import { describeOutage } from '../doctor/describeOutage.ts';
import { describeError } from '../doctor/finding.ts';
import { CommandFault, EXIT, type ExitCode } from './faults.ts';

interface Described {
  readonly message: string;
  readonly exitCode: ExitCode;
}

/** Describes an error for the operator, with the exit code. */
export function describeFault(error: Error, { sandboxEnv, databaseUrl }: Where = {}): Described {
  if (error instanceof CommandFault) return { message: error.message, exitCode: error.exitCode };
  if (error instanceof ConfigError) return { message: error.message, exitCode: EXIT.configuration };
  const outage = databaseUrl && isOfDatabase(error) ? findOutage(error, databaseUrl) : undefined;
  if (outage) {
    const named = sandboxEnv ? `\n${sandboxEnv} names that database: is the sandbox running (npm start)?` : '';
    return { message: outage.message + named, exitCode: outage.exitCode };
  }
  if (error instanceof PayError) return describePayError(error);
  if (error instanceof pg.DatabaseError) return describeDatabaseError(error);
  return { message: `The command failed: ${describeError(error)}`, exitCode: EXIT.failed };
}

interface Where {
  /** The sandbox's file, if it named the database. */
  readonly sandboxEnv?: string | undefined;
  readonly databaseUrl?: string | undefined;
}

/** Nodes, the signer and files fail with the same kinds of errors. */
const isOfDatabase = (error: Error): boolean =>
  error instanceof PayError ? error.details.dependency === 'database' : !('syscall' in error);

/** Why the database of this URL cannot be used, as a fault; undefined for any other error. */
export function findOutage(error: unknown, url: string): CommandFault | undefined {
  const outage = describeOutage(error, url);
  if (!outage) return undefined;
  const exitCode = outage.isLasting ? EXIT.configuration : EXIT.unavailable;
  return new CommandFault(`${outage.says}: ${outage.fix}`, exitCode);
}

function describePayError(error: PayError): Described {
  if (error.code === 'service.unavailable') {
    const message = `${String(error.details.dependency)} is not available: ${describeError(error)}`;
    return { message, exitCode: EXIT.unavailable };
  }
  const exitCode = error.status === 404 ? EXIT.unknown : EXIT.failed;
  // The detail is written for customers.
  const cause = error.code === 'service.paused' && error.cause instanceof Error ? ` (${error.cause.message})` : '';
  return { message: `${String(renderProblem(error).detail)}${cause}`, exitCode };
}

function describeDatabaseError(error: pg.DatabaseError): Described {
  if (error.code === '42P01' || error.code === '42883')
    return {
      message: `This database was not migrated for this build (${error.message}): florin migrate`,
      exitCode: EXIT.configuration,
    };
  if (error.code === '42501')
    return {
      message: `This login lacks the privilege (${error.message}): an operator's login is a member of …_operator (docs/operating/database-roles.md)`,
      exitCode: EXIT.forbidden,
    };
  return { message: `The database refused the command: ${error.message}`, exitCode: EXIT.failed };
}
