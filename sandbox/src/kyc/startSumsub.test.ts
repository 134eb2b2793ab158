import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseWebhook } from '../../../server/src/adapters/kyc/parseWebhook.ts';
import { type SignedRequest, signRequest } from '../../../server/src/adapters/kyc/signRequest.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { listen } from '../../../test/support/http/listen.ts';
import { SUMSUB_KEYS } from '../../../test/support/sumsub.ts';
import { type RunningSumsub, startSumsub } from './startSumsub.ts';

let double: RunningSumsub;
let hook: Server;
/** Event types that are refused the first time. */
const refuseOnce = new Set<string>();
const heard: { headers: IncomingHttpHeaders; body: Buffer }[] = [];
const folder = mkdtempSync(join(tmpdir(), 'florin-kyc-'));
const file = join(folder, 'applicants.json');

beforeAll(async () => {
  hook = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part) => parts.push(part));
    request.on('end', () => {
      const body = Buffer.concat(parts);
      heard.push({ headers: request.headers, body });
      response.writeHead(refuseOnce.delete(JSON.parse(body.toString()).type) ? 503 : 200).end();
    });
  });
  const port = await listen(hook);
  double = await startSumsub({ ...SUMSUB_KEYS, file, webhookUrl: `http://127.0.0.1:${port}/` });
});
afterAll(async () => {
  await double.stop();
  hook.close();
  rmSync(folder, { recursive: true });
});

const eventsOf = (applicantId: unknown, type: string) =>
  heard.filter(({ body }) => {
    const event = JSON.parse(body.toString());
    return event.applicantId === applicantId && event.type === type;
  });

async function ask(request: SignedRequest, headers?: Record<string, string>) {
  const answer = await fetch(double.url + request.path, {
    method: request.method,
    headers: { 'content-type': 'application/json', ...signRequest(SUMSUB_KEYS, request, Date.now()), ...headers },
    ...(request.body !== undefined && { body: request.body }),
  });
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
}
const create = (externalUserId: string, level = SUMSUB_KEYS.level) =>
  ask({
    method: 'POST',
    path: `/resources/applicants?levelName=${level}`,
    body: JSON.stringify({ externalUserId }),
  });

describe('the API', () => {
  it('finds an applicant by both ids', async () => {
    const made = await create('user one');
    expect(made).toMatchObject({
      status: 201,
      body: {
        id: expect.stringMatching(/^[0-9a-f]{24}$/),
        externalUserId: 'user one',
        review: { reviewStatus: 'init' },
      },
    });
    const { id } = made.body;
    for (const path of [`/resources/applicants/${id}/one`, '/resources/applicants/-;externalUserId=user%20one/one']) {
      expect(await ask({ method: 'GET', path })).toEqual({ status: 200, body: made.body });
    }
    const status = await ask({ method: 'GET', path: `/resources/applicants/${id}/status` });
    expect(status.body).toMatchObject({ reviewStatus: 'init', levelName: SUMSUB_KEYS.level });
    expect(await create('user one')).toMatchObject({ status: 409, body: { code: 409 } });
    expect(await create('user two', 'no-such-level')).toMatchObject({ status: 404 });
    const unknown = await ask({ method: 'GET', path: '/resources/applicants/63e096c51f7a2e5d3c8b4a19/one' });
    expect(unknown).toMatchObject({ status: 404, body: { description: 'Applicant not found (anf)' } });
  });

  it('refuses a request that is not signed as documented', async () => {
    const request: SignedRequest = { method: 'GET', path: '/resources/applicants/-;externalUserId=x/one' };
    const old = signRequest(SUMSUB_KEYS, request, Date.now() - 61_000);
    const other = signRequest(
      SUMSUB_KEYS,
      { ...request, path: '/resources/applicants/-;externalUserId=y/one' },
      Date.now(),
    );
    for (const headers of [
      { 'X-App-Token': 'sbx:other' },
      { 'X-App-Access-Sig': '' },
      { 'X-App-Access-Ts': 'now' },
      old,
      other,
    ]) {
      expect(await ask(request, headers)).toMatchObject({ status: 401, body: { code: 401 } });
    }
    expect((await ask(request)).status).toBe(404);
  });

  it("decides through Sumsub's own sandbox call, and sends a signed event", async () => {
    const { id } = (await create('tested')).body;
    const body = '{"reviewAnswer":"GREEN","rejectLabels":[]}';
    await ask({ method: 'POST', path: `/resources/applicants/${id}/status/testCompleted`, body });
    const event = await eventually(() => {
      const events = eventsOf(id, 'applicantReviewed');
      expect(events).toHaveLength(1);
      return events[0]!;
    });
    const pinned = { webhookSecret: SUMSUB_KEYS.webhookSecret, webhookAlgorithm: 'HMAC_SHA256_HEX' } as const;
    expect(parseWebhook(pinned, event.headers, event.body)).toEqual({ applicantId: id, type: 'applicantReviewed' });
    expect(JSON.parse(event.body.toString())).toMatchObject({
      reviewStatus: 'completed',
      createdAtMs: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}$/),
    });
  });

  it('sends an event again until it is accepted', async () => {
    const { id } = (await create('resent')).body;
    refuseOnce.add('applicantPending');
    await double.decide(String(id), 'submit');
    expect(eventsOf(id, 'applicantPending')).toHaveLength(2);
  });
});

