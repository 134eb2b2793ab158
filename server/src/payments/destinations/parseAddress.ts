import { getAddress } from 'viem/utils';
import { PayError } from '../../core/errors.ts';
import type { Hex } from '../../core/ports.ts';

/**
 * An EVM address in its checksummed form. In mixed case, the letters are a checksum (EIP-55) and must be right; all
 * lower or all upper case carries no checksum.
 */
export function parseAddress(text: string): Hex {
  const digits = /^0x([0-9a-fA-F]{40})$/.exec(text)?.[1];
  if (digits === undefined) throw new PayError('address.invalid', { reason: 'form' });
  const address = getAddress(`0x${digits.toLowerCase()}`);
  const isMixed = digits !== digits.toLowerCase() && digits !== digits.toUpperCase();
  if (isMixed && address !== text) throw new PayError('address.invalid', { reason: 'checksum' });
  return address;
}
