import type { IncomingHttpHeaders } from 'node:http';
import type { Applicant, Applicants } from './applicants.ts';
import { findDecision } from './decisions.ts';
import { deskHeaders, renderDesk, renderDeskMessage } from './renderDesk.ts';
import type { Switches } from './switches.ts';

interface Desk {
  readonly applicants: Applicants;
  readonly tokens: ReadonlyMap<string, string>;
  readonly switches: Switches;
  readonly decide: (applicantId: string, decision: string) => Promise<void>;
  readonly nameOf: (userId: string) => string | undefined;
}

interface DeskCall {
  readonly method: string;
  readonly url: URL;
  readonly body: Buffer;
  readonly headers: IncomingHttpHeaders;
}

interface DeskAnswer {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly html: string;
}

const page = (status: number, html: string): DeskAnswer => ({ status, headers: deskHeaders(), html });
const message = (status: number, title: string, text: string) => page(status, renderDeskMessage(title, text));

/** `/` shows all applicants; `/websdk?accessToken=…` shows one person, like the provider's own pages. */
export function answerDesk(desk: Desk, call: DeskCall): DeskAnswer {
  const token = call.url.searchParams.get('accessToken');
  const isDesk = call.url.pathname === '/';
  if (!isDesk && call.url.pathname !== '/websdk')
    return message(404, 'Page not found', 'The page of identity checks is at the root.');
  const mine = token === null ? undefined : desk.applicants.find(desk.tokens.get(token) ?? '');
  if (!isDesk && !mine) return message(401, 'This link has expired', 'Go back to the app and start the check again.');
  if (call.method === 'GET' || call.method === 'HEAD') {
    const shown = isDesk ? desk.applicants.list() : [mine as Applicant];
    return page(200, renderDesk({ ...desk, shown, isDesk, path: call.url.pathname + call.url.search }));
  }
  if (call.method !== 'POST') return message(405, 'Method not allowed', 'Open the page and use its buttons.');
  // Pages of other sites must not post here.
  if (call.headers.origin !== undefined && call.headers.origin !== `http://${call.headers.host}`) {
    return message(403, 'From another site', 'Buttons only work on this page.');
  }
  return press(desk, call, mine);
}

function press(desk: Desk, call: DeskCall, mine: Applicant | undefined): DeskAnswer {
  const form = new URLSearchParams(call.body.toString('utf8'));
  const name = form.get('switch');
  if (name !== null && !mine) {
    if (!Object.hasOwn(desk.switches, name)) return message(400, 'No such switch', 'Go back and choose another.');
    const key = name as keyof Switches;
    desk.switches[key] = !desk.switches[key];
    return seeOther(call);
  }
  const applicant = desk.applicants.find(form.get('applicant') ?? '');
  const decision = form.get('decision') ?? '';
  if (!applicant || (mine && mine !== applicant)) {
    return message(404, 'No such applicant', 'It may have been deleted in the meantime.');
  }
  if (decision === 'delete') desk.applicants.remove(applicant);
  else if (findDecision(decision)) void desk.decide(applicant.id, decision);
  else return message(400, 'No such decision', 'Go back and choose another.');
  return seeOther(call);
}

const seeOther = (call: DeskCall): DeskAnswer => ({
  status: 303,
  headers: { location: call.url.pathname + call.url.search },
  html: '',
});
