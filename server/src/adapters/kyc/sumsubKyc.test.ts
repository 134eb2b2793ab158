import { createHmac, randomUUID } from 'node:crypto';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { listen } from '../../../../test/support/http/listen.ts';
import { SUMSUB_KEYS, startTestSumsub } from '../../../../test/support/sumsub.ts';
import type { PayError } from '../../core/errors.ts';
import type { SumsubOptions } from './askSumsub.ts';
import { readVerdict } from './readVerdict.ts';
import { signRequest } from './signRequest.ts';
import { checkSumsub, sumsubKyc } from './sumsubKyc.ts';

const LEVEL = SUMSUB_KEYS.level;
const options = (url: string, more: Partial<SumsubOptions> = {}): SumsubOptions => ({
  ...SUMSUB_KEYS,
  webhookAlgorithm: 'HMAC_SHA256_HEX',
  url,
  // A slow machine must not decide an outcome.
  timeoutMs: 60_000,
  ...more,
});

describe('the signature', () => {
  it('is the documented HMAC of timestamp, method, path with query, and body', () => {
    const path = '/resources/applicants?levelName=basic-kyc-level';
    const headers = signRequest(
      SUMSUB_KEYS,
      { method: 'POST', path, body: '{"externalUserId":"u1"}' },
      1_700_000_000_999,
    );
    const text = `1700000000POST${path}{"externalUserId":"u1"}`;
    expect(headers).toEqual({
      'X-App-Token': 'sbx:test-token',
      'X-App-Access-Ts': '1700000000',
      'X-App-Access-Sig': createHmac('sha256', SUMSUB_KEYS.secretKey).update(text).digest('hex'),
    });
  });
});

describe('a verdict', () => {
  const green = { reviewAnswer: 'GREEN' };
  it.each([
    ['completed and green', { levelName: LEVEL, reviewStatus: 'completed', reviewResult: green }, 'approved'],
    [
      'green but waiting for a service',
      { levelName: LEVEL, reviewStatus: 'awaitingService', reviewResult: green },
      'pending',
    ],
    ['green but on hold', { levelName: LEVEL, reviewStatus: 'onHold', reviewResult: green }, 'pending'],
    [
      'green at another level',
      { levelName: 'just-an-email', reviewStatus: 'completed', reviewResult: green },
      'pending',
    ],
    ['green at no level', { reviewStatus: 'completed', reviewResult: green }, 'pending'],
    ['completed with no answer', { levelName: LEVEL, reviewStatus: 'completed' }, 'pending'],
    ['yellow', { levelName: LEVEL, reviewStatus: 'completed', reviewResult: { reviewAnswer: 'YELLOW' } }, 'pending'],
    ['red', { levelName: LEVEL, reviewStatus: 'completed', reviewResult: { reviewAnswer: 'RED' } }, 'rejected'],
    ['begun', { levelName: LEVEL, reviewStatus: 'init' }, 'started'],
    ['queued', { levelName: LEVEL, reviewStatus: 'queued' }, 'pending'],
    ['the person is asked', { levelName: LEVEL, reviewStatus: 'awaitingUser' }, 'needs_input'],
    ['an unknown status', { levelName: LEVEL, reviewStatus: 'somethingNew', reviewResult: green }, 'pending'],
    ['no data', {}, 'pending'],
  ])('%s', (_, review, status) => expect(readVerdict(review, LEVEL).status).toBe(status));

  const rejected = (reviewResult: object) =>
    readVerdict({ reviewStatus: 'completed', reviewResult: { reviewAnswer: 'RED', ...reviewResult } }, LEVEL);

  it('gives the reasons that the person can act on', () => {
    const result = {
      reviewRejectType: 'RETRY',
      rejectLabels: ['UNSATISFACTORY_PHOTOS'],
      moderationComment: 'In colour.',
    };
    expect(rejected(result)).toEqual({
      status: 'rejected',
      canRetry: true,
      reasons: ['The photos are not clear enough.', 'In colour.'],
    });
  });

  it('does not reveal a suspicion', () => {
    const result = {
      reviewRejectType: 'FINAL',
      rejectLabels: ['UNSATISFACTORY_PHOTOS', 'SANCTIONS'],
      moderationComment: 'On a list.',
      clientComment: 'Known to the police.',
    };
    expect(rejected(result)).toMatchObject({ canRetry: false, reasons: ['The identity could not be verified.'] });
  });
});

