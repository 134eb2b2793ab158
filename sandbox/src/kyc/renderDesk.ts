import { createPages, escapeHtml } from '../createPages.ts';
import type { Applicant } from './applicants.ts';
import { type DecisionName, decisions } from './decisions.ts';
import type { Switches } from './switches.ts';

const pages = createPages(`
main { max-width: 60rem; margin: 0 auto; padding: 2rem 1rem 4rem; }
h1 { margin: 0 0 .25rem; font-size: 1.75rem; line-height: 1.2; letter-spacing: -.015em; }
h2 { margin: 2.25rem 0 .75rem; font-size: 1.0625rem; }
p { margin: 0 0 1rem; color: var(--soft); max-width: 44rem; }
ul { gap: .75rem; }
.card { background: var(--card); border: 1px solid var(--line); border-radius: .875rem; padding: 1rem 1.125rem; }
.who { display: flex; flex-wrap: wrap; align-items: center; justify-content: space-between; gap: .25rem 1rem; }
.who b { font-size: 1.0625rem; overflow-wrap: anywhere; }
.id { color: var(--soft); font: .8125rem/1.5 ui-monospace, Menlo, Consolas, monospace; overflow-wrap: anywhere; }
.state { padding: .125rem .625rem; border-radius: 1rem; margin: .125rem 0; font-size: .8125rem; font-weight: 600; white-space: nowrap;
  background: var(--wait-ground); color: var(--wait); }
.state.good { background: var(--good-ground); color: var(--good); }
.state.bad { background: var(--bad-ground); color: var(--bad); }
form { margin: .875rem 0 0; display: flex; flex-wrap: wrap; gap: .5rem; }
button { font-size: .9375rem; min-height: 2.75rem; padding: 0 .875rem; }
button:hover { border-color: var(--accent); }
button.main { border-color: var(--accent); background: var(--accent); color: var(--on-accent); font-weight: 600; }
button.grave { color: var(--bad); }
details { margin: .25rem 0 -.375rem; } details[open] { margin-bottom: 0; }
summary { cursor: pointer; color: var(--soft); font-size: .9375rem; padding: .5rem 0; }
summary:focus-visible { border-radius: .25rem; }
details form { margin-top: .25rem; } details form + form { margin-top: .5rem; }
.switches { display: grid; grid-template-columns: repeat(auto-fit, minmax(13rem, 1fr)); gap: .75rem; margin: 0; }
.switches button { display: grid; grid-template-columns: 1fr auto; gap: 0 .75rem; align-items: center; text-align: left;
  padding: .75rem 1rem; background: var(--card); }
.switches span { color: var(--soft); font-size: .875rem; grid-column: 1; }
.switches i { grid-row: 1 / span 2; grid-column: 2; font-style: normal; font-size: .8125rem; font-weight: 600;
  color: var(--soft); }
.switches button[aria-pressed="true"] { border-color: var(--bad); background: var(--bad-ground); }
.switches button[aria-pressed="true"] i { color: var(--bad); }
.empty { text-align: center; padding: 2.5rem 1rem; border-style: dashed; }
.empty p { margin: .25rem auto 0; }
`);

export const deskHeaders = (): Record<string, string> => ({
  ...pages.headers("'self'"),
  // Without it, browsers would send `Origin: null`, and the page could not distinguish its own posts from others.
  'referrer-policy': 'same-origin',
});

interface DeskPage {
  readonly shown: readonly Applicant[];
  readonly isDesk: boolean;
  readonly path: string;
  readonly switches: Switches;
  readonly nameOf: (userId: string) => string | undefined;
}

export function renderDesk(desk: DeskPage): string {
  const sorted = desk.shown.toSorted((a, b) => Number(isDecided(a)) - Number(isDecided(b)));
  const list =
    desk.shown.length === 0
      ? `<div class="card empty"><b>No one is waiting</b>
<p>A person appears here when an app starts their identity check.</p></div>`
      : `<ul>\n${sorted.map((applicant) => renderApplicant(desk, applicant)).join('\n')}\n</ul>`;
  if (!desk.isDesk) {
    return pages.render(
      'Identity check',
      `<p class="tag">Sandbox</p>
<h1>Your identity check</h1>
<p>A real provider would ask for a passport and a selfie here. In the sandbox, you choose the result.</p>
${list}`,
    );
  }
  return pages.render(
    'Identity checks',
    `<p class="tag">Sandbox</p>
<h1>Identity checks</h1>
<p>You act for the identity provider: approve or reject each person. A webhook notifies the server, which then asks for the result.</p>
<h2>People</h2>
${list}
<h2>Faults</h2>
${renderSwitches(desk)}`,
  );
}

