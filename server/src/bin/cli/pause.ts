import { parseArgs } from 'node:util';
import { listPauses, type PauseScope, pausePayments, resumePayments } from '../../payments/pauses.ts';
import { type Command, CommandFault, parseReason, refuseUnlessAllowed, renderTable } from './runCommand.ts';

export const PAUSE_HELP = `Stops payments, with a reason that callers are told, and lets them go on. Everybody can still look.

  npm run pause -- all --why "moving the database"       every payment
  npm run pause -- user --why …                          people paying each other
  npm run pause -- chain --why …                         sends to addresses
  npm run pause -- chain:ETH-SEPOLIA --why …             sends on one blockchain
  npm run pause -- user:<user id> --why …                whatever one person pays
  npm run pause -- list
  npm run resume -- all                                  and so on

Callers hear 503 service.paused, a paused person 403 user.paused. It holds from the next payment on, in every process;
sends that were accepted before are carried out.
`;

export const pause: Command = async (db, args, actor) => {
  const { target, why } = parseCommand(args);
  if (target === 'list') {
    const pauses = await listPauses(db);
    if (pauses.length === 0) return 'Nothing is paused.\n';
    const rows = pauses.map((one) => [one.scope, one.pausedAt.toISOString(), one.pausedBy, one.reason]);
    return renderTable([['what', 'since', 'by', 'why'], ...rows]);
  }
  const scope = parseScope(target);
  const reason = parseReason(why);
  await refuseUnlessAllowed(db, actor, deedOf(scope));
  if (!(await db.tx((tx) => pausePayments(tx, scope, reason, actor))))
    throw new CommandFault('there is no such person');
  return `Paused: ${scope}.\n`;
};

export const resume: Command = async (db, args, actor) => {
  const scope = parseScope(parseCommand(args).target);
  await refuseUnlessAllowed(db, actor, deedOf(scope));
  if (!(await db.tx((tx) => resumePayments(tx, scope, actor)))) throw new CommandFault(`${scope} is not paused`);
  return `Resumed: ${scope}.\n`;
};

const deedOf = (scope: PauseScope) => (scope.startsWith('user:') ? 'pause_user' : 'pause');

function parseCommand(args: readonly string[]): { target: string; why: string | undefined } {
  try {
    const options = { why: { type: 'string' } } as const;
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
    return { target: positionals.join(' '), why: values.why };
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
