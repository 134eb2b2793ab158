import pg from 'pg';
import { PayError } from '../../core/errors.ts';
import { type ConsoleCode, ConsoleFault } from '../../http/console/consoleFault.ts';
import { CommandFault, EXIT } from '../program/faults.ts';

const CODES: Readonly<Partial<Record<number, ConsoleCode>>> = {
  [EXIT.usage]: 'console.invalid',
  [EXIT.unknown]: 'console.unknown',
  [EXIT.forbidden]: 'console.forbidden',
  [EXIT.failed]: 'console.refused',
};

/** PostgreSQL decides what a role may do; its refusal is the console's. */
const NOT_ALLOWED = '42501';

/** What a command of `florin` says, as the console says it. Any other error is returned as it is. */
export function explainFault(error: unknown): unknown {
  if (error instanceof CommandFault) {
    const code = CODES[error.exitCode];
    return code ? new ConsoleFault(code, toSentence(error.message)) : error;
  }
  if (error instanceof pg.DatabaseError && error.code === NOT_ALLOWED)
    return new ConsoleFault('console.forbidden', toSentence(error.message));
  if (error instanceof PayError && error.status === 404) return new ConsoleFault('console.unknown');
  return error;
}

const toSentence = (message: string): string => {
  const text = message.charAt(0).toUpperCase() + message.slice(1);
  return /[.!?]$/.test(text) ? text : `${text}.`;
};
