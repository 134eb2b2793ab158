/** Amounts, names and addresses that people type. Server, client, wallet and database must agree about each of them. */

/** Valid amounts everywhere, and their millionths. */
export const AMOUNTS: Readonly<Record<string, bigint>> = {
  '1': 1_000_000n,
  '1.5': 1_500_000n,
  '1.50': 1_500_000n,
  '0.1': 100_000n,
  '0.3': 300_000n,
  '0.000001': 1n,
  '1.000001': 1_000_001n,
  '12345678.9': 12_345_678_900_000n,
  '999999999.999999': 999_999_999_999_999n,
  '999999999': 999_999_999_000_000n,
};

/** Invalid amounts everywhere. */
export const NO_AMOUNTS: readonly string[] = [
  ...[
    '',
    ' ',
    '.',
    '-',
    '+',
    '1,5',
    '1 000',
    '1_000',
    '1.2.3',
    '0x10',
    '0b1',
    'NaN',
    'Infinity',
    'one',
    '$1',
    '1 USDC',
  ],
  ...['+1', '１', '١', '1٫5', '1\u00a0000', '1\n', '\u00001', '1e', 'e5', '1.5e', '--1', '1-', "1'000"],
];

/** Numbers that are finer or larger than any payment. */
export const IMPOSSIBLE_AMOUNTS: readonly string[] = [
  '0.0000001',
  '1.0000001',
  '0.1234567',
  '1000000000',
  '9999999999',
];

export const NAMES: readonly string[] = ['abc', 'a_b', '___', '007', 'x'.repeat(30), 'Alice', 'ALICE_2'];

export const NO_NAMES: readonly string[] = [
  ...['', 'ab', 'x'.repeat(31), 'a b', ' abc', 'abc ', 'a-b', 'a.b', 'abc@', 'a/b', 'a%b', "a'b", 'a\u0000b', 'abc\n'],
  // Some letters become ASCII letters in lower case.
  ...[
    'jos\u00e9',
    '\u212aelvin',
    '\u0130stanbul',
    '\u0430lice',
    'ａｂｃ',
    '\u0661\u0662\u0663',
    'a\u0301bc',
    '💸💸💸',
    '\u202eabc',
    'a\u200bbc',
  ],
];

const MIXED = '0x8ba1f109551bD432803012645Ac136ddd64DBA72';
export const ADDRESSES: readonly string[] = [MIXED, MIXED.toLowerCase(), `0x${MIXED.slice(2).toUpperCase()}`];

export const NO_ADDRESSES: readonly string[] = [
  ...['', '0x', MIXED.slice(0, -1), `${MIXED}0`, MIXED.slice(2), `0X${MIXED.slice(2)}`, `${MIXED.slice(0, -1)}g`],
  ...[`${MIXED}\u0000`, MIXED.replace('8', '８'), `0x ${MIXED.slice(3)}`, `${MIXED.slice(0, 20)}\n${MIXED.slice(20)}`],
];
/** The form is right, but the case of the letters is not the checksum of the digits. */
export const WRONG_CHECKSUM = '0x8ba1f109551bD432803012645Ac136ddd64DBa72';
