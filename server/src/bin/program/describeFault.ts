import pg from 'pg';
import { PayError, renderProblem } from '../../core/errors.ts';
import { ConfigError } from '../config/configError.ts';
import { CommandFault, EXIT, type ExitCode } from './faults.ts';

interface Described {
  readonly message: string;
  readonly exitCode: ExitCode;
}

/** What went wrong, in words for the operator, and how the program ends. `foundIn`: the file that named the database. */
export function describeFault(error: Error, foundIn?: string): Described {
  if (error instanceof CommandFault) return { message: error.message, exitCode: error.exitCode };
  if (error instanceof ConfigError) return { message: error.message, exitCode: EXIT.configuration };
  if (error instanceof PayError) return describePayError(error, foundIn);
  if (error instanceof pg.DatabaseError) return describeDatabaseError(error);
  return { message: `It did not work: ${error.message || error.name}`, exitCode: EXIT.failed };
}

function describePayError(error: PayError, foundIn: string | undefined): Described {
  if (error.code === 'service.unavailable') {
    const cause = findCause(error);
    const where = foundIn && error.details.dependency === 'database' ? ` (${foundIn} names it)` : '';
    const what = error.details.dependency === 'database' ? `The database${where}` : String(error.details.dependency);
    return { message: `${what} cannot be used now: ${cause}`, exitCode: EXIT.unavailable };
  }
  const exitCode = error.status === 404 ? EXIT.unknown : EXIT.failed;
  return { message: String(renderProblem(error).detail), exitCode };
}

/** The innermost sentence; drivers leave some empty and give only a code. */
function findCause(error: Error): string {
  const causes: string[] = [];
  for (let one: unknown = error.cause; one instanceof Error; one = one.cause) {
    const inner = one instanceof AggregateError ? (one.errors as Error[]).map(({ message }) => message).join('; ') : '';
    causes.push(inner || one.message || String((one as NodeJS.ErrnoException).code ?? one.name));
  }
  return causes.at(-1) ?? 'it does not answer';
}

function describeDatabaseError(error: pg.DatabaseError): Described {
  if (error.code === '42P01' || error.code === '42883')
    return {
      message: `This database was not migrated for this build (${error.message}): florin migrate`,
      exitCode: EXIT.configuration,
    };
  if (error.code === '42501')
    return {
      message: `This login may not do it (${error.message}): an operator's is a member of …_operator (docs/operating/database-roles.md)`,
      exitCode: EXIT.forbidden,
    };
  return { message: `The database refused it: ${error.message}`, exitCode: EXIT.failed };
}
