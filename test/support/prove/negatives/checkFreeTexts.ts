/** Every free text that a call accepts is returned by every call that shows it, identical to the last letter. */
import { fetchChecked } from '../../http/fetchChecked.ts';
import { FORMULAS, FREE_TEXTS, LINE_ENDS } from './freeTexts.ts';
import type { Cast } from './goodCalls.ts';
import type { NegativesWorld } from './openWorld.ts';
import { parseStrictCsv } from './parseStrictCsv.ts';

export async function checkFreeTexts(world: NegativesWorld, cast: Cast): Promise<string[]> {
  const faults: string[] = [];
  const compare = (where: string, sent: unknown, shown: unknown) => {
    if (JSON.stringify(sent) !== JSON.stringify(shown))
      faults.push(`${where}: ${JSON.stringify(sent)} became ${JSON.stringify(shown)}`);
  };
  await checkPayout(world, compare);
  await checkWebhooks(world, compare);
  await checkRequests(world, cast, compare);
  return faults;
}

type Compare = (where: string, sent: unknown, shown: unknown) => void;

const quote = (cell: string): string => `"${cell.replaceAll('"', '""')}"`;

async function checkPayout(world: NegativesWorld, compare: Compare): Promise<void> {
  const headers = { authorization: `Bearer ${world.keys.payouts}` };
  const url = `${world.florin.backendUrl}/api/v1/payouts`;
  const check = async (rows: readonly (readonly string[])[]) => {
    const body = ['reference,to,amount,note', ...rows.map((row) => row.map(quote).join(',')), ''].join('\r\n');
    const answer = await fetchChecked(`${url}?payer=bob`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'text/csv' },
      body,
    });
    // biome-ignore lint/suspicious/noExplicitAny: as a client without types reads it
    return (await answer.json()) as any;
  };
  // Whitespace around a cell is not part of it, including a line end at its beginning.
  const notes = FREE_TEXTS.filter((text) => text === text.trim());
  const references = notes.map((_, i) => `R${i}, "quoted"; =1+1 'x' ${i}`);
  const { payout_id: id } = await check(notes.map((note, i) => [references[i]!, 'alice', '0.000001', note]));
  const items = (await (await fetchChecked(`${url}/${id}/items`, { headers })).json()) as {
    items: { reference: string; note: string }[];
  };
  compare(
    'items',
    notes,
    items.items.map(({ note }) => note),
  );
  const csv = parseStrictCsv(await (await fetchChecked(`${url}/${id}/items.csv`, { headers })).text());
  compare(
    'notes of items.csv',
    notes,
    csv.map(({ note }) => note),
  );
  compare(
    'references of items.csv',
    references,
    csv.map(({ reference }) => reference),
  );
  const refused = [...FORMULAS, ...LINE_ENDS].filter((text) => text === text.trim());
  const { errors = [] } = await check(refused.map((note, i) => [`r${i}`, 'alice', '1', note]));
  compare(
    'rows refused',
    refused.map((_, i) => [i + 1, 'note']),
    errors.map((one: { row: number; column: string }) => [one.row, one.column]),
  );
  const formulas = await check(FORMULAS.map((reference) => [reference, 'alice', '1', '']));
  const rows = new Set(formulas.errors?.map(({ row }: { row: number }) => row));
  compare('references refused', FORMULAS.length, rows.size);
}

async function checkWebhooks(world: NegativesWorld, compare: Compare): Promise<void> {
  const headers = { authorization: `Bearer ${world.keys.webhooks}` };
  const wish = { url: 'http://127.0.0.1:1/hook', types: ['*'] };
  const { body } = await world.call('POST', '/api/v1/webhooks', { ...wish, description: 'first' }, headers);
  const path = `/api/v1/webhooks/${body.webhook_id}`;
  for (const description of [...FREE_TEXTS, ...FORMULAS, ...LINE_ENDS]) {
    const changed = await world.call('PATCH', path, { description }, headers);
    // A document may refuse some characters; what it accepts it must show.
    if (changed.status === 422) continue;
    compare('change_webhook', description, changed.body.description);
    compare('get_webhook', description, (await world.call('GET', path, undefined, headers)).body.description);
  }
  const taken = (await world.call('GET', path, undefined, headers)).body.description;
  compare('change_webhook accepted some', true, taken !== 'first');
  await world.call('DELETE', path, undefined, headers);
}

async function checkRequests(world: NegativesWorld, { bob }: Cast, compare: Compare): Promise<void> {
  const headers = { authorization: `Bearer ${bob.accessToken}` };
  const shown = new Map<string, string>();
  for (const note of [...FREE_TEXTS, ...FORMULAS, ...LINE_ENDS]) {
    const made = await world.call('POST', '/api/v1/requests', { amount: 1, note }, headers);
    if (made.status === 422) {
      compare('ask_for_money refuses control characters only', true, /\p{Cc}/u.test(note));
      continue;
    }
    compare('ask_for_money', note, made.body.note);
    shown.set(made.body.request_id, note);
  }
  const list = (await world.call('GET', '/api/v1/requests?direction=outgoing&limit=200', undefined, headers)).body
    .requests;
  const exported = (await world.call('GET', '/api/v1/me/export', undefined, headers)).body.requests;
  for (const [where, requests] of Object.entries({ list_requests: list, export_account: exported })) {
    const found = new Map<string, string>(
      requests.map((one: { request_id: string; note: string }) => [one.request_id, one.note]),
    );
    for (const [id, note] of shown) compare(where, note, found.get(id));
  }
  for (const id of shown.keys()) await world.call('POST', `/api/v1/requests/${id}/cancel`, undefined, headers);
}
