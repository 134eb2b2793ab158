import { createHmac, randomBytes } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { webhooks } from './webhooks.ts';

const secret = `whsec_${randomBytes(24).toString('base64')}`;
const body = '{"type":"payment.completed","data":{"amount":"1.5"}}';
const seconds = (ahead = 0) => String(Math.floor(Date.now() / 1000) + ahead);
/** One time for signature and header: a second may begin between two reads of the clock. */
const now = seconds();

const sign = (text: string, { key = secret, id = 'msg_1', at = now } = {}) => {
  const bytes = Buffer.from(key.replace('whsec_', ''), 'base64');
  return `v1,${createHmac('sha256', bytes).update(`${id}.${at}.${text}`).digest('base64')}`;
};
const headersOf = (signature: string, id = 'msg_1', at = now) => ({
  'webhook-id': id,
  'webhook-timestamp': at,
  'webhook-signature': signature,
});

describe('a webhook', () => {
  it('is accepted when it is signed, from a fetch request and from a Node request', async () => {
    const headers = headersOf(sign(body));
    const message = { type: 'payment.completed', data: { amount: '1.5' } };
    expect(await webhooks.verify(body, new Headers(headers), { secret })).toEqual(message);
    expect(await webhooks.verify(new TextEncoder().encode(body), headers, { secret })).toEqual(message);
  });

  it('is accepted with one good signature among others, and while its secret is rotated', async () => {
    const old = `whsec_${randomBytes(24).toString('base64')}`;
    const headers = headersOf(`v1a,AAAA v1,!!! ${sign(body, { key: old })} ${sign(body)}`);
    await expect(webhooks.verify(body, headers, { secret })).resolves.toBeDefined();
    await expect(webhooks.verify(body, headersOf(sign(body)), { secret: [old, secret] })).resolves.toBeDefined();
  });

  it.each([
    ['another body', () => webhooks.verify(`${body} `, headersOf(sign(body)), { secret })],
    ['another id', () => webhooks.verify(body, headersOf(sign(body), 'msg_2'), { secret })],
    ['another secret', () => webhooks.verify(body, headersOf(sign(body)), { secret: 'whsec_AAAA' })],
    ['no signature of a known kind', () => webhooks.verify(body, headersOf(sign(body).slice(3)), { secret })],
  ])('is refused with %s', async (_, verify) => {
    await expect(verify()).rejects.toThrow('not signed with this secret');
  });

  it.each([-301, 302])('is refused %i seconds away from now, and accepted with more tolerance', async (ahead) => {
    const at = seconds(ahead);
    const headers = headersOf(sign(body, { at }), 'msg_1', at);
    await expect(webhooks.verify(body, headers, { secret })).rejects.toThrow('too old, or from the future');
    await expect(webhooks.verify(body, headers, { secret, toleranceSeconds: 600 })).resolves.toBeDefined();
  });

  it('is refused without its headers, and with a time that is not a number', async () => {
    await expect(webhooks.verify(body, {}, { secret })).rejects.toThrow('lacks a required header');
    const headers = headersOf(sign(body, { at: 'soon' }), 'msg_1', 'soon');
    await expect(webhooks.verify(body, headers, { secret })).rejects.toThrow('too old');
  });

  it('reports a wrong secret', async () => {
    await expect(webhooks.verify(body, headersOf(sign(body)), { secret: 'whsec_?' })).rejects.toMatchObject({
      code: 'client.misconfigured',
    });
  });
});

describe('a message for a test', () => {
  const message = { type: 'webhook.test', timestamp: '2026-03-02T09:20:11.400Z', data: { message: 'Grüße' } } as const;

  it('is verified by this client and by the library of the specification', async () => {
    const signed = await webhooks.sign(message, { secret });
    expect(await webhooks.verify(signed.body, signed.headers, { secret })).toEqual(message);
    expect(new Webhook(secret).verify(signed.body, signed.headers)).toEqual(message);
    expect(signed.headers['webhook-id']).toMatch(/^evt_[0-9a-f]{35}$/);
  });

  it('can have a certain id, be too old, and have another secret', async () => {
    const old = await webhooks.sign(message, { secret, id: 'evt_1', sentAt: new Date(Date.now() - 400_000) });
    expect(old.headers['webhook-id']).toBe('evt_1');
    await expect(webhooks.verify(old.body, old.headers, { secret })).rejects.toMatchObject({
      code: 'webhook.unverified',
    });
    const other = await webhooks.sign(message, { secret: 'whsec_AAAA' });
    await expect(webhooks.verify(other.body, other.headers, { secret })).rejects.toThrow('not signed');
  });

  it('that is signed but not JSON is refused', async () => {
    await expect(webhooks.verify('{', headersOf(sign('{')), { secret })).rejects.toMatchObject({
      code: 'webhook.unverified',
    });
  });
});
