import { type CircleWebhookApp, openCircleWebhook } from '../../custody/provider/circleWebhook.ts';
import type { Operation } from '../contract/createApi.ts';

/** Uses the raw bytes, because they were signed. */
export function circleWebhookOperation(app: CircleWebhookApp): Operation {
  const hear = openCircleWebhook(app);
  const textOf = (value: string | string[] | undefined) => (Array.isArray(value) ? value[0] : value);
  return async ({ headers, bodyBytes, address }) => {
    await hear({
      keyId: textOf(headers['x-circle-key-id']),
      signature: textOf(headers['x-circle-signature']),
      body: bodyBytes ?? Buffer.alloc(0),
      address,
    });
    return { body: { received: true } };
  };
}

/** Circle checks that the endpoint exists before it sends anything. */
export const circleWebhookCheckOperation: Operation = async () => ({ body: { received: true } });
