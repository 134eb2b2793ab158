/** The variables of the signer, and of those that ask it. */
import { z } from 'zod';
import type { SignerCaller } from '../../core/signer.ts';
import type { SignerToken } from '../../http/signer/serveSigner.ts';
import { circleVariables } from './circleVariables.ts';
import { list, usdcAmount, type Variable } from './shapes.ts';

const CALLERS: readonly SignerCaller[] = ['server', 'worker'];

const urls = list.pipe(
  z.array(
    z
      .string()
      .refine(
        (text) => /^unix:\/[^\0]{1,100}$/.test(text) || /^https?:\/\/[^/?#@]+:\d{1,5}$/.test(text),
        'is not unix:/path or https://name:port',
      ),
  ),
);

/** `server=TOKEN, worker=TOKEN`: one of each at least, several while they are being exchanged. */
const tokens = list.transform((items, context) => {
  const given: SignerToken[] = [];
  for (const item of items) {
    const at = item.indexOf('=');
    const caller = CALLERS.find((one) => one === item.slice(0, at));
    if (caller && at + 1 < item.length) given.push({ caller, token: item.slice(at + 1) });
    else context.addIssue({ code: 'custom', message: 'is not server=TOKEN, worker=TOKEN' });
  }
  return given;
});

const LIMITS = ['payment', 'day'] as const;

/** `payment=10000, day=250000`, in USDC, or `none`. Undefined: nobody has said anything. */
const limits = list.transform((items, context) => {
  if (items.length === 0) return undefined;
  const given: Partial<Record<(typeof LIMITS)[number], bigint>> = {};
  if (items.join() === 'none') return given;
  for (const item of items) {
    const [, name, amount] = /^(\w+)=(.+)$/.exec(item) ?? [];
    const known = LIMITS.find((one) => one === name);
    const parsed = usdcAmount.safeParse(amount);
    if (known && parsed.success) given[known] = parsed.data;
    else context.addIssue({ code: 'custom', message: `"${item}" is not one of ${LIMITS.join(', ')} with =USDC` });
  }
  return given;
});

export const signerVariables = {
  FLORIN_SIGNER_URL: {
    schema: urls,
    says: 'Where the signer is: unix:/path of a socket on this machine, or https://name:port elsewhere (commas; the first that answers is used). The signer itself listens at the first one.',
    example: 'unix:/run/florin/signer.sock',
  },
  FLORIN_SIGNER_TOKEN: {
    schema: z.string().min(1).optional(),
    says: "What this server or worker shows the signer. Each has its own, e.g. from `openssl rand -base64 32`; a server's is good only for making wallets.",
    example: '',
    secret: true,
  },
  FLORIN_SIGNER_TOKENS: {
    schema: tokens,
    says: 'Only for the signer: the tokens that it accepts, server=TOKEN, worker=TOKEN. Both an old and a new one may be listed while they are exchanged.',
    secret: true,
  },
  FLORIN_SIGNER_LIMITS: {
    schema: limits,
    says: 'Only for the signer: the most that it signs to addresses per send and in 24 hours, in USDC per blockchain, whatever the ledger says. What exceeds it waits. none: no limit of its own; in production it has to be said.',
    example: 'payment=10000, day=250000',
  },
  FLORIN_WALLET_SEED_FILE: {
    schema: z.string().min(1).optional(),
    says: 'Only for the signer: the encrypted HD seed of all wallets. Make it once with `florin seed create`, and keep a copy off this machine.',
    example: '/etc/florin/wallet-seed.json',
  },
  FLORIN_WALLET_SECRET: {
    schema: z.string().min(1).optional(),
    says: 'Only for the signer: opens the seed file. In production at least 32 characters, e.g. from `openssl rand -base64 32`.',
    example: '',
    secret: true,
  },
  ...circleVariables,
} as const satisfies Record<string, Variable>;
