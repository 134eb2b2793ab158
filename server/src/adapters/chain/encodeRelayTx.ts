import { encodeFunctionData } from 'viem/utils';
import type { ContractCall, Hex, SignedAuthorization } from '../../core/ports.ts';
import { MULTICALL } from './blockchains.ts';
import { multicallAbi, usdcAbi } from './usdcAbi.ts';

/**
 * Encodes the token call that executes an authorization. Any sender may make it; the token executes it at most once.
 */
export function encodeTransfer(contract: Hex, authorization: SignedAuthorization): ContractCall {
  const { from, to, amount, validAfterSeconds, validBeforeSeconds, nonce, signature } = authorization;
  const data = encodeFunctionData({
    abi: usdcAbi,
    functionName: 'transferWithAuthorization',
    args: [from, to, amount, validAfterSeconds, validBeforeSeconds, nonce, ...splitSignature(signature)],
  });
  return { to: contract, data };
}

export function encodeCancellation(contract: Hex, authorizer: Hex, nonce: Hex, signature: Hex): ContractCall {
  const args = [authorizer, nonce, ...splitSignature(signature)] as const;
  return { to: contract, data: encodeFunctionData({ abi: usdcAbi, functionName: 'cancelAuthorization', args }) };
}

/**
 * A single call is made directly. Several calls go through Multicall3, where a failing call does not stop the others.
 */
export function encodeRelayTx(calls: readonly ContractCall[]): ContractCall {
  const [first] = calls;
  if (!first) throw new TypeError('a relay transaction needs at least one call');
  return calls.length === 1 ? first : encodeAggregate(calls);
}

export function encodeAggregate(calls: readonly ContractCall[]): ContractCall {
  const inner = calls.map(({ to, data }) => ({ target: to, allowFailure: true, callData: data }));
  return { to: MULTICALL, data: encodeFunctionData({ abi: multicallAbi, functionName: 'aggregate3', args: [inner] }) };
}

/** v, r and s. Some signers write v as 0 or 1. */
function splitSignature(signature: Hex): readonly [number, Hex, Hex] {
  const [, r, s, v] = /^0x([0-9a-f]{64})([0-9a-f]{64})(00|01|1b|1c)$/i.exec(signature) ?? [];
  if (!r || !s || !v) throw new TypeError('a signature has 65 bytes: r, s and v');
  return [27 + (Number.parseInt(v, 16) % 27), `0x${r}`, `0x${s}`];
}
