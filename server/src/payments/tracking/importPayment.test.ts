import { expect, it } from 'vitest';
import type { UnexplainedMove } from '../../custody/watch/unexplainedMoves.ts';
import { importedId } from './importPayment.ts';

it('imports the same chain transaction of two chains as two payments, and the same move always as the same', () => {
  const move: UnexplainedMove = {
    assetId: 1,
    txHash: `0x${'ab'.repeat(32)}`,
    logIndex: 3,
    walletId: '00000000-0000-4000-8000-000000000001',
    toAddress: `0x${'cd'.repeat(20)}`,
    amount: 5_000_000n,
    blockNumber: 7n,
    toWallet: null,
    hasNonce: false,
    isSettlement: false,
    providerKey: null,
    importedAs: null,
  };
  expect(importedId({ ...move, blockNumber: 9n })).toBe(importedId(move));
  expect(importedId({ ...move, assetId: 2 })).not.toBe(importedId(move));
  expect(importedId({ ...move, logIndex: 4 })).not.toBe(importedId(move));
});
