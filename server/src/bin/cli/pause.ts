import type { Queryable } from '../../db/database.ts';
import {
  CAUSES,
  listPauses,
  type PauseCause,
  type PauseScope,
  pausePayments,
  resumePayments,
} from '../../operators/pauses.ts';
import { type Noun, verb } from '../program/command.ts';
import { CommandFault, misused, unknown } from '../program/faults.ts';
import { findUserId } from '../program/lookups.ts';
import { parseReason, WHY } from '../program/reason.ts';
import { renderTable, renderTime } from '../program/render.ts';

const SCOPES = `WHAT is all (every payment), user (people paying each other), chain (sends to addresses),
chain:ETH-SEPOLIA (sends on one blockchain) or user:NAME (one person, by username or id).`;

const list = verb({
  summary: 'Shows what is paused, by operators or by the service itself',
  reads: true,
  async run({ db }) {
    const pauses = await listPauses(db);
    const json = pauses.map(({ scope, cause, stops, pausedAt, pausedBy, reason }) => ({
      scope,
      cause,
      stops,
      paused_at: pausedAt,
      paused_by: pausedBy,
      reason,
    }));
    if (pauses.length === 0) return { text: 'Nothing is paused.\n', json };
    const rows = pauses.map((one) => [
      one.scope,
      one.cause,
      renderTime(one.pausedAt),
      `${one.pausedBy}: ${one.reason}${one.stops === 'accepting' ? '' : ' (signing is stopped too)'}`,
    ]);
    return { text: renderTable([['what', 'cause', 'since', 'by whom, and why'], ...rows]), json };
  },
});

const add = verb({
  summary: 'Pauses payments; callers read that they are paused, and not why',
  about: `${SCOPES}
Callers get 503 service.paused, a paused person 403 user.paused. The pause takes effect with the next payment, in every
process. Sends that were already accepted continue, unless --signing stops those too (all, chain or one blockchain). Sends
that are already signed may still happen on chain. Cancellations and reads continue.`,
  words: ['WHAT'],
  options: {
    why: WHY,
    signing: { type: 'boolean', summary: 'also stop signing sends that were already accepted' },
  },
  examples: [
    'pause add all --why "moving the database"',
    'pause add user:ada --why "her phone was stolen"',
    'pause add chain:ETH-SEPOLIA --signing --why "a fork"',
  ],
  async run({ db, allow }, { words: [what = ''], options }) {
    const scope = await parseScope(db, what);
    if (options.signing && scope.startsWith('user')) throw misused('payments between people need no signature');
    const stops = options.signing ? 'accepting and signing' : 'accepting';
    const reason = parseReason(options.why);
    await allow(deedOf(scope));
    if (!(await pausePayments(db, { scope, reason, stops }))) throw unknown('there is no such person');
    return `Paused: ${scope}. To resume: florin pause remove ${what}\n`;
  },
});

const remove = verb({
  summary: "Resumes payments: ends an operator's pause, or the service's own",
  about: SCOPES,
  words: ['WHAT'],
  options: {
    cause: { type: 'string', value: 'CAUSE', summary: `end a pause of the service: ${CAUSES.slice(1).join(', ')}` },
  },
  examples: ['pause remove all', 'pause remove chain:ETH-SEPOLIA --cause drift'],
  async run({ db, allow }, { words: [what = ''], options }) {
    const scope = await parseScope(db, what);
    const cause = parseCause(options.cause);
    await allow(deedOf(scope));
    const isResumed = await resumePayments(db, scope, cause);
    const others = (await listPauses(db)).filter((one) => one.scope === scope);
    const rest = others.map((one) => `${one.scope} is paused for ${one.cause} (--cause ${one.cause}): ${one.reason}`);
    if (!isResumed) throw new CommandFault([`${scope} is not paused for ${cause}`, ...rest].join('\n'));
    return [`Resumed: ${scope}.`, ...rest, ''].join('\n');
  },
});

export default {
  about: 'Pauses payments and resumes them. Callers read prepared words, operators the reason. Reads always work.',
  verbs: { list, add, remove },
} satisfies Noun;

const deedOf = (scope: PauseScope) => (scope.startsWith('user:') ? 'pause_user' : 'pause');

const SCOPE = /^(?:all|user|chain|chain:[A-Z0-9][A-Z0-9-]{1,31})$/;

async function parseScope(db: Queryable, text: string): Promise<PauseScope> {
  if (text.startsWith('user:')) return `user:${await findUserId(db, text.slice('user:'.length))}`;
  if (!SCOPE.test(text)) throw misused(`"${text}" cannot be paused. ${SCOPES}`);
  return text as PauseScope;
}

function parseCause(text = 'operator'): PauseCause {
  const cause = CAUSES.find((one) => one === text);
  if (!cause) throw misused(`there is no cause "${text}"; the causes are ${CAUSES.join(', ')}`);
  return cause;
}