describe('with the double', () => {
  let double: Awaited<ReturnType<typeof startTestSumsub>>;
  beforeAll(async () => {
    double = await startTestSumsub();
  });
  afterEach(() => {
    double.switches.down = false;
    double.switches.slow = false;
  });
  afterAll(() => double.stop());
  const kyc = (more: Partial<SumsubOptions> = {}) => sumsubKyc(options(double.url, more));

  it('creates one applicant per person, however often', async () => {
    const userId = randomUUID();
    const made = await Promise.all([1, 2, 3].map(() => kyc().createApplicant(userId)));
    expect(new Set(made.map((one) => (one.outcome === 'accepted' ? one.applicantId : one.outcome))).size).toBe(1);
    expect(made[0]?.outcome).toBe('accepted');
  });

  it('reads the verdict of that applicant', async () => {
    const userId = randomUUID();
    const made = await kyc().createApplicant(userId);
    if (made.outcome !== 'accepted') throw new Error(made.outcome);
    const subject = { userId, applicantId: made.applicantId, level: LEVEL };
    expect(await kyc().getStatus(subject)).toMatchObject({ outcome: 'accepted', status: 'started' });
    await double.decide(made.applicantId, 'approve');
    expect(await kyc().getStatus(subject)).toMatchObject({ outcome: 'accepted', status: 'approved' });
    expect(await kyc().getStatus({ ...subject, userId: randomUUID() })).toEqual({
      outcome: 'rejected',
      reason: 'refused',
    });
    double.applicants.remove(double.applicants.find(made.applicantId)!);
    expect(await kyc().getStatus(subject)).toEqual({ outcome: 'rejected', reason: 'gone' });
  });

  it('gets a token for the web SDK', async () => {
    expect(await kyc().accessToken(randomUUID(), LEVEL)).toMatchObject({
      outcome: 'accepted',
      token: expect.stringMatching(/^_act-/),
      expiresInSeconds: 600,
    });
  });

  it('is refused with a wrong secret or an unknown level', async () => {
    const refused = { outcome: 'rejected', reason: 'refused' };
    expect(await kyc({ secretKey: 'wrong' }).createApplicant(randomUUID())).toEqual(refused);
    expect(await kyc({ appToken: 'sbx:other' }).createApplicant(randomUUID())).toEqual(refused);
    expect(await kyc({ level: 'Basic-KYC-Level' }).createApplicant(randomUUID())).toEqual(refused);
  });

  it('down or slow: the answer is unknown, within the time-out', async () => {
    double.switches.down = true;
    expect(await kyc().createApplicant(randomUUID())).toMatchObject({ outcome: 'unknown' });
    double.switches.down = false;
    double.switches.slow = true;
    expect(await kyc({ timeoutMs: 50 }).createApplicant(randomUUID())).toMatchObject({ outcome: 'unknown' });
    expect(await sumsubKyc(options('http://127.0.0.1:1')).createApplicant(randomUUID())).toMatchObject({
      outcome: 'unknown',
      cause: expect.objectContaining({ message: expect.stringContaining('did not answer') }),
    });
  });
});

describe('unexpected answers', () => {
  let server: Server;
  let url: string;
  let answer: (response: ServerResponse, count: number) => void;
  let count = 0;
  beforeAll(async () => {
    server = createServer((_, response) => answer(response, ++count));
    url = `http://127.0.0.1:${await listen(server)}`;
  });
  afterAll(() => server.close());
  const ask = (reply: typeof answer) => {
    answer = reply;
    count = 0;
    return sumsubKyc(options(url)).getStatus({ applicantId: 'a1', userId: 'u1', level: LEVEL });
  };

  it('a brief outage is retried', async () => {
    const one = { id: 'a1', externalUserId: 'u1', review: { reviewStatus: 'pending' } };
    const reply = await ask((response, n) => {
      response.writeHead(n < 3 ? 502 : 200).end(n < 3 ? '<html>' : JSON.stringify(one));
    });
    expect([reply, count]).toMatchObject([{ outcome: 'accepted', status: 'pending' }, 3]);
  });

  it('an applicant whose creation was not answered is found again', async () => {
    answer = (response, n) => {
      if (n === 1) response.destroy();
      else if (n === 2) response.writeHead(409).end('{"code":409,"description":"already exists"}');
      else response.end('{"id":"a1","externalUserId":"u1"}');
    };
    count = 0;
    const made = await sumsubKyc(options(url)).createApplicant('u1');
    expect([made, count]).toEqual([{ outcome: 'accepted', applicantId: 'a1' }, 3]);
  });

  it.each<[string, (response: ServerResponse) => void]>([
    ['not JSON', (response) => response.end('passport 12345')],
    ['another shape', (response) => response.end('{"name":"passport 12345"}')],
    ['a redirect', (response) => response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end()],
    ['an endless body', (response) => response.end('x'.repeat(600_000))],
    ['a broken connection', (response) => response.destroy()],
    ['rate limited', (response) => response.writeHead(429).end('{}')],
  ])('%s: unknown, and the cause quotes nothing of it', async (_, reply) => {
    const found = await ask(reply);
    expect(found.outcome).toBe('unknown');
    expect(String((found as { cause: Error }).cause.message)).not.toContain('12345');
  });
});