const VERDICTS: readonly DecisionName[] = ['approve', 'retry', 'reject'];
const OTHERS: readonly DecisionName[] = ['submit', 'hold', 'ask', 'service', 'reset'];
const isDecided = ({ review }: Applicant): boolean => review.reviewStatus === 'completed';

/** Shows the buttons of waiting applicants; those of decided ones are folded away. */
function renderApplicant({ nameOf, path }: DeskPage, applicant: Applicant): string {
  const { text, kind } = describe(applicant);
  const name = escapeHtml(nameOf(applicant.externalUserId) ?? 'New person');
  const button = (decision: string, label: string, style: string) =>
    `<button${style} name="decision" value="${decision}" aria-label="${label}: ${name}">${label}</button>`;
  const buttons = (names: readonly DecisionName[]) =>
    names.map((one) => button(one, decisions[one].label, CLASSES[one] ?? '')).join('');
  const form = (content: string) =>
    `<form method="post" action="${escapeHtml(path)}"><input type="hidden" name="applicant" value="${applicant.id}">${content}</form>`;
  const others = buttons(OTHERS) + button('delete', 'Delete the applicant', CLASSES.reject!);
  return `<li class="card">
<div class="who"><b>${name}</b>
<span class="state${kind}">${text}</span></div>
<div class="id">user ${escapeHtml(applicant.externalUserId)}</div>
${isDecided(applicant) ? '' : form(buttons(VERDICTS))}
<details><summary>${isDecided(applicant) ? 'Decide again' : 'More'}</summary>
${isDecided(applicant) ? form(buttons(VERDICTS)) : ''}
${form(others)}
</details>
</li>`;
}

const CLASSES: Partial<Record<DecisionName, string>> = { approve: ' class="main"', reject: ' class="grave"' };

const WORDS: Readonly<Record<string, string>> = {
  init: 'Has not sent anything',
  pending: 'Waiting for you',
  onHold: 'On hold',
  awaitingUser: 'The person was asked',
  awaitingService: 'Green, but not done',
};

function describe({ review }: Applicant): { text: string; kind: string } {
  if (review.reviewStatus !== 'completed') return { text: WORDS[review.reviewStatus] ?? review.reviewStatus, kind: '' };
  if (review.reviewResult?.reviewAnswer === 'GREEN') return { text: 'Approved', kind: ' good' };
  const isFinal = review.reviewResult?.reviewRejectType === 'FINAL';
  return { text: isFinal ? 'Rejected for good' : 'Asked for better photos', kind: ' bad' };
}

const SWITCHES: readonly (readonly [keyof Switches, string, string])[] = [
  ['slow', 'Slow', 'Answers after 20 seconds'],
  ['down', 'Down', 'Answers 503 to every request'],
  ['twice', 'Webhooks twice', 'Every event arrives two times'],
  ['mute', 'No webhooks', 'Events are lost on the way'],
];

function renderSwitches({ switches, path }: DeskPage): string {
  const buttons = SWITCHES.map(
    ([name, label, says]) =>
      `<button name="switch" value="${name}" aria-pressed="${switches[name]}"><b>${label}</b><span>${says}</span><i>${switches[name] ? 'On' : 'Off'}</i></button>`,
  );
  return `<form class="switches" method="post" action="${escapeHtml(path)}">\n${buttons.join('\n')}\n</form>`;
}

export function renderDeskMessage(title: string, text: string): string {
  return pages.render(
    title,
    `<p class="tag">Sandbox</p>
<h1>${escapeHtml(title)}</h1>
<p>${escapeHtml(text)}</p>`,
  );
}
