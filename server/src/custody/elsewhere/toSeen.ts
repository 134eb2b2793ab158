import { createHash } from 'node:crypto';
import type { Hex } from '../../core/ports.ts';
import type { NetworkAsset } from '../network.ts';
import type { SeenTransfer } from '../watch/matchLogs.ts';

interface Told {
  readonly providerId: string;
  readonly txHash: string;
  readonly from: string;
  readonly to: string;
  readonly amount: bigint;
}

/**
 * A transfer that a provider tells of, in the form in which those of chains are applied. It stands in no block; the
 * provider's id is in the place of one, for whoever looks for it there.
 */
export function toSeen(asset: NetworkAsset, { providerId, txHash, from, to, amount }: Told): SeenTransfer {
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

/** Several in one chain transaction are told apart by the provider's id, whatever order it tells them in. */
const ordinalOf = (providerId: string): number =>
  createHash('sha256').update(providerId).digest().readUInt32BE() & 0x7fff_ffff;
