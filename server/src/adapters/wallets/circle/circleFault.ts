interface FaultDetails {
  readonly status?: number | undefined;
  readonly code?: number | undefined;
  readonly isUnheard?: boolean;
}

/** Circle refused, or did not answer. The message contains a status, a code or an error's name, never a request. */
export class CircleFault extends Error {
  /** The status of the answer; undefined when there was none. */
  readonly status: number | undefined;
  /** Circle's own error number. */
  readonly code: number | undefined;
  /** There was no connection to Circle at all. */
  readonly isUnheard: boolean;

  constructor(message: string, { status, code, isUnheard = false }: FaultDetails = {}) {
    super(message);
    this.name = 'CircleFault';
    this.status = status;
    this.code = code;
    this.isUnheard = isUnheard;
  }

  /** The same without Circle's own text, which is for operators. Payers see only our text. */
  get saysToPayers(): string {
    return this.code === undefined ? 'Circle refused it' : (SAYS[this.code] ?? `Circle refused it (code ${this.code})`);
  }

  /** Circle has certainly done nothing about the request. */
  get isUndone(): boolean {
    return this.isUnheard || this.isOurs || this.status === 429 || UNDONE.includes(this.code ?? 0);
  }

  /**
   * An operator must change keys or settings before Circle does anything for us. This says nothing about the request
   * itself.
   */
  get isOurs(): boolean {
    return this.status === 401 || this.status === 403 || OURS.includes(this.code ?? 0);
  }

  /** Circle refuses the request itself and would refuse it again. */
  get isFinal(): boolean {
    // Without Circle's error number, the answer may come from an intermediary.
    if (this.isOurs || this.status === undefined || this.code === undefined) return false;
    return this.status >= 400 && this.status < 500 && !PASSING.includes(this.status) && !LATER.includes(this.code ?? 0);
  }
}

export const CIRCLE_CODES = {
  noWalletSet: 156005,
  sealUsed: 156004,
  wrongChains: 156006,
  wrongSecret: 156013,
  noSecret: 156016,
  keyUsed: 156020,
  queueFull: 155264,
  firstNotQueued: 155505,
} as const;

/** Temporary: too many requests wait, or according to Circle the wallet has too few coins or too little gas. */
const UNDONE: readonly number[] = [
  CIRCLE_CODES.queueFull,
  CIRCLE_CODES.firstNotQueued,
  ...[155201, 155204, 155205, 155207, 155258],
];

const OURS: readonly number[] = [
  CIRCLE_CODES.noWalletSet,
  CIRCLE_CODES.wrongChains,
  CIRCLE_CODES.wrongSecret,
  CIRCLE_CODES.noSecret,
];
/** Request time-out, too early, too many requests. */
const PASSING: readonly number[] = [408, 425, 429];
/** -1 is Circle's "unknown". */
const LATER: readonly number[] = [-1, CIRCLE_CODES.sealUsed, CIRCLE_CODES.keyUsed, CIRCLE_CODES.queueFull];
const WORDS = 150;

/** Our texts for Circle's error numbers. Other numbers are reported with Circle's own text. */
const SAYS: Readonly<Record<number, string>> = {
  155201: 'the wallet has too little of the token',
  155204: "the wallet cannot pay the chain's fee",
  155205: 'the wallet has too little of the token',
  155207: "the wallet cannot pay the chain's fee",
  155219: 'the destination is not an address of that blockchain',
  155244: 'both a wallet and an address were named',
  155258: 'the wallet has too little of the token',
  [CIRCLE_CODES.queueFull]: 'too many transfers of this wallet wait at Circle',
  [CIRCLE_CODES.firstNotQueued]: 'the first transfer of this wallet is not queued yet',
  155501: 'Circle has frozen the wallet',
  156001: 'Circle does not know the wallet',
  156003: 'Circle does not know the transfer',
  [CIRCLE_CODES.sealUsed]: 'Circle has seen this ciphertext of the entity secret before',
  [CIRCLE_CODES.noWalletSet]: 'Circle does not know the wallet set (FLORIN_CIRCLE_WALLET_SET)',
  [CIRCLE_CODES.wrongChains]: 'the API key is for other blockchains: test keys work on testnets, live keys on mainnets',
  [CIRCLE_CODES.wrongSecret]: 'the entity secret is not the one that is registered at Circle',
  [CIRCLE_CODES.noSecret]: 'no entity secret is registered at Circle',
  [CIRCLE_CODES.keyUsed]: 'Circle has seen this idempotency key with another request',
  156027: 'Circle does not do this on that blockchain',
};

/** `hide` removes secrets from Circle's text. */
export function readFault(status: number, body: unknown, hide: (text: string) => string): CircleFault {
  const { code, message } = (body ?? {}) as { code?: unknown; message?: unknown };
  const known = typeof code === 'number' ? code : undefined;
  if (status === 401) return new CircleFault('Circle does not accept the API key', { status, code: known });
  if (status === 403) return new CircleFault('the API key may not do this', { status, code: known });
  if (status === 429) return new CircleFault('Circle refused: too many requests', { status, code: known });
  const words = typeof message === 'string' && message ? hide(message).replace(/\s+/g, ' ').slice(0, WORDS) : undefined;
  const says = known !== undefined ? (SAYS[known] ?? words) : words;
  const place = known === undefined ? String(status) : `${status}, code ${known}`;
  return new CircleFault(says ? `${says} (${place})` : `Circle answered ${place}`, { status, code: known });
}
