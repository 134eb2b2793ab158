import { setImmediate as yieldToOthers } from 'node:timers/promises';
import type { ProviderAnswer } from '../../core/ports.ts';
import type { SigningRefusal } from '../../core/signer.ts';
import type { Priority, RateLimiter } from './rateLimiter.ts';
import type { SigningApp } from './signingApp.ts';

/**
 * Callers wait ten seconds. A signature that has not started after this time must be requested again; one that has
 * started may take three times as long.
 */
const PATIENCE_MS = { first: 2_000, yielding: 1_000 };
/** The most concurrent signature requests to a provider across the internet, and the most for yielding work. */
const WIDTH = 10;
const YIELDING_WIDTH = 6;

type Refusal = Omit<SigningRefusal, 'id'>;

interface Work<Item, Made> {
  readonly items: readonly Item[];
  readonly providerOf: (item: Item) => string;
  readonly priorityOf: (item: Item) => Priority;
  /** Returns a refusal if the rules do not allow this item; undefined if they do. */
  readonly checkRules: (item: Item) => Promise<Refusal | undefined>;
  readonly sign: (item: Item) => Promise<Made | Refusal>;
}

/**
 * Returns each item with its signature or refusal. Our own keys sign one after another; a provider signs several
 * concurrently, within its rate limit.
 */
export async function signEach<Item, Made extends object>(
  app: SigningApp,
  turns: Readonly<Record<string, RateLimiter>>,
  { items, providerOf, priorityOf, checkRules, sign }: Work<Item, Made>,
): Promise<{ readonly item: Item; readonly made: Made | Refusal }[]> {
  const begunMs = performance.now();
  const untilOf = (item: Item) => begunMs + PATIENCE_MS[priorityOf(item)];
  const isSlow = (item: Item) => app.keyrings[providerOf(item)]?.perSecond !== undefined;

  async function signOne(item: Item): Promise<Made | Refusal> {
    if (isSlow(item) && performance.now() > untilOf(item)) return NEXT;
    try {
      const refusal = await checkRules(item);
      if (refusal) return refusal;
      if (isSlow(item) && !(await turns[providerOf(item)]!.take(priorityOf(item), untilOf(item)))) return NEXT;
      return await sign(item);
    } catch (error) {
      if ((error as { code?: string }).code !== 'service.unavailable') throw error;
      return toRefusal(app, providerOf(item), { outcome: 'unknown', cause: error });
    }
  }

  const first = items.filter((item) => priorityOf(item) === 'first');
  const yielding = items.filter((item) => priorityOf(item) === 'yielding');
  const done: { item: Item; made: Made | Refusal }[] = [];
  const takeAll = async (_: unknown, place: number) => {
    const next = () => first.shift() ?? (place < YIELDING_WIDTH ? yielding.shift() : undefined);
    for (let item = next(); item !== undefined; item = next()) {
      done.push({ item, made: await signOne(item) });
      // A first login must not wait for a hundred signatures.
      await yieldToOthers();
    }
  };
  const width = items.some(isSlow) ? WIDTH : 1;
  await Promise.all(Array.from({ length: width }, takeAll));
  return done;
}

/** Converts a key holder's answer without a signature. */
export function toRefusal(
  app: SigningApp,
  provider: string,
  answer: Exclude<ProviderAnswer<object, string>, { outcome: 'accepted' }>,
): Refusal {
  if (answer.outcome === 'rejected') return { reason: answer.reason, isForNow: false };
  app.onFault?.(answer.cause, `keys of ${provider}`);
  return { reason: 'the keys do not answer', isForNow: true };
}

const NEXT: Refusal = { reason: 'it waits for its turn at the provider', isForNow: true, isNext: true };
