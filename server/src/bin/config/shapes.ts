/** Value formats that several variables share. */
import { z } from 'zod';
import { parseUsdc } from '../../core/money.ts';

export interface Variable {
  readonly schema: z.ZodType;
  readonly help: string;
  readonly example?: string;
  /** Its value never appears in a message or a log. */
  readonly secret?: true;
}

export const list = z
  .string()
  .default('')
  .transform((text) =>
    text
      .split(',')
      .map((item) => item.trim())
      .filter(Boolean),
  );

export const usdcAmount = z.string().transform((text, context) => {
  try {
    if (!/^\d+(\.\d+)?$/.test(text)) throw new TypeError();
    const amount = parseUsdc(text);
    if (amount > 0n) return amount;
  } catch {}
  context.addIssue({ code: 'custom', message: 'is not an amount of USDC above 0, such as 10000 or 2500.50' });
  return z.NEVER;
});

/** 0 selects a free port. */
export const port = (fallback: number) => z.coerce.number().int().min(0).max(65_535).default(fallback);

const parse = (text: string, context: z.core.$RefinementCtx<string>): unknown => {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    context.addIssue({ code: 'custom', message: 'is not JSON' });
    return z.NEVER;
  }
};

/** For objects; absent: undefined. */
export const jsonText = z.string().transform(parse);

/** For lists; absent: empty. */
export const json = z.string().default('[]').transform(parse);
