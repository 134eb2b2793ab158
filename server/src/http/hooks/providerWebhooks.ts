import { ADAPTERS } from '../../adapters/wallets/providers.ts';
import { openWebhook, type WebhookApp } from '../../custody/provider/openWebhook.ts';
import type { Operation } from '../contract/operation.ts';

/** The operations of all webhooks of providers. `hear` receives the message; `greet` shows that the endpoint exists. */
export const providerWebhookOperations = (app: WebhookApp): Record<string, Operation> =>
  Object.fromEntries(
    ADAPTERS.flatMap(({ name, title, webhook }) => {
      if (!webhook) return [];
      const receive = openWebhook(app, { name, title }, webhook);
      // The raw bytes were signed.
      const hear: Operation = async ({ headers, bodyBytes, address }) => {
        await receive({ headers, body: bodyBytes ?? Buffer.alloc(0), address });
        return { body: { received: true } };
      };
      const greet: Operation = async () => ({ body: { received: true } });
      return [
        [`hear_${name}`, hear],
        [`greet_${name}`, greet],
      ];
    }),
  );

/** A signature authenticates these calls, not a bearer token. */
export const WEBHOOK_OPERATIONS: readonly string[] = ADAPTERS.flatMap(({ name, webhook }) =>
  webhook ? [`hear_${name}`, `greet_${name}`] : [],
);
