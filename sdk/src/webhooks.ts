/** Standard Webhooks (standardwebhooks.com): verifies the sender and the time of a message, and signs messages for tests. */
import { FlorinError } from './FlorinError.ts';
import { readJson } from './json.ts';
import type { WebhookMessage } from './messages.ts';
import { newKey } from './newKey.ts';

export interface VerifyWebhookOptions {
  /** `whsec_…`; both secrets during a rotation. */
  readonly secret: string | readonly string[];
  /**
   * The allowed difference between the sender's and our clock, including transport, in seconds. Default: five minutes.
   */
  readonly toleranceSeconds?: number;
}

type HeaderSource = Pick<Headers, 'get'> | Readonly<Record<string, string | readonly string[] | undefined>>;

const TOLERANCE_SECONDS = 300;
const encoder = new TextEncoder();

/**
 * Returns the message if it is signed with the secret and not old; throws `webhook.unverified` otherwise. `body` is the exact text
 * that arrived: parsed and serialized again, it has another signature. A message may arrive twice; its `webhook-id`
 * header identifies it.
 */
async function verify(
  body: string | Uint8Array,
  headers: HeaderSource,
  { secret, toleranceSeconds = TOLERANCE_SECONDS }: VerifyWebhookOptions,
): Promise<WebhookMessage> {
  const [id, sentAt, given] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) =>
    find(headers, name),
  );
  if (!id || !sentAt || !given) throw refuse('The webhook lacks a required header.');
  if (!/^\d{1,12}$/.test(sentAt) || Math.abs(Date.now() / 1000 - Number(sentAt)) > toleranceSeconds)
    throw refuse('The webhook is too old, or from the future.');
  const text = typeof body === 'string' ? body : new TextDecoder('utf-8', { ignoreBOM: true }).decode(body);
  const signed = joinSigned(id, sentAt, text);
  const signatures = given
    .split(' ')
    .filter((one) => one.startsWith('v1,'))
    .flatMap((one) => decode(one.slice(3)) ?? []);
  for (const one of typeof secret === 'string' ? [secret] : secret) {
    const key = await readSecret(one);
    // The platform compares in constant time.
    for (const signature of signatures)
      if (await crypto.subtle.verify('HMAC', key, signature, signed)) return readMessage(text);
  }
  throw refuse('The webhook is not signed with this secret.');
}

export interface SignWebhookOptions {
  /** `whsec_…` */
  readonly secret: string;
  /** The `webhook-id`. Default: a new one. */
  readonly id?: string;
  /** Default: now. */
  readonly sentAt?: Date;
}

export interface SignedWebhook {
  readonly body: string;
  readonly headers: Readonly<Record<'content-type' | 'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string>>;
}

/** For tests of your receiver: writes and signs a message as the service does. */
async function sign(message: WebhookMessage, options: SignWebhookOptions): Promise<SignedWebhook> {
  const { secret, id = `evt_${newKey().replaceAll('-', '')}000`, sentAt = new Date() } = options;
  const body = JSON.stringify(message);
  const at = String(Math.floor(sentAt.getTime() / 1000));
  const signature = await crypto.subtle.sign('HMAC', await readSecret(secret), joinSigned(id, at, body));
  const base64 = btoa(String.fromCharCode(...new Uint8Array(signature)));
  return {
    body,
    headers: {
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': at,
      'webhook-signature': `v1,${base64}`,
    },
  };
}

export const webhooks = { verify, sign };

const joinSigned = (id: string, at: string, body: string) => encoder.encode(`${id}.${at}.${body}`);

const refuse = (detail: string, cause?: unknown): FlorinError =>
  new FlorinError({ code: 'webhook.unverified', title: 'The webhook cannot be verified', detail, cause });

function readMessage(text: string): WebhookMessage {
  try {
    return readJson(text) as WebhookMessage;
  } catch (cause) {
    throw refuse('The webhook is not JSON.', cause);
  }
}

function find(headers: HeaderSource, name: string): string | undefined {
  if (typeof headers.get === 'function') return headers.get(name) ?? undefined;
  const all = headers as Readonly<Record<string, string | readonly string[] | undefined>>;
  const found = Object.keys(all).find((key) => key.toLowerCase() === name);
  const value = found === undefined ? undefined : all[found];
  return typeof value === 'string' ? value : value?.[0];
}

async function readSecret(secret: string): ReturnType<typeof crypto.subtle.importKey> {
  const bytes = decode(secret.replace(/^whsec_/, ''));
  if (!bytes || bytes.length === 0)
    throw new FlorinError({
      code: 'client.misconfigured',
      title: 'Not a webhook secret',
      detail: 'A webhook secret must be "whsec_" followed by base64.',
    });
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign', 'verify']);
}

function decode(base64: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
  } catch {
    return undefined;
  }
}
