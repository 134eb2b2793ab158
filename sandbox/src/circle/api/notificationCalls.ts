import { createPublicKey, randomUUID } from 'node:crypto';
import type { Double } from '../double.ts';
import { type Subscription, stamp } from '../records.ts';
import { type Call, findText, getText } from './call.ts';
import { getId, invalid, Refusal } from './refusal.ts';
import { renderSubscription } from './renderRecords.ts';

/** Circle requires a public HTTPS address; here it may be on this machine. */
export function createSubscription({ store, greet }: Double, call: Call) {
  const endpoint = getText(call, 'endpoint');
  if (!URL.canParse(endpoint) || !/^https?:$/.test(new URL(endpoint).protocol)) {
    throw invalid('endpoint', 'must be an address of a web server', endpoint);
  }
  const subscription = makeSubscription(endpoint, findText(call, 'name'), readTypes(call.body.notificationTypes));
  store.subscriptions.put(subscription);
  greet(subscription);
  return renderSubscription(subscription);
}

export function makeSubscription(endpoint: string, name = 'Default', types: readonly string[] = ['*']): Subscription {
  const date = stamp();
  const changing = { name, enabled: true, notificationTypes: types };
  return { id: randomUUID(), endpoint, ...changing, createDate: date, updateDate: date };
}

function readTypes(value: unknown): string[] {
  if (value === undefined || value === null) return ['*'];
  if (!Array.isArray(value) || value.some((one) => typeof one !== 'string')) {
    throw invalid('notificationTypes', 'must be a list of texts', value);
  }
  return value.length === 0 ? ['*'] : value;
}

function getSubscription({ store }: Double, id: unknown): Subscription {
  const found = store.subscriptions.find(getId(id));
  if (!found) throw new Refusal(404, 404, 'Resource not found');
  return found;
}

export const listSubscriptions = ({ store }: Double) => store.subscriptions.list().map(renderSubscription);

export const readSubscription = (double: Double, call: Call) =>
  renderSubscription(getSubscription(double, call.ids[0]));

export function updateSubscription(double: Double, call: Call) {
  const before = getSubscription(double, call.ids[0]);
  const { enabled } = call.body;
  const subscription = {
    ...before,
    name: findText(call, 'name') ?? before.name,
    enabled: typeof enabled === 'boolean' ? enabled : before.enabled,
    updateDate: stamp(),
  };
  double.store.subscriptions.put(subscription);
  return renderSubscription(subscription);
}

export function deleteSubscription(double: Double, call: Call): undefined {
  double.store.subscriptions.remove(getSubscription(double, call.ids[0]).id);
  return undefined;
}

export function readNotificationKey({ store }: Double, call: Call) {
  const key = store.webhookKeys.find(getId(call.ids[0]));
  if (!key) throw new Refusal(404, 404, 'Resource not found');
  const publicKey = createPublicKey(key.privateKey).export({ format: 'der', type: 'spki' }).toString('base64');
  return { id: key.id, algorithm: 'ECDSA_SHA_256', publicKey, createDate: key.createDate };
}
