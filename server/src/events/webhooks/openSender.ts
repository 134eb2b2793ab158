import type { Receivers } from '../../adapters/supplied/openReceivers.ts';
import { describeError } from '../../core/describeError.ts';
import type { Db } from '../../db/database.ts';
import { type Attempt, claimDue, recordAttempts } from './attempts.ts';
import { type Claimed, findReceiver, type Receiver } from './receiver.ts';
import { findPauseMs } from './retries.ts';
import { signEvent } from './signEvent.ts';

interface SenderApp {
  readonly db: Db;
  readonly receivers: Receivers;
  /** Aborted when the worker stops: calls that were begun are ended, and no others are. */
  readonly signal: AbortSignal;
  /** An endpoint was switched off, and why. */
  readonly onSwitchedOff: (endpointId: string, failure: string) => void;
}

export interface Sender {
  /** Sends what is due to one endpoint, for some time. True: there may be more that is due now. */
  sendDue(endpointId: string): Promise<boolean>;
}

const FIRST_WIDTH = 4;
const MOST_AT_ONCE = 32;
/** A receiver that takes longer gets fewer calls at once. */
const SLOW_MS = 1_000;
/** After this long others get their turn, and it goes on later. */
const TURN_MS = 5_000;
/** What processes remember about endpoints that do not exist any more. */
const MOST_REMEMBERED = 1_000;

/**
 * Each endpoint is sent one round of calls after another, and a round is as wide as the endpoint is quick: wider while
 * everything is taken quickly, narrower when calls fail or take long. So an endpoint that hangs holds one connection.
 */
export function openSender({ db, receivers, signal, onSwitchedOff }: SenderApp): Sender {
  const widths = new Map<string, number>();

  async function sendOne(receiver: Receiver, claimed: Claimed): Promise<Attempt> {
    const began = performance.now();
    const { eventId, type, happenedAt, data, attempts } = claimed;
    const body = JSON.stringify({ type, timestamp: happenedAt.toISOString(), data });
    const tried = { eventId, attempts, isTest: claimed.isTest };
    let asked: number | undefined;
    let said: Pick<Attempt, 'status' | 'answer' | 'fault'>;
    try {
      const headers = signEvent(receiver.secrets, { eventId, at: new Date(), body });
      const { status, text, retryAfterSeconds } = await receivers.post({
        url: receiver.url,
        headers: { 'content-type': 'application/json', 'user-agent': 'Florin-Webhooks/1', ...headers },
        body,
      });
      asked = retryAfterSeconds;
      said = { status, answer: printable(text, 1_000), fault: null };
    } catch (error) {
      const fault = signal.aborted ? 'our worker was stopped before an answer came' : describeError(error);
      said = { status: null, answer: null, fault: printable(fault, 500) };
    }
    const isTaken = said.status !== null && said.status >= 200 && said.status < 300;
    // Whoever tries a receiver out wants to see what it says, and not the same again tomorrow.
    const isOver = isTaken || claimed.isTest;
    const pauseMs = isOver ? undefined : findPauseMs(attempts, { isEndless: receiver.inOrder, askedSeconds: asked });
    return { ...tried, ...said, isTaken, pauseMs, tookMs: Math.round(performance.now() - began) };
  }

  /** True: it has sent something. */
  async function sendRound(endpointId: string): Promise<boolean> {
    const receiver = await findReceiver(db, endpointId);
    if (!receiver) return false;
    const width = widths.get(endpointId) ?? FIRST_WIDTH;
    const claimed = await claimDue(db, receiver, width);
    if (claimed.length === 0) return false;
    const attempts = await Promise.all(claimed.map((one) => sendOne(receiver, one)));
    remember(endpointId, adjustWidth(width, attempts));
    const failure = await recordAttempts(db, receiver, attempts);
    if (failure !== undefined) onSwitchedOff(endpointId, failure);
    return failure === undefined;
  }

  function remember(endpointId: string, width: number): void {
    if (widths.size >= MOST_REMEMBERED) widths.clear();
    widths.set(endpointId, width);
  }

  return {
    async sendDue(endpointId) {
      const began = performance.now();
      while (!signal.aborted && performance.now() - began < TURN_MS) if (!(await sendRound(endpointId))) return false;
      return true;
    },
  };
}

function adjustWidth(width: number, attempts: readonly Attempt[]): number {
  const bad = attempts.filter(({ isTaken, tookMs }) => !isTaken || tookMs > SLOW_MS).length;
  if (bad === attempts.length) return 1;
  if (bad > attempts.length / 2) return Math.max(1, width >> 1);
  return bad === 0 && attempts.length === width ? Math.min(MOST_AT_ONCE, width * 2) : width;
}

/**
 * PostgreSQL takes no NUL and no half of a character, which a cut may leave behind; nobody wants control characters in a
 * list.
 */
const printable = (text: string, length: number): string => text.slice(0, length).replace(/\p{C}/gu, ' ');
