import type { Receivers } from '../../adapters/supplied/openReceivers.ts';
import type { Db } from '../../db/database.ts';
import { type Attempt, claimDue, claimInOrder, giveBack, recordAttempts } from './attempts.ts';
import { callReceiver } from './callReceiver.ts';
import { openWaits } from './openWaits.ts';
import { findReceiver, type Receiver } from './receiver.ts';

interface SenderApp {
  readonly db: Db;
  readonly receivers: Receivers;
  /** Aborted when the worker stops: running calls are ended and no new ones start. */
  readonly signal: AbortSignal;
  /** Called with the reason when an endpoint was switched off. */
  readonly onSwitchedOff: (endpointId: string, failure: string) => void;
}

export interface Sender {
  /** Sends due deliveries to one endpoint for a limited time. Returns true if it sent any; there may be more. */
  sendDue(endpointId: string): Promise<boolean>;
  /** Wakes the senders of these endpoints in this process: new deliveries were written. */
  wake(endpointIds: readonly string[]): void;
  /** Waits until the endpoint is woken, or for this long. */
  rest(endpointId: string, ms: number): Promise<unknown>;
}

const FIRST_WIDTH = 4;
const MOST_AT_ONCE = 64;
/** A receiver that takes longer gets fewer concurrent calls. */
const SLOW_MS = 1_000;
/** After this long, another worker may take the endpoint. */
const TURN_MS = 30_000;
/** While calls are running: the delay before the next claim, so that not every delivery needs its own statement. */
const CLAIM_EVERY_MS = 10;
const POLL_EVERY_MS = 100;
/**
 * For endpoints with ordered delivery: how many deliveries are claimed together, and for how long they are sent before
 * the results are recorded.
 */
const MOST_IN_A_ROW = 100;
const ROW_MS = 1_000;
/** Bounds the memory used for endpoints that no longer exist. */
const MOST_REMEMBERED = 1_000;

/**
 * Calls an endpoint concurrently and adapts the number of calls: one more after each quick success, one less after a
 * refusal, half after a timeout or a slow answer. An endpoint that hangs therefore holds one connection, and a slow
 * call does not delay others. An endpoint with ordered delivery gets one call at a time.
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
    /** Undefined: no more calls may start. */
    let receiver: Receiver | undefined = first;
    let last = first;
    let ended: Attempt[] = [];
    let running = 0;
    let nextMs = Number.NEGATIVE_INFINITY;
    let claimedMs = nextMs;
    let hasSent = false;

    async function claim(): Promise<void> {
      const free = (widths.get(endpointId) ?? FIRST_WIDTH) - running;
      nextMs = performance.now() + POLL_EVERY_MS;
      if (free <= 0) return;
      // The endpoint may be switched off or get another secret while calls are running.
      if (hasSent) receiver = await findReceiver(db, endpointId);
      if (!receiver) return;
      last = receiver;
      const claimed = await claimDue(db, last, free);
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
      else if (!(await waits.rest(endpointId, receiver ? nextMs - performance.now() : POLL_EVERY_MS))) continue;
      // A call has ended or a delivery was written: there may be a free slot or more to send.
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
