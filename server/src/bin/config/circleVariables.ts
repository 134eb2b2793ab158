/** The variables of wallets whose keys Circle holds. All of them are only for the signer. */
import { z } from 'zod';
import { SIGNING_PROVIDERS } from '../../core/signer.ts';
import type { Variable } from './shapes.ts';

export const circleVariables = {
  FLORIN_WALLETS: {
    schema: z.enum(SIGNING_PROVIDERS).default('local'),
    says: 'Only for the signer: who holds the keys of the wallets of people and treasury, local (the seed file) or circle. Relayers always use the seed file. It stays as it is once people have wallets.',
    example: 'local',
  },
  FLORIN_CIRCLE_URL: {
    schema: z
      .string()
      .default('https://api.circle.com')
      .refine((text) => /^https?:\/\//.test(text) && URL.canParse(text), 'is not a URL')
      .transform((text) => text.replace(/\/+$/, '')),
    says: 'Only for the signer: where Circle is. The API key decides between testnets and mainnets.',
    example: 'https://api.circle.com',
  },
  FLORIN_CIRCLE_API_KEY: {
    schema: z
      .string()
      .regex(/^(TEST|LIVE)_API_KEY:[^:\s]+:[^:\s]+$/, 'is not TEST_API_KEY:ID:SECRET or LIVE_API_KEY:ID:SECRET')
      .optional(),
    says: 'Only for the signer, with FLORIN_WALLETS=circle: the API key of your account at Circle.',
    example: '',
    secret: true,
  },
  FLORIN_CIRCLE_ENTITY_SECRET: {
    schema: z
      .string()
      .regex(/^[0-9a-fA-F]{64}$/, 'is not 64 hexadecimal digits')
      .optional(),
    says: 'Only for the signer, with FLORIN_WALLETS=circle: the entity secret that is registered at Circle. Keep it and the recovery file off this machine too.',
    example: '',
    secret: true,
  },
  FLORIN_CIRCLE_WALLET_SET: {
    schema: z.guid('is not the id of a wallet set').optional(),
    says: 'Only for the signer, with FLORIN_WALLETS=circle: the wallet set of this installation, which shares it with no other. Unless set, the signer makes one at its first start and remembers it.',
    example: '',
  },
} as const satisfies Record<string, Variable>;
