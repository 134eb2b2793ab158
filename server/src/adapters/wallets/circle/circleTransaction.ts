import { formatUnits } from 'viem/utils';
import { z } from 'zod';
import { familyOf, readAddressOf, readHash } from '../../../core/families.ts';
import type { ProviderAnswer } from '../../../core/ports.ts';
import type { ProviderTransfer } from '../../../core/providerSays.ts';
import type { TransferRequest } from '../../../core/providers.ts';
import { CircleFault } from './circleFault.ts';
import { readState } from './circleStates.ts';

export const DECIMALS = 6;
const text = z.string().nullish();

/** The fields that we use of Circle's report about a transfer that we requested. */
export const transaction = z.object({
  id: z.guid(),
  state: z.string(),
  destinationAddress: text,
  amounts: z.array(z.string()).nullish(),
  refId: text,
  txHash: text,
  errorReason: text,
});
export type Transaction = z.infer<typeof transaction>;

type Described = Pick<Transaction, 'id' | 'state'> & Partial<Transaction>;

export function describeTransfer({
  id,
  state,
  txHash,
  errorReason,
}: Described): ProviderAnswer<ProviderTransfer, string> {
  const known = readState(state, errorReason ?? undefined);
  if (!known) return { outcome: 'unknown', cause: new CircleFault(`Circle reported an unknown state: ${state}`) };
  return { outcome: 'accepted', providerId: id, txHash: readHash(txHash ?? ''), ...known };
}

/**
 * Returns the canonical text of an address. Circle writes 0x addresses in lower case, and case matters only on Solana.
 */
export function writeAddress(blockchain: string, address: string): string | undefined {
  const family = familyOf(blockchain);
  return family === 'evm' ? address.toLowerCase() : readAddressOf(family, address);
}

/** A transfer that operators adopt may have lost its `refId`. All other fields must match. */
export function isOf({ destinationAddress, amounts, refId }: Transaction, request: TransferRequest): boolean {
  const [amount = ''] = amounts ?? [];
  const write = (address: string) => writeAddress(request.blockchain, address);
  return (
    (!refId || refId === request.key) &&
    write(destinationAddress ?? '') === write(request.to) &&
    amount.replace(/(\.\d*?)0+$/, '$1').replace(/\.$/, '') === formatUnits(request.amount, DECIMALS)
  );
}

/** A field that Circle leaves out does not count as a difference. */
export const isAnother = (one: Transaction, request: TransferRequest): boolean =>
  !isOf(
    {
      ...one,
      destinationAddress: one.destinationAddress || request.to,
      amounts: one.amounts?.length ? one.amounts : [formatUnits(request.amount, DECIMALS)],
    },
    request,
  );
