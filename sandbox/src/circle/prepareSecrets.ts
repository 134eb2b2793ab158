import { generateKeyPair, generateKeyPairSync, randomBytes, randomUUID } from 'node:crypto';
import { promisify } from 'node:util';
import { type Secrets, stamp, type WebhookKey } from './records.ts';
import type { Store } from './store.ts';

interface Wanted {
  readonly apiKey?: string;
  readonly entitySecret?: string;
  readonly keyBits: number;
  readonly isEmpty?: boolean;
}

/** Secrets that clients and wallets depend on: created once, and the same after a restart. */
export async function prepareSecrets(store: Store, wanted: Wanted): Promise<Secrets> {
  const known = store.secrets.list()[0];
  const secrets: Secrets = {
    id: 'secrets',
    apiKey:
      wanted.apiKey ??
      known?.apiKey ??
      `TEST_API_KEY:${randomBytes(16).toString('hex')}:${randomBytes(16).toString('hex')}`,
    entitySecret: wanted.entitySecret ?? known?.entitySecret ?? randomBytes(32).toString('hex'),
    rsaPrivateKey: known?.rsaPrivateKey ?? (await makeRsaKey(wanted.keyBits)),
    seed: known?.seed ?? randomBytes(32).toString('hex'),
    walletSetId: known?.walletSetId ?? randomUUID(),
  };
  store.secrets.put(secrets);
  if (!wanted.isEmpty && !store.walletSets.find(secrets.walletSetId)) {
    const date = stamp();
    store.walletSets.put({ id: secrets.walletSetId, name: 'Florin', createDate: date, updateDate: date });
  }
  if (store.webhookKeys.list().length === 0) store.webhookKeys.put(newWebhookKey());
  return secrets;
}

async function makeRsaKey(modulusLength: number): Promise<string> {
  const { privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength });
  return privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();
}

export function newWebhookKey(): WebhookKey {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const pem = privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();
  return { id: randomUUID(), privateKey: pem, createDate: stamp() };
}
