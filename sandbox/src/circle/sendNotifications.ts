import { randomUUID, sign } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { renderNotification } from './api/renderRecords.ts';
import { isFinal, type State, type Subscription, type Transaction } from './records.ts';
import type { Store } from './store.ts';
import type { Switches } from './switches.ts';

interface NotifierOptions {
  readonly store: Store;
  readonly switches: Switches;
  readonly log: (line: string) => void;
  readonly stopping: AbortSignal;
}

/** One attempt to deliver a notification. */
export interface SentWebhook {
  readonly at: string;
  readonly notificationId: string;
  readonly notificationType: string;
  readonly transactionId: string;
  readonly state: string;
  readonly endpoint: string;
  /** The HTTP status, or why there was none. */
  readonly answer: number | string;
}

interface Notifier {
  readonly sent: readonly SentWebhook[];
  notify(transaction: Transaction): void;
  greet(subscription: Subscription): void;
}

/** States that Circle notifies about; the others are visible only on request. */
const NOTIFIED_STATES: Readonly<Record<Transaction['transactionType'], readonly State[]>> = {
  OUTBOUND: ['QUEUED', 'SENT', 'CONFIRMED', 'COMPLETE', 'CANCELLED', 'FAILED'],
  INBOUND: ['CONFIRMED', 'COMPLETE'],
};

/** Circle waits longer; a sandbox should be quicker. Pending notifications are lost when the double stops. */
const RESEND_AFTER_MS = [1_000, 5_000, 20_000, 60_000];
const ANSWER_TIMEOUT_MS = 10_000;
const REMEMBERED = 200;
const NO_TRANSACTION = '00000000-0000-0000-0000-000000000000';

interface Message {
  readonly endpoint: string;
  readonly body: string;
  readonly about: Pick<SentWebhook, 'notificationId' | 'notificationType' | 'transactionId' | 'state'>;
}

export function createNotifier({ store, switches, log, stopping }: NotifierOptions): Notifier {
  const sent: SentWebhook[] = [];
  /** Notifications that wait for the end of their transaction, to be sent out of order. */
  const waiting = new Map<string, Message[]>();
  /** First attempts are sent one after another, so that notifications are not out of order by accident. */
  let tail: Promise<unknown> = Promise.resolve();

  async function post({ endpoint, body, about }: Message): Promise<boolean> {
    const key = store.webhookKeys.list().at(-1)!;
    const headers = {
      'content-type': 'application/json',
      'x-circle-key-id': key.id,
      'x-circle-signature': sign('sha256', Buffer.from(body), key.privateKey).toString('base64'),
    };
    const answer = await ask(endpoint, { method: 'POST', headers, body }, stopping);
    sent.push({ at: new Date().toISOString(), ...about, endpoint, answer });
    if (sent.length > REMEMBERED) sent.shift();
    return isGood(answer);
  }

  async function repeat(message: Message): Promise<void> {
    for (const pauseMs of RESEND_AFTER_MS) {
      log(`Circle double: ${message.endpoint} did not accept a webhook; retrying in ${pauseMs / 1000} s`);
      // `ref: false`: a pending resend does not keep the process alive.
      await sleep(pauseMs, undefined, { signal: stopping, ref: false });
      if (await post(message)) return;
    }
  }

  function enqueue(message: Message): void {
    tail = tail.then(async () => {
      if (stopping.aborted || (await post(message))) return;
      void repeat(message).catch(() => {});
    });
  }

  function deliver(message: Message): void {
    const { late_ms: lateMs, twice } = switches.webhooks;
    const send = () => {
      enqueue(message);
      if (twice) enqueue(message);
    };
    if (lateMs === 0) send();
    else void sleep(lateMs, undefined, { signal: stopping, ref: false }).then(send, () => {});
  }

  return {
    sent,
    notify(transaction) {
      const { webhooks } = switches;
      const type = `transactions.${transaction.transactionType.toLowerCase()}`;
      const isNotified = NOTIFIED_STATES[transaction.transactionType].includes(transaction.state) && !webhooks.never;
      const messages = (isNotified ? store.subscriptions.list() : [])
        .filter((one) => one.enabled && one.notificationTypes.some((wanted) => isWanted(wanted, type)))
        .map((one) => renderMessage(one.endpoint, one.id, type, renderNotification(transaction), transaction));
      if (webhooks.disorder || waiting.has(transaction.id)) {
        const all = [...(waiting.get(transaction.id) ?? []), ...messages];
        if (isFinal(transaction.state)) {
          waiting.delete(transaction.id);
          for (const message of all.toReversed()) deliver(message);
        } else waiting.set(transaction.id, all);
      } else for (const message of messages) deliver(message);
    },
    greet({ endpoint }) {
      const test = renderMessage(endpoint, NO_TRANSACTION, 'webhooks.test', { hello: 'world' });
      tail = tail.then(async () => {
        const answer = await ask(endpoint, { method: 'HEAD' }, stopping);
        if (!isGood(answer)) log(`Circle double: ${endpoint} answers HEAD with ${answer}; Circle requires 200`);
      });
      enqueue(test);
    },
  };
}

const isWanted = (wanted: string, type: string): boolean =>
  wanted === '*' || wanted === type || wanted === `${type.split('.')[0]}.*`;

const isGood = (answer: number | string): boolean => typeof answer === 'number' && answer >= 200 && answer < 300;

function renderMessage(
  endpoint: string,
  subscriptionId: string,
  notificationType: string,
  notification: object,
  transaction?: Transaction,
): Message {
  const notificationId = randomUUID();
  // Circle's dates have nanoseconds.
  const timestamp = new Date().toISOString().replace('Z', '000000Z');
  return {
    endpoint,
    body: JSON.stringify({ subscriptionId, notificationId, notificationType, notification, timestamp, version: 2 }),
    about: { notificationId, notificationType, transactionId: transaction?.id ?? '', state: transaction?.state ?? '' },
  };
}

async function ask(url: string, request: RequestInit, stopping: AbortSignal): Promise<number | string> {
  try {
    const signal = AbortSignal.any([stopping, AbortSignal.timeout(ANSWER_TIMEOUT_MS)]);
    const answer = await fetch(url, { ...request, redirect: 'manual', signal });
    await answer.body?.cancel();
    return answer.status;
  } catch (error) {
    return (
      (error as { cause?: { code?: string } }).cause?.code ??
      ((error as Error).name === 'TimeoutError' ? 'no answer' : 'no connection')
    );
  }
}
