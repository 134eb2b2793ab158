import { createHash } from 'node:crypto';
import type { Hex } from '../../core/ports.ts';
import type { NetworkAsset } from '../network.ts';
import type { SeenTransfer } from '../watch/matchLogs.ts';

interface ReportedTransfer {
  readonly providerId: string;
  readonly txHash: string;
  readonly from: string;
  readonly to: string;
  readonly amount: bigint;
}

/**
 * Converts a transfer that a provider reported to the form in which chain transfers are applied. It is in no block; the
 * provider's id takes the place of the block hash, so that it can be found there.
 */
export function toSeen(asset: NetworkAsset, { providerId, txHash, from, to, amount }: ReportedTransfer): SeenTransfer {
  return {
    log: {
      kind: 'transfer',
      token: asset.contract,
      blockNumber: 0n,
      blockHash: providerId as Hex,
      txHash: txHash as Hex,
      logIndex: 0,
      from: from as Hex,
      to: to as Hex,
      amount,
    },
    fromWallet: undefined,
    toWallet: undefined,
    move: undefined,
    isHeld: false,
    ordinal: ordinalOf(providerId),
  };
}

/**
 * Several transfers in one chain transaction are distinguished by the provider's id, in whatever order they are
 * reported.
 */
const ordinalOf = (providerId: string): number =>
  createHash('sha256').update(providerId).digest().readUInt32BE() & 0x7fff_ffff;
