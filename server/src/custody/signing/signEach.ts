import { setImmediate as yieldToOthers } from 'node:timers/promises';
import type { ProviderAnswer } from '../../core/ports.ts';
import type { SigningRefusal } from '../../core/signer.ts';
import type { Haste, Turns } from './openTurns.ts';
import type { SigningApp } from './signingApp.ts';

/** Callers wait ten seconds. What has not begun after this is asked for again; what has begun may take as long again. */
const PATIENCE_MS = 2_500;
/** A provider across the internet is asked for so many signatures at the same time. */
const WIDTH = 10;

type Refusal = Omit<SigningRefusal, 'id'>;

interface Work<Item, Made> {
  readonly items: readonly Item[];
  readonly providerOf: (item: Item) => string;
  readonly hasteOf: (item: Item) => Haste;
  /** Why it is not signed at all. */
  readonly findObjection: (item: Item) => Promise<Refusal | undefined>;
  readonly sign: (item: Item) => Promise<Made | Refusal>;
}

/** What is signed and what is not: our own keys one after the other, a provider's several at once and in turns. */
export async function signEach<Item, Made extends object>(
  app: SigningApp,
  turns: Readonly<Record<string, Turns>>,
  { items, providerOf, hasteOf, findObjection, sign }: Work<Item, Made>,
): Promise<{ readonly item: Item; readonly made: Made | Refusal }[]> {
  const untilMs = performance.now() + PATIENCE_MS;
  const isSlow = (item: Item) => app.keyrings[providerOf(item)]?.perSecond !== undefined;

  async function signOne(item: Item): Promise<Made | Refusal> {
    if (isSlow(item) && performance.now() > untilMs) return NEXT;
    try {
      const objection = await findObjection(item);
      if (objection) return objection;
      if (isSlow(item) && !(await turns[providerOf(item)]!.take(hasteOf(item), untilMs))) return NEXT;
      return await sign(item);
    } catch (error) {
      if ((error as { code?: string }).code !== 'service.unavailable') throw error;
      return toRefusal(app, providerOf(item), { outcome: 'unknown', cause: error });
    }
  }

  const left = [...items];
  const done: { item: Item; made: Made | Refusal }[] = [];
  const takeAll = async () => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) {
      done.push({ item, made: await signOne(item) });
      // A first login must not wait for a hundred signatures.
      await yieldToOthers();
    }
  };
  const width = items.some(isSlow) ? WIDTH : 1;
  await Promise.all(Array.from({ length: width }, takeAll));
  return done;
}

/** What keys answered that have signed nothing. */
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
