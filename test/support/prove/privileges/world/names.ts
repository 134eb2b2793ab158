/** The fixed names and ids of the fuzzer's world. Fixed ids make the calls of a seed the same in every run. */
export const HOME_CHAIN = 'ETH-SEPOLIA';
export const OTHER_CHAIN = 'BASE-SEPOLIA';
/** Its token has not been described yet. */
export const NEW_CHAIN = 'ARC-TESTNET';

/** Assets get their ids in this order. */
export const HOME_ASSET = 1n;
export const OTHER_ASSET = 2n;
export const NEW_ASSET = 3n;

const KINDS = [
  'user',
  'wallet',
  'payment',
  'key',
  'payout',
  'request',
  'session',
  'correction',
  'refund',
  'move',
  'settlement',
  'decision',
  'deposit',
  'endpoint',
  'post',
  'provider',
] as const;
type IdKind = (typeof KINDS)[number];

/** The id of the nth thing of a kind. */
export const idOf = (kind: IdKind, nth: number): string =>
  `${String(KINDS.indexOf(kind) + 1).padStart(8, '0')}-0000-4000-8000-${String(nth).padStart(12, '0')}`;

interface WorldPerson {
  readonly name: string;
  readonly kyc: string;
  /** Millionths, in the home asset and in the other one. */
  readonly balances: readonly [bigint, bigint];
}

const usdc = (whole: number): bigint => BigInt(whole) * 1_000_000n;

/** The first ones pay; each of the others is refused for a different reason. */
export const PEOPLE: readonly WorldPerson[] = [
  { name: 'alice', kyc: 'approved', balances: [usdc(400), usdc(90)] },
  { name: 'bob', kyc: 'approved', balances: [usdc(300), usdc(50)] },
  { name: 'carol', kyc: 'none', balances: [usdc(120), usdc(20)] },
  { name: 'dan', kyc: 'approved', balances: [usdc(900), usdc(0)] },
  { name: 'dora', kyc: 'approved', balances: [usdc(5), usdc(0)] },
  { name: 'paul_paused', kyc: 'approved', balances: [usdc(200), usdc(10)] },
  { name: 'una_rejected', kyc: 'rejected', balances: [usdc(80), usdc(10)] },
  { name: 'clara_closed', kyc: 'approved', balances: [0n, 0n] },
];

export const userOf = (name: string): string => idOf('user', PEOPLE.findIndex((person) => person.name === name) + 1);
export const walletOf = (name: string): string =>
  idOf('wallet', PEOPLE.findIndex((person) => person.name === name) + 1);
export const TREASURY_WALLET = idOf('wallet', 100);
/** Belongs to a provider that sends. */
export const SENDING_WALLET = idOf('wallet', 101);

export const addressOf = (nth: number): string => `0x${String(nth).padStart(40, '0')}`;
export const hashOf = (nth: number): string => `0x${String(nth).padStart(64, '0')}`;

/** Sends of this amount and more wait for two operators. */
export const THRESHOLD = usdc(100);
