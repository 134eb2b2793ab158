import { PayError } from '../../core/errors.ts';

/** An outside party that can object to a destination, such as a sanctions list. None is connected today. */
export interface Screen {
  /** Whether coins must not go there: one answer per address, in order. Throws when it cannot answer in time. */
  isBlocked(blockchain: string, addresses: readonly string[]): Promise<readonly boolean[]>;
  /** While it does not answer: `accept` lets sends pass unscreened; `refuse` throws `service.unavailable`. */
  readonly whenSilent: 'accept' | 'refuse';
}

/** The parties that `screenDestinations` asks. No other code asks them. */
export interface Screening {
  readonly screen?: Screen | undefined;
  /**
   * The token's current answer for each address. Throws if the chain does not answer. An urgent query shares its call
   * with others; if the chain is silent for a second, no address counts as refused.
   */
  askToken(blockchain: string, addresses: readonly string[], isUrgent?: boolean): Promise<TokenAnswer>;
}

interface TokenAnswer {
  readonly isPaused: boolean;
  readonly blacklisted: readonly boolean[];
}

interface Question {
  readonly blockchain: string;
  readonly addresses: readonly string[];
  /**
   * `screen`: once for every destination. `token`: for destinations that our own list of blacklisted addresses does not
   * decide.
   */
  readonly asks: readonly ('screen' | 'token')[];
  /** A person waits for the answer. */
  readonly isUrgent?: boolean;
}

interface Screened {
  /** The token moves no coins now. */
  readonly isPaused: boolean;
  /** One per address: coins must not go there. */
  readonly blocked: readonly boolean[];
}

/**
 * Every destination passes through here before its send is decided: single sends, rows of payouts (when a file is
 * checked, and again when a row is paid) and previews.
 *
 * The screen decides what its silence means (`whenSilent`). After `service.unavailable` nothing was decided: a send and
 * a preview answer 503, a file is not stored, and a row of a running payout waits and is tried again. The silence of the
 * token refuses no urgent send, because the worker asks the token again before it reserves coins. Otherwise it is
 * `service.unavailable` too.
 */
export async function screenDestinations(
  destinations: Screening,
  { blockchain, addresses, asks, isUrgent }: Question,
): Promise<Screened> {
  const { screen } = destinations;
  const screened = screen && asks.includes('screen') ? await askScreen(screen, blockchain, addresses) : undefined;
  const said = asks.includes('token') ? await destinations.askToken(blockchain, addresses, isUrgent) : undefined;
  return {
    isPaused: said?.isPaused === true,
    blocked: addresses.map((_, i) => screened?.[i] === true || said?.blacklisted[i] === true),
  };
}

/** For one send: throws its refusal. A payment that is certain to fail is not accepted. */
export async function screenSend(
  destinations: Screening,
  { blockchain, destination }: { readonly blockchain: string; readonly destination: string },
  asks: Question['asks'],
): Promise<void> {
  const question = { blockchain, addresses: [destination], asks, isUrgent: true };
  const { isPaused, blocked } = await screenDestinations(destinations, question);
  if (isPaused) throw new PayError('service.paused', { reason: 'the USDC contract is paused' });
  if (blocked[0]) throw new PayError('address.blocked', { party: 'the destination' });
}

async function askScreen(
  screen: Screen,
  blockchain: string,
  addresses: readonly string[],
): Promise<readonly boolean[] | undefined> {
  try {
    const blocked = await screen.isBlocked(blockchain, addresses);
    if (blocked.length !== addresses.length) throw new Error('the screen did not answer for every address');
    return blocked;
  } catch (cause) {
    if (screen.whenSilent === 'accept') return undefined;
    throw new PayError('service.unavailable', { dependency: 'screening' }, { cause });
  }
}
