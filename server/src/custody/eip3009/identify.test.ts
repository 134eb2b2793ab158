import { expect, it } from 'vitest';
import type { Hex, TokenLog } from '../../core/ports.ts';
import type { Queryable } from '../../db/database.ts';
import type { NetworkAsset } from '../network.ts';
import { findSettlementId, nonceOf, settlementNonceOf, toBytes } from './authorizations.ts';
import { identify } from './identify.ts';

const ID = '7f0c3c1e-5a44-4f0e-9d57-0a5a0c1b2d3e';
const NONCE = nonceOf(ID);
const WALLET: Hex = '0x00000000000000000000000000000000000000A1';
const OTHER: Hex = '0x00000000000000000000000000000000000000b2';

const move = { moveId: ID, purpose: 'send', amount: 5n, to: OTHER, state: 'open' };
const ASSET = { assetId: 1 } as NetworkAsset;
/** One authorization, from `WALLET`. */
const db = { query: async () => [{ ...move, nonce: toBytes(NONCE), authorizer: WALLET }] } as unknown as Queryable;

const place = (logIndex: number) =>
  ({ token: OTHER, blockNumber: 9n, blockHash: '0xb', txHash: '0xc', logIndex }) as const;
const used = (logIndex: number, authorizer = WALLET): TokenLog => ({
  kind: 'used',
  authorizer,
  nonce: NONCE,
  ...place(logIndex),
});
const transfer = (logIndex: number, from = WALLET): TokenLog => ({
  kind: 'transfer',
  from,
  to: OTHER,
  amount: 5n,
  ...place(logIndex),
});
const placesOf = async (...logs: TokenLog[]) => [...(await identify(db, ASSET, logs)).yes.keys()];

it('finds the transfer of an authorization, also where the chain itself logs something between them', async () => {
  expect(await placesOf(used(3), transfer(4))).toEqual(['0xb:4']);
  // On Arc a system address, which is not a token, logs the transfer of the native coin between them.
  expect(await placesOf(used(3), transfer(5))).toEqual(['0xb:5']);
});

it('takes only the next transfer of the token, only from the same wallet, only in the same chain transaction', async () => {
  expect(await placesOf(used(3), transfer(4), transfer(5))).toEqual(['0xb:4']);
  expect(await placesOf(transfer(2), used(3))).toEqual([]);
  expect(await placesOf(used(3), transfer(4, OTHER), transfer(5))).toEqual([]);
  expect(await placesOf(used(3), { ...transfer(5), txHash: '0xd' })).toEqual([]);
});

it('does not take another wallet’s authorization with the same nonce for ours', async () => {
  expect(await placesOf(used(3, OTHER), transfer(4, OTHER))).toEqual([]);
  const { canceled } = await identify(db, ASSET, [{ ...used(3, OTHER), kind: 'canceled' } as TokenLog]);
  expect(canceled).toEqual([]);
});

it('M31: does not take a transfer of another amount or to another address for ours, under the same nonce', async () => {
  expect(await placesOf(used(3), { ...transfer(4), amount: 4n } as TokenLog)).toEqual([]);
  expect(await placesOf(used(3), { ...transfer(4), to: WALLET } as TokenLog)).toEqual([]);
});

it('reads the move back from a settlement’s nonce, and from no other', () => {
  expect(findSettlementId(settlementNonceOf(ID))).toBe(ID);
  expect(findSettlementId(NONCE)).toBeUndefined();
});
