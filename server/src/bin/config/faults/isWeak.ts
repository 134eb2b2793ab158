const PLACEHOLDER = /change.?me|passw(or)?d|example|secret|letmein|hunter2/i;
const ROWS = ['1234567890', 'qwertyuiop', 'asdfghjkl', 'zxcvbnm'];
/**
 * The largest allowed share of adjacent characters that are neighbours in a sequence, such as `ab`, `21` or `qw`. A
 * random secret has few of them.
 */
const MAX_NEIGHBOURS = 0.4;

/**
 * Not a measure of entropy. It only catches secrets that people type: short, repeated, counted up or down, along a row
 * of the keyboard, or a well-known placeholder.
 */
export function isWeak(secret: string): boolean {
  if (secret.length < 32 || new Set(secret).size < 10 || PLACEHOLDER.test(secret)) return true;
  if (`${secret}${secret}`.indexOf(secret, 1) < secret.length) return true;
  const lower = secret.toLowerCase();
  let neighbours = 0;
  for (let i = 1; i < lower.length; i++) if (areNeighbours(lower, i)) neighbours++;
  return neighbours / (lower.length - 1) > MAX_NEIGHBOURS;
}

function areNeighbours(text: string, i: number): boolean {
  if (Math.abs(text.charCodeAt(i) - text.charCodeAt(i - 1)) <= 1) return true;
  const pair = text.slice(i - 1, i + 1);
  const back = `${pair[1]}${pair[0]}`;
  return ROWS.some((row) => row.includes(pair) || row.includes(back));
}

const GUESSED = new Set(
  'password passwd pass secret postgres postgresql admin root user test changeme change-me florin usdc 123456 12345678 123456789 1234567890 qwerty letmein welcome'.split(
    ' ',
  ),
);

/**
 * For database passwords, which can be shorter than a wallet's secret, because an attacker must first reach the
 * database.
 */
export const isGuessed = (password: string): boolean =>
  password.length < 6 || new Set(password).size < 3 || GUESSED.has(password.toLowerCase());
