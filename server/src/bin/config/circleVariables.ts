/** The variables of wallets whose keys Circle holds. All but one are only for the signer. */
import { z } from 'zod';
import { ELSEWHERE } from '../../adapters/wallets/circle/circleBlockchains.ts';
import { list, type Variable } from './shapes.ts';

export const circleVariables = {
  FLORIN_CIRCLE_BLOCKCHAINS: {
    schema: list.pipe(
      z.array(
        z.enum(Object.keys(ELSEWHERE) as [string, ...string[]], `is not one of ${Object.keys(ELSEWHERE).join(', ')}`),
      ),
    ),
    help: 'For every process: blockchains without 0x addresses on which Circle holds wallets and sends by itself: SOL, APTOS (with a live key) or SOL-DEVNET, APTOS-TESTNET (with a test key). Florin does not read these chains: a payment is complete when Circle says so.',
    example: '',
  },
  FLORIN_CIRCLE_ACCOUNT: {
    schema: z.enum(['SCA', 'EOA']).default('SCA'),
    help: 'Only for the signer, with circle_send: the kind of wallets. SCA: smart-contract accounts, whose gas Circle sponsors. EOA: plain accounts, which need the native coin of each blockchain. Do not change it after people have wallets.',
    example: 'SCA',
  },
  FLORIN_CIRCLE_FEE: {
    schema: z.enum(['LOW', 'MEDIUM', 'HIGH']).default('MEDIUM'),
    help: 'Only for the signer, with circle_send: the fee level of transfers.',
    example: 'MEDIUM',
  },
  FLORIN_CIRCLE_URL: {
    schema: z
      .string()
      .default('https://api.circle.com')
      .refine((text) => /^https?:\/\//.test(text) && URL.canParse(text), 'is not a URL')
      .transform((text) => text.replace(/\/+$/, '')),
    help: "Only for the signer: Circle's URL. The API key selects testnets or mainnets.",
    example: 'https://api.circle.com',
  },
  FLORIN_CIRCLE_API_KEY: {
    schema: z
      .string()
      .regex(/^(TEST|LIVE)_API_KEY:[^:\s]+:[^:\s]+$/, 'is not TEST_API_KEY:ID:SECRET or LIVE_API_KEY:ID:SECRET')
      .optional(),
    help: 'Only for the signer, with wallets at Circle: the API key of your Circle account.',
    example: '',
    secret: true,
  },
  FLORIN_CIRCLE_ENTITY_SECRET: {
    schema: z
      .string()
      .regex(/^[0-9a-fA-F]{64}$/, 'is not 64 hexadecimal digits')
      .optional(),
    help: 'Only for the signer, with wallets at Circle: the entity secret that is registered at Circle. Keep a copy of it and the recovery file on another machine.',
    example: '',
    secret: true,
  },
  FLORIN_CIRCLE_WALLET_SET: {
    schema: z.guid('is not the id of a wallet set').optional(),
    help: 'Only for the signer, with wallets at Circle: the wallet set of this installation. No other installation may use it. If it is unset, the signer creates one at its first start and stores it.',
    example: '',
  },
} as const satisfies Record<string, Variable>;
