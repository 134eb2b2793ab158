import { setTimeout as sleep } from 'node:timers/promises';
import { createBatcher } from '../../db/createBatcher.ts';
import type { Queryable } from '../../db/database.ts';
import { isConflict } from '../../db/isConflict.ts';
import { acceptSends } from './acceptSends.ts';
import type { SendCommand, SendDecision, SendRules } from './sendCommand.ts';

/** Collects the sends to addresses that this process receives, and accepts them in batches. */
export interface Sends {
  submit(command: SendCommand): Promise<SendDecision>;
  /** Our blacklist cannot be used for now: the token has to be asked about every destination. */
  mustAsk(blockchain: string): boolean;
  close(): Promise<void>;
}

interface SendsOptions {
  readonly db: Queryable;
  readonly sendRules: SendRules;
}

/** Measured: larger batches do not reduce the cost per send, and hold their locks longer. */
const MAX_BATCH = 100;
/** How long a repeated request waits for the first one with its key. */
const PATIENCE_MS = 2_000;
const ASK_AGAIN_MS = 100;
/** How long to wait before trying a list again that was too old. */
const UNLISTED_MS = 1_000;

export function openSends({ db, sendRules }: SendsOptions): Sends {
  const batcher = createBatcher<SendCommand, SendDecision>({
    // While one batch commits, the next one is decided.
    concurrency: 2,
    maxBatch: MAX_BATCH,
    isConflict,
    run: (_, commands) => acceptSends(db, sendRules, commands),
  });

  /**
   * By payment id. A batch contains every id once; of two requests with the same key, the second waits for the first.
   */
  const underWay = new Map<string, Promise<SendDecision>>();

  /** By blockchain: until when the blacklist counts as too old. */
  const unlisted = new Map<string, number>();

  async function decide(command: SendCommand): Promise<SendDecision> {
    for (const until = performance.now() + PATIENCE_MS; ; ) {
      const decision = await batcher.submit(command);
      if (decision.outcome === 'ask' && !decision.isListed) {
        unlisted.set(command.request.blockchain, performance.now() + UNLISTED_MS);
      }
      // Another process is deciding the same key.
      if (decision.outcome !== 'in_progress' || performance.now() >= until) return decision;
      await sleep(ASK_AGAIN_MS);
    }
  }

  async function submit(command: SendCommand): Promise<SendDecision> {
    const { paymentId } = command;
    const until = performance.now() + PATIENCE_MS;
    for (let first = underWay.get(paymentId); first; first = underWay.get(paymentId)) {
      const late = sleep(Math.max(0, until - performance.now()), 'late', { ref: false });
      if ((await Promise.race([first.catch(() => undefined), late])) === 'late') return { outcome: 'in_progress' };
    }
    const decision = decide(command);
    const forget = () => underWay.delete(paymentId);
    underWay.set(paymentId, decision);
    decision.then(forget, forget);
    return decision;
  }

  return {
    submit,
    mustAsk: (blockchain) => !sendRules.blacklistSeconds || performance.now() < (unlisted.get(blockchain) ?? 0),
    close: () => batcher.close(),
  };
}
