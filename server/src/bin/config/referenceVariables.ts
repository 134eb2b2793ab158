import { z } from 'zod';
import type { Variable } from './shapes.ts';

const publicUrl = z
  .url({ protocol: /^https?$/, message: 'is not an http:// or https:// URL' })
  .transform((url) => url.replace(/\/+$/, ''))
  .optional();

/** The variables for the pages about the APIs. */
export const referenceVariables = {
  FLORIN_PUBLIC_WEB3_URL: {
    schema: publicUrl,
    help: 'The public URL of the Web3 API. Its OpenAPI document contains it, and the pages of the Backend API link to it.',
    example: 'https://web3.example.com',
  },
  FLORIN_PUBLIC_BACKEND_URL: {
    schema: publicUrl,
    help: 'The public URL of the Backend API.',
    example: 'https://api.example.com',
  },
  FLORIN_EXAMPLES_FILE: {
    schema: z.string().min(1).optional(),
    help: 'Only in the sandbox, which sets it: the examples of the served OpenAPI documents, with values that work.',
  },
  FLORIN_CALLS_FILE: {
    schema: z.string().min(1).optional(),
    help: 'Only in the sandbox, which sets it: where the server keeps the latest calls with their bodies, at most 8 MB, for `florin call show`.',
  },
} as const satisfies Record<string, Variable>;