describe('the page', () => {
  const press = (fields: Record<string, string>, headers: Record<string, string> = {}) =>
    fetch(double.url, { method: 'POST', body: new URLSearchParams(fields), redirect: 'manual', headers });

  it('has a button for every decision, and no script', async () => {
    const { id } = (await create('<b>bold</b>')).body;
    const page = await fetch(double.url);
    const html = await page.text();
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(html).not.toMatch(/<script|<b>bold<\/b>/);
    expect((await press({ applicant: String(id), decision: 'approve' })).status).toBe(303);
    expect(double.applicants.find(String(id))?.review).toMatchObject({
      reviewStatus: 'completed',
      reviewResult: { reviewAnswer: 'GREEN' },
    });
    expect((await press({ applicant: String(id), decision: 'delete' })).status).toBe(303);
    expect(double.applicants.find(String(id))).toBeUndefined();
  });

  it('turns faults on and off', async () => {
    await press({ switch: 'down' });
    expect((await create('while down')).status).toBe(503);
    await press({ switch: 'down' });
    expect((await create('while up')).status).toBe(201);
  });

  it('shows one person their own check, by the token of the web SDK', async () => {
    const body = JSON.stringify({ userId: 'own', levelName: SUMSUB_KEYS.level, ttlInSecs: 600 });
    const { token } = (await ask({ method: 'POST', path: '/resources/accessTokens/sdk', body })).body;
    const html = await (await fetch(`${double.url}/websdk?accessToken=${token}`)).text();
    expect(html).toContain('user own');
    expect(html).not.toContain('user one');
    expect((await fetch(`${double.url}/websdk?accessToken=guess`)).status).toBe(401);
  });

  it('refuses posts from other sites, and answers bad input with an error page', async () => {
    const applicant = double.applicants.ofUser('user one')!.id;
    expect((await press({ applicant, decision: 'approve' }, { origin: 'https://evil.example' })).status).toBe(403);
    expect((await press({ applicant, decision: 'constructor' })).status).toBe(400);
    expect((await press({ applicant: 'nobody', decision: 'approve' })).status).toBe(404);
    expect((await press({ switch: '__proto__' })).status).toBe(400);
    expect((await fetch(`${double.url}/nothing`)).status).toBe(404);
    expect(double.applicants.find(applicant)?.review.reviewStatus).toBe('init');
  });
});

describe('the double', () => {
  it('keeps applicants across a restart, in a file for its owner only', async () => {
    const known = double.applicants.ofUser('user one')!;
    const again = await startSumsub({ ...SUMSUB_KEYS, file });
    expect(again.applicants.find(known.id)).toEqual(known);
    await again.stop();
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it('listens on this machine only', async () => {
    await expect(startSumsub({ ...SUMSUB_KEYS, host: '0.0.0.0' })).rejects.toThrow(/127\.0\.0\.1 only/);
  });
});
