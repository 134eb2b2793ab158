import type { Queryable } from '../../db/database.ts';
import { listBlockchains } from '../../ledger/assets.ts';
import {
  CAUSES,
  listPauses,
  type Pause,
  type PauseScope,
  pausePayments,
  resumePayments,
} from '../../operators/pauses.ts';
import { type Noun, verb } from '../program/command.ts';
import { CommandFault, misused, unknown } from '../program/faults.ts';
import { describePerson, findUserId, parseBlockchain, parseWord } from '../program/lookups.ts';
import { parseReason, WHY } from '../program/reason.ts';
import { renderTable, renderTime } from '../program/render.ts';
import { suggest } from '../program/suggest.ts';

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
  async plan({ db, allow }, { words: [what = ''], options }) {
    const scope = await parseScope(db, what);
    if (options.signing && scope.startsWith('user')) throw misused('payments between people need no signature');
    const stops = options.signing ? 'accepting and signing' : 'accepting';
    const reason = parseReason(options.why);
    await allow(deedOf(scope));
    const others = (await listPauses(db)).filter((one) => one.scope === scope);
    const paused = others.map(describePause).join('; ');
    return {
      title: `Pause ${await describeScope(db, scope)}.`,
      facts: [['why', reason]],
      changes: [
        { what: 'new payments', before: paused || 'accepted', after: `refused, as ${REFUSALS[kindOf(scope)]}` },
        {
          what: 'accepted sends',
          before: others.some((one) => one.stops !== 'accepting') ? 'wait' : 'continue',
          after: options.signing || others.some(isAlsoSigning) ? 'wait until the pause ends' : 'continue',
        },
      ],
      async carryOut() {
        if (!(await pausePayments(db, { scope, reason, stops }))) throw unknown('there is no such person');
        return `Paused: ${scope}. To resume: florin pause remove ${what}\n`;
      },
    };
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
  async plan({ db, allow }, { words: [what = ''], options }) {
    const pauses = await listPauses(db);
    const scope = await parseScope(
      db,
      what,
      pauses.map((one) => one.scope),
    );
    const cause = parseWord(options.cause ?? 'operator', '--cause', CAUSES);
    await allow(deedOf(scope));
    const others = pauses.filter((one) => one.scope === scope && one.cause !== cause);
    const wider = pauses.filter((one) => listWider(scope).includes(one.scope));
    const rest = others.map((one) => `${one.scope} is paused for ${one.cause} (--cause ${one.cause}): ${one.reason}`);
    const ended = pauses.find((one) => one.scope === scope && one.cause === cause);
    const refuse = () => new CommandFault([`${scope} is not paused for ${cause}`, ...rest].join('\n'));
    // Pauses of closed accounts are not listed.
    if (!ended && cause !== 'closed') throw refuse();
    const before = ended ? describePause(ended) : 'paused: the account is closed';
    return {
      title: `End this pause of ${await describeScope(db, scope)}.`,
      changes: [{ what: 'new payments', before, after: describeRest(scope, [...others, ...wider]) }],
      warning:
        cause !== 'operator' && cause !== 'closed'
          ? `the service has paused this itself, because of: ${ended?.reason}. If that still holds, money can be lost. Check first: docs/operating/alerts/FlorinSendsPaused.md`
          : undefined,
      async carryOut() {
        if (!(await resumePayments(db, scope, cause))) throw refuse();
        return [`Resumed: ${scope}.`, ...rest, ''].join('\n');
      },
    };
  },
});

export default {
  about: 'Pauses payments and resumes them. Callers read prepared words, operators the reason. Reads always work.',
  verbs: { list, add, remove },
} satisfies Noun;

/** A new pause by an operator replaces their earlier one. The others stay. */
const isAlsoSigning = ({ cause, stops }: Pause): boolean => cause !== 'operator' && stops !== 'accepting';

/** The scopes that include this one. */
function listWider(scope: PauseScope): readonly string[] {
  if (scope === 'all') return [];
  return scope === 'user' || scope === 'chain' ? ['all'] : [scope.startsWith('user:') ? 'user' : 'chain', 'all'];
}

function describeRest(scope: PauseScope, [first]: readonly Pause[]): string {
  if (!first) return 'accepted';
  return first.scope === scope ? `still ${describePause(first)}` : `${first.scope} is still ${describePause(first)}`;
}

const deedOf = (scope: PauseScope) => (scope.startsWith('user:') ? 'pause_user' : 'pause');

const WIDE = ['all', 'user', 'chain'] as const;
type Kind = (typeof WIDE)[number] | 'one chain' | 'one person';

const kindOf = (scope: PauseScope): Kind =>
  WIDE.find((one) => one === scope) ?? (scope.startsWith('user:') ? 'one person' : 'one chain');

const REFUSALS: Readonly<Record<Kind, string>> = {
  all: '503 service.paused',
  user: '503 service.paused',
  chain: '503 service.paused',
  'one chain': '503 service.paused',
  'one person': '403 user.paused',
};

async function describeScope(db: Queryable, scope: PauseScope): Promise<string> {
  const kind = kindOf(scope);
  if (kind === 'one person') return `all payments of ${await describePerson(db, scope.slice('user:'.length))}`;
  if (kind === 'one chain') return `sends to addresses on ${scope.slice('chain:'.length)}`;
  return { all: 'every payment', user: 'payments between people', chain: 'sends to addresses on every blockchain' }[
    kind
  ];
}

const describePause = ({ cause, pausedAt, pausedBy, reason }: Pause): string =>
  `paused for ${cause} since ${renderTime(pausedAt)} by ${pausedBy} (${reason})`;

/** `paused`: scopes that can be resumed, although no such blockchain is known. */
async function parseScope(db: Queryable, text: string, paused: readonly string[] = []): Promise<PauseScope> {
  if (text.startsWith('user:')) return `user:${await findUserId(db, text.slice('user:'.length))}`;
  const chains = (await listBlockchains(db)).map((one) => `chain:${one}`);
  const known = [...WIDE, ...chains];
  if (known.includes(text) || paused.includes(text)) return text as PauseScope;
  if (text.startsWith('chain:')) await parseBlockchain(db, text.slice('chain:'.length));
  throw misused(`"${text}" cannot be paused${suggest(text, known)}. ${SCOPES}`);
}