describe('a webhook', () => {
  const kyc = sumsubKyc(options('http://127.0.0.1:1'));
  const body = Buffer.from(
    '{"applicantId":"63e096c5","type":"applicantReviewed","createdAtMs":"2026-03-02 09:16:40.001"}',
  );
  const digest = (algorithm: string, secret = SUMSUB_KEYS.webhookSecret, of = body) =>
    createHmac(algorithm, secret).update(of).digest('hex');
  const hear = (headers: Record<string, string | string[]>, of = body) => {
    try {
      return kyc.parseWebhook(headers, of);
    } catch (error) {
      return [(error as PayError).code, (error as PayError).details.reason];
    }
  };
  const ALG = { 'x-payload-digest-alg': 'HMAC_SHA256_HEX' };

  it('is accepted when its digest is right', () => {
    const notice = { applicantId: '63e096c5', type: 'applicantReviewed' };
    expect(hear({ ...ALG, 'x-payload-digest': digest('sha256') })).toEqual(notice);
    expect(hear({ ...ALG, 'x-payload-digest': digest('sha256').toUpperCase() })).toEqual(notice);
  });

  it.each<[string, Record<string, string | string[]>, string, string | undefined]>([
    ['unsigned', {}, 'auth.required', undefined],
    ['under another secret', { ...ALG, 'x-payload-digest': digest('sha256', 'guess') }, 'auth.invalid', 'signature'],
    ['cut short', { ...ALG, 'x-payload-digest': digest('sha256').slice(0, 62) }, 'auth.invalid', 'signature'],
    ['empty', { ...ALG, 'x-payload-digest': '' }, 'auth.invalid', 'signature'],
    ['not hexadecimal', { ...ALG, 'x-payload-digest': 'z'.repeat(64) }, 'auth.invalid', 'signature'],
    ['the header twice', { ...ALG, 'x-payload-digest': [digest('sha256'), 'x'] }, 'auth.invalid', 'signature'],
    [
      'SHA-1 chosen by the sender',
      { 'x-payload-digest': digest('sha1'), 'x-payload-digest-alg': 'HMAC_SHA1_HEX' },
      'auth.invalid',
      'algorithm',
    ],
    [
      'SHA-512 chosen by the sender',
      { 'x-payload-digest': digest('sha512'), 'x-payload-digest-alg': 'HMAC_SHA512_HEX' },
      'auth.invalid',
      'algorithm',
    ],
    ['no algorithm', { 'x-payload-digest': digest('sha256') }, 'auth.invalid', 'algorithm'],
  ])('%s is refused', (_, headers, code, reason) => expect(hear(headers)).toEqual([code, reason]));

  it('with one byte changed is refused', () => {
    const forged = Buffer.from(body.toString().replace('63e096c5', '63e096c6'));
    expect(hear({ ...ALG, 'x-payload-digest': digest('sha256') }, forged)).toEqual(['auth.invalid', 'signature']);
  });

  it('signed but malformed names no applicant', () => {
    for (const text of ['null', '[]', '7', '{"applicantId":7}', '{"applicantId":"../one"}', 'not json']) {
      const strange = Buffer.from(text);
      const headers = { ...ALG, 'x-payload-digest': digest('sha256', SUMSUB_KEYS.webhookSecret, strange) };
      expect(hear(headers, strange)).toEqual({ applicantId: undefined, type: 'unknown' });
    }
  });
});

describe('what operators see of the provider', () => {
  it('healthy, wrong keys, and unreachable', async () => {
    const there = await startTestSumsub();
    expect(await checkSumsub(options(there.url))).toEqual({ name: 'kyc', status: 'ok' });
    const wrong = await checkSumsub(options(there.url, { secretKey: 'another' }));
    expect(wrong).toMatchObject({ status: 'down', says: expect.stringContaining('refuses our app token or secret') });
    await there.stop();
    const gone = await checkSumsub(options(there.url));
    expect(gone).toMatchObject({ status: 'down', says: expect.stringContaining(new URL(there.url).host) });
    expect(gone.says).toContain('ECONNREFUSED');
  });
});
