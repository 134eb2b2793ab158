import type { FastifyInstance } from 'fastify';
import { type Browser, chromium } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findChromium } from '../../../../scripts/chromium.ts';
import { errorTable } from '../../core/errors.ts';
import { createApi } from '../contract/createApi.ts';
import { readDocument } from '../contract/readDocument.ts';

const document = readDocument('backend');
let api: FastifyInstance;
let url: string;

beforeAll(async () => {
  api = createApi({ name: 'backend', document, operations: {}, partial: true, items: 'brief', logger: false });
  url = await api.listen({ host: '127.0.0.1', port: 0 });
});
afterAll(() => api.close());

test('the document is served as it is checked in', async () => {
  const answer = await fetch(`${url}/openapi.json`);
  expect(answer.headers.get('content-type')).toBe('application/json');
  expect(await answer.json()).toEqual(document);
});

test.each(Object.keys(errorTable))('%s has a page that no script can run on', async (code) => {
  const answer = await fetch(`${url}/errors/${code}`);
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
  expect(answer.headers.get('content-security-policy')).toMatch(/^default-src 'none';(?!.*script-src)/);
  expect(await answer.text()).toContain(`<code>${code}</code>`);
});

test.each(['toString', '__proto__', 'nope', '%3Cscript%3E'])('/errors/%s is not found', async (code) => {
  const answer = await fetch(`${url}/errors/${code}`);
  expect([answer.status, await answer.text()]).toEqual([404, '{"detail":"Not Found"}']);
});

test('the viewer is zipped for clients that accept gzip', async () => {
  const plain = await fetch(`${url}/docs/viewer.js`, { headers: { 'Accept-Encoding': 'identity' } });
  const zipped = await fetch(`${url}/docs/viewer.js`, { headers: { 'Accept-Encoding': 'gzip' } });
  expect([plain.headers.get('content-encoding'), zipped.headers.get('content-encoding')]).toEqual([null, 'gzip']);
  expect(await zipped.text()).toBe(await plain.text());
});

const executablePath = findChromium();
describe.skipIf(!executablePath)('in a browser', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: executablePath!, args: ['--no-sandbox'] });
  });
  afterAll(() => browser.close());

  test.each([
    ['/docs', 'Florin Backend API', 1280],
    ['/docs', 'Florin Backend API', 390],
    ['/errors/auth.invalid', 'The credential was refused', 390],
  ])('%s shows "%s" at width %i, without other servers and without errors', async (path, heading, width) => {
    const page = await browser.newPage({ viewport: { width, height: 844 } });
    const elsewhere: string[] = [];
    const complaints: string[] = [];
    page.on('request', (request) => {
      if (!request.url().startsWith(url) && !/^(data|blob):/.test(request.url())) elsewhere.push(request.url());
    });
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(error.message));
    await page.goto(url + path, { waitUntil: 'networkidle' });
    await page.getByRole('heading', { name: heading, level: 1 }).waitFor();
    const overflow = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
    expect({ elsewhere, complaints, overflow }).toEqual({ elsewhere: [], complaints: [], overflow: 0 });
    await page.close();
  });
});
