/** Sumsub decides about people. Its webhooks arrive promptly, late, twice, in any order, or never. */
import { decisions } from '../../../../../sandbox/src/kyc/decisions.ts';
import { renderEvent, signEvent } from '../../../../../sandbox/src/kyc/sendWebhook.ts';
import { SUMSUB_KEYS } from '../../../sumsub.ts';
import { hasSession } from '../../model/names.ts';
import { type Action, type Context, type Draw, drawSession, PEOPLE, type PersonName } from '../context.ts';

/** Of one person, at the beginning: the applicant exists, and Sumsub says what the database says. */
export async function beginKyc({ world }: Context, who: PersonName, accessToken: string): Promise<void> {
  const headers = { authorization: `Bearer ${accessToken}` };
  const body = { user_id: world.names.id(who) };
  const { status } = await world.processes.call('POST', '/api/v1/kyc/applicant', body, headers);
  if (status !== 200) throw new Error(`the check of ${who} does not begin: ${status}`);
  review(applicantOf(world, who), 'approve');
}

const applicantOf = ({ stage: { sumsub }, names }: Context['world'], who: PersonName) => ({
  sumsub,
  applicant: sumsub.applicants.ofUser(names.id(who))!,
});

function review({ sumsub, applicant }: ReturnType<typeof applicantOf>, name: keyof typeof decisions): void {
  const { reviewStatus, reviewResult } = decisions[name] as (typeof decisions)['approve'];
  sumsub.applicants.review(applicant, reviewStatus, reviewResult);
}

/** The answer that Sumsub would give now. */
const verdictOf = (world: Context['world'], who: PersonName): 'approved' | 'rejected' =>
  applicantOf(world, who).applicant.review.reviewResult!.reviewAnswer === 'GREEN' ? 'approved' : 'rejected';

/** The content of a webhook is not believed: it makes the server ask. */
const deliver = ({ world }: Context, name: string, who: PersonName, event: string): Action => ({
  name,
  text: `${name} about ${who}`,
  call: { do: 'judge', who, status: verdictOf(world, who) },
  http: {
    method: 'POST',
    path: '/webhooks/sumsub',
    body: JSON.parse(event),
    headers: signEvent(event, SUMSUB_KEYS.webhookSecret),
  },
});

const decide: Draw = (context) => {
  const { random, state, world } = context;
  const who = random.pick(PEOPLE);
  if (state.people[who]!.closed) return undefined;
  const isGood = state.people[who]!.kyc === 'rejected' || random.chance(0.3);
  const decision = isGood ? 'approve' : random.pick(['reject', 'retry'] as const);
  review(applicantOf(world, who), decision);
  const event = renderEvent(applicantOf(world, who).applicant, decisions[decision].event);
  // It arrives now, and perhaps later again; or only later; or never.
  if (random.chance(0.5)) context.notices.push({ who, event });
  if (random.chance(0.7)) return deliver(context, 'identity webhook', who, event);
  return { name: 'identity webhook late', text: `Sumsub: ${decision} ${who}`, run: async () => undefined };
};

const deliverLate: Draw = (context) => {
  const { notices, random, state } = context;
  if (notices.length === 0) return undefined;
  const at = random.int(notices.length);
  const { who, event } = notices[at]!;
  if (random.chance(0.7)) notices.splice(at, 1);
  if (state.people[who]!.closed) return undefined;
  return deliver(context, 'identity webhook again', who, event);
};

/** The person looks at their status, which asks Sumsub too. */
const look: Draw = (context) => {
  const { random, state, world } = context;
  const who = random.pick(PEOPLE);
  const { session, as, headers } = drawSession(context, who);
  if (state.people[who]!.closed || !hasSession(state, who, session)) return undefined;
  return {
    name: 'check identity',
    text: `${who} looks at the identity check`,
    as,
    call: { do: 'judge', who, status: verdictOf(world, who) },
    http: { method: 'POST', path: `/api/v1/kyc/check-status/${world.names.id(who)}`, headers },
  };
};

export const identityDoes: readonly (readonly [number, Draw])[] = [
  [9, decide],
  [20, deliverLate],
  [2, look],
];
