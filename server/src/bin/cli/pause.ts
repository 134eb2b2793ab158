import { parseArgs } from 'node:util';
import type { Db } from '../../db/database.ts';
import {
  CAUSES,
  listPauses,
  type PauseCause,
  type PauseScope,
  pausePayments,
  resumePayments,
} from '../../operators/pauses.ts';
import { type Command, CommandFault, parseReason, refuseUnlessAllowed, renderTable } from './runCommand.ts';

export const PAUSE_HELP = `Stops payments, with a reason that callers see, and lets them go on. Reading always works.

  npm run pause -- all --why "moving the database"       every payment
  npm run pause -- user --why …                          people paying each other
  npm run pause -- chain --why …                         sends to addresses
  npm run pause -- chain:ETH-SEPOLIA --why …             sends on one blockchain
  npm run pause -- user:<user id> --why …                all payments of one person
  npm run pause -- chain --signing --why …               also signs nothing that was accepted before
  npm run pause -- list                                  what is paused, by people and by the service itself
  npm run resume -- all                                  ends an operator's pause, and so on
  npm run resume -- chain:ETH-SEPOLIA --cause drift      ends one that the service began: ${CAUSES.slice(1).join(', ')}

Callers get 503 service.paused, a paused person 403 user.paused. It counts from the next payment on, in every process.
Sends that were accepted before are carried out, unless --signing stops those too (all, chain or one blockchain). What
is signed already may still happen on chain; cancellations go on.
`;

export const pause: Command = async (db, args) => {
  const { target, why, signing } = parseCommand(args, { why: { type: 'string' }, signing: { type: 'boolean' } });
  if (target === 'list') return list(db);
  const scope = parseScope(target);
  if (signing && scope.startsWith('user')) throw new CommandFault('people paying each other need no signature');
  const stops = signing ? 'accepting and signing' : 'accepting';
  const reason = parseReason(why);
  await refuseUnlessAllowed(db, deedOf(scope));
  if (!(await pausePayments(db, { scope, reason, stops }))) throw new CommandFault('there is no such person');
  return `Paused: ${scope}.\n`;
};

export const resume: Command = async (db, args) => {
  const { target, cause: asked } = parseCommand(args, { cause: { type: 'string' } });
  const scope = parseScope(target);
  const cause = parseCause(asked);
  await refuseUnlessAllowed(db, deedOf(scope));
  const isResumed = await resumePayments(db, scope, cause);
  const others = (await listPauses(db)).filter((one) => one.scope === scope);
  const rest = others.map((one) => `${one.scope} is paused for ${one.cause} (--cause ${one.cause}): ${one.reason}`);
  if (!isResumed) throw new CommandFault([`${scope} is not paused for ${cause}`, ...rest].join('\n'));
  return [`Resumed: ${scope}.`, ...rest, ''].join('\n');
};

async function list(db: Db): Promise<string> {
  const pauses = await listPauses(db);
  if (pauses.length === 0) return 'Nothing is paused.\n';
  const rows = pauses.map((one) => [
    one.scope,
    one.cause,
    one.stops,
    one.pausedAt.toISOString(),
    one.pausedBy,
    one.reason,
  ]);
  return renderTable([['what', 'cause', 'stops', 'since', 'by', 'why'], ...rows]);
}

const deedOf = (scope: PauseScope) => (scope.startsWith('user:') ? 'pause_user' : 'pause');

interface Given {
  readonly target: string;
  readonly why?: string;
  readonly signing?: boolean;
  readonly cause?: string;
}

function parseCommand(
  args: readonly string[],
  options: Readonly<Record<string, { readonly type: 'string' | 'boolean' }>>,
): Given {
  try {
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
    return { ...values, target: positionals.join(' ') };
  } catch (error) {
    throw new CommandFault((error as Error).message);
  }
}

const SCOPE = /^(?:all|user|chain|chain:[A-Z0-9][A-Z0-9-]{1,31}|user:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

function parseScope(text: string): PauseScope {
  const scope = text.startsWith('user:') ? text.toLowerCase() : text;
  if (!SCOPE.test(scope)) throw new CommandFault(`"${text}" cannot be paused\n\n${PAUSE_HELP}`);
  return scope as PauseScope;
}

function parseCause(text = 'operator'): PauseCause {
  const cause = CAUSES.find((one) => one === text);
  if (!cause) throw new CommandFault(`there is no cause "${text}"; there are ${CAUSES.join(', ')}`);
  return cause;
}
