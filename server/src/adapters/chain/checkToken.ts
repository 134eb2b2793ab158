import { decodeFunctionResult, encodeFunctionData, hashStruct, hexToNumber } from 'viem/utils';
import type { Hex, Token, TokenDomain } from '../../core/ports.ts';
import { usdcAbi } from './usdcAbi.ts';

interface ExpectedToken {
  readonly blockchain: string;
  readonly chainId: number;
  readonly token: Token;
}

/** The node's answer does not match the configuration. */
export class WrongToken extends Error {}

/** Runs before the first signature: with the wrong chain, decimals or domain, signatures or amounts would be wrong. */
export async function checkToken(
  { blockchain, chainId, token: { symbol, decimals, contract } }: ExpectedToken,
  call: <Result>(method: string, params: readonly unknown[]) => Promise<Result>,
): Promise<TokenDomain> {
  const id = hexToNumber(await call<Hex>('eth_chainId', []));
  if (id !== chainId) throw new WrongToken(`${blockchain}: the node serves chain ${id}, not ${chainId}`);
  const read = async (functionName: 'name' | 'decimals' | 'DOMAIN_SEPARATOR') => {
    const data = await call<Hex>('eth_call', [
      { to: contract, data: encodeFunctionData({ abi: usdcAbi, functionName }) },
      'latest',
    ]);
    if (data === '0x') throw new WrongToken(`${blockchain}: there is no ${symbol} contract at ${contract}`);
    return decodeFunctionResult({ abi: usdcAbi, functionName, data });
  };
  const found = await read('decimals');
  if (found !== decimals) {
    throw new WrongToken(`${blockchain}: the token at ${contract} has ${found} decimals, not ${decimals}`);
  }
  const domain: TokenDomain = {
    name: String(await read('name')),
    version: '2',
    chainId,
    verifyingContract: contract,
  };
  const separator = hashStruct({
    data: { ...domain, chainId: BigInt(chainId) },
    primaryType: 'EIP712Domain',
    types: {
      EIP712Domain: [
        { name: 'name', type: 'string' },
        { name: 'version', type: 'string' },
        { name: 'chainId', type: 'uint256' },
        { name: 'verifyingContract', type: 'address' },
      ],
    },
  });
  if ((await read('DOMAIN_SEPARATOR')) !== separator) {
    throw new WrongToken(
      `${blockchain}: the domain separator of ${contract} is not that of "${domain.name}" version 2`,
    );
  }
  return domain;
}
