import type { Receivers } from '../../adapters/supplied/openReceivers.ts';
import type { Db } from '../../db/database.ts';
import { type Attempt, claimDue, claimInOrder, giveBack, recordAttempts } from './attempts.ts';
import { callReceiver } from './callReceiver.ts';
import { openWaits } from './openWaits.ts';
import { findReceiver, type Receiver } from './receiver.ts';

interface SenderApp {
  readonly db: Db;
  readonly receivers: Receivers;
  /** Aborted when the worker stops: calls that were begun are ended, and no others are. */
  readonly signal: AbortSignal;
  /** An endpoint was switched off, and why. */
  readonly onSwitchedOff: (endpointId: string, failure: string) => void;
}

export interface Sender {
  /** Sends what is due to one endpoint, for some time. True: it has sent something, and there may be more. */
  sendDue(endpointId: string): Promise<boolean>;
  /** Something was written for these endpoints: whoever rests in this process looks at once. */
  wake(endpointIds: readonly string[]): void;
  /** Until it is woken, or for this long. */
  rest(endpointId: string, ms: number): Promise<unknown>;
}

const FIRST_WIDTH = 4;
const MOST_AT_ONCE = 64;
/** A receiver that takes longer gets fewer calls at once. */
const SLOW_MS = 1_000;
/** After this long another worker may have the endpoint. */
const TURN_MS = 30_000;
/** While calls are under way: how soon the next are claimed, so that not each takes a statement of its own. */
const CLAIM_EVERY_MS = 10;
const LOOK_EVERY_MS = 100;
/** In order: how many are claimed together, and for how long they are sent before it is written down what was taken. */
const MOST_IN_A_ROW = 100;
const ROW_MS = 1_000;
/** What processes remember about endpoints that do not exist any more. */
const MOST_REMEMBERED = 1_000;

/**
 * Calls to an endpoint are made side by side, as many as it is quick: one more whenever something is taken quickly, one
 * less when something is refused, half of them when there is no answer or it takes long. So an endpoint that hangs holds one connection, and one slow call holds up no
 * other. In order there is one call at a time.
 */
export function openSender(app: SenderApp): Sender {
  const { db, signal } = app;
  const widths = new Map<string, number>();
  const waits = openWaits();

  function adjustWidth(endpointId: string, { isTaken, status, tookMs }: Attempt): void {
    const width = widths.get(endpointId) ?? FIRST_WIDTH;
    const isSlow = status === null || tookMs > SLOW_MS;
    const next = isSlow ? width >> 1 : isTaken ? width + 1 : width - 1;
    if (widths.size >= MOST_REMEMBERED) widths.clear();
    widths.set(endpointId, Math.min(MOST_AT_ONCE, Math.max(1, next)));
  }

  /** False: the endpoint was switched off. */
  async function record(receiver: Receiver, attempts: readonly Attempt[]): Promise<boolean> {
    const failure = await recordAttempts(db, receiver, attempts);
    if (failure !== undefined) app.onSwitchedOff(receiver.endpointId, failure);
    return failure === undefined;
  }

  async function sendSideBySide(first: Receiver): Promise<boolean> {
    const { endpointId } = first;
    const until = performance.now() + TURN_MS;
    /** Undefined: nothing more may be begun. */
    let receiver: Receiver | undefined = first;
    let last = first;
    let ended: Attempt[] = [];
    let running = 0;
    let nextMs = Number.NEGATIVE_INFINITY;
    let claimedMs = nextMs;
    let hasSent = false;

    async function claim(): Promise<void> {
      const room = (widths.get(endpointId) ?? FIRST_WIDTH) - running;
      nextMs = performance.now() + LOOK_EVERY_MS;
      if (room <= 0) return;
      // Also while it is sent to, it may be switched off or get another secret.
      if (hasSent) receiver = await findReceiver(db, endpointId);
      if (!receiver) return;
      last = receiver;
      const claimed = await claimDue(db, last, room);
      hasSent ||= claimed.length > 0;
      claimedMs = performance.now();
      for (const one of claimed) {
        running++;
        void callReceiver(app, last, one).then((attempt) => {
          running--;
          adjustWidth(endpointId, attempt);
          ended.push(attempt);
          waits.wake([endpointId]);
        });
      }
    }

    for (;;) {
      if (signal.aborted || performance.now() > until) receiver = undefined;
      if (receiver && performance.now() >= nextMs) await claim();
      if (ended.length > 0) {
        const some = ended;
        ended = [];
        if (!(await record(last, some))) receiver = undefined;
      } else if (running === 0) return hasSent;
      else if (!(await waits.rest(endpointId, receiver ? nextMs - performance.now() : LOOK_EVERY_MS))) continue;
      // A call has ended, or something was written: there may be room, or more to send.
      nextMs = Math.min(nextMs, claimedMs + CLAIM_EVERY_MS);
    }
  }

  async function sendInOrder(receiver: Receiver): Promise<boolean> {
    const { endpointId } = receiver;
    const claimed = await claimInOrder(db, receiver, MOST_IN_A_ROW);
    const attempts: Attempt[] = [];
    const until = performance.now() + ROW_MS;
    for (const one of claimed) {
      if (attempts.length > 0 && (signal.aborted || performance.now() > until)) break;
      const attempt = await callReceiver(app, receiver, one);
      attempts.push(attempt);
      if (!attempt.isTaken && !attempt.isTest) break;
    }
    if (attempts.length === 0) return false;
    const isOn = await record(receiver, attempts);
    await giveBack(db, endpointId, claimed.slice(attempts.length));
    return isOn;
  }

  return {
    async sendDue(endpointId) {
      const receiver = signal.aborted ? undefined : await findReceiver(db, endpointId);
      if (!receiver) return false;
      return receiver.inOrder ? sendInOrder(receiver) : sendSideBySide(receiver);
    },
    wake: waits.wake,
    rest: (endpointId, ms) => (signal.aborted ? Promise.resolve() : waits.rest(endpointId, ms)),
  };
}
