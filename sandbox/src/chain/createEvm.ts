import * as edr from '@nomicfoundation/edr';
import { type Hex, hexToBytes } from 'viem';
import { privateKeyToAddress } from 'viem/accounts';
import { type ChainParameters, contractsOf, OPERATOR_KEY } from './genesis.ts';

/** A JSON-RPC error that the EVM answered. */
export class RpcError extends Error {
  readonly code: number;
  readonly data: unknown;
  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.name = 'RpcError';
    this.code = code;
    this.data = data;
  }
}

export type Evm = <Result>(method: string, params?: readonly unknown[]) => Promise<Result>;

/** Fixed, so that replaying the same calls gives the same block hashes. */
const GENESIS_SECONDS = 1_700_000_000n;
export const BLOCK_GAS_LIMIT = 60_000_000n;

let context: Promise<edr.EdrContext> | undefined;

/** The library allows one context per process. */
function getContext(): Promise<edr.EdrContext> {
  context ??= (async () => {
    const made = new edr.EdrContext();
    await made.registerProviderFactory(edr.L1_CHAIN_TYPE, edr.l1ProviderFactory());
    return made;
  })();
  return context;
}

/** A new EVM at its genesis block. It mines only on request. */
export async function createEvm(place: ChainParameters): Promise<Evm> {
  const hardfork = edr.OSAKA;
  const provider = await (await getContext()).createProvider(
    edr.L1_CHAIN_TYPE,
    {
      allowBlocksWithSameTimestamp: false,
      allowUnlimitedContractSize: false,
      bailOnCallFailure: true,
      bailOnTransactionFailure: false,
      blockGasLimit: BLOCK_GAS_LIMIT,
      chainId: BigInt(place.chainId),
      networkId: BigInt(place.chainId),
      coinbase: new Uint8Array(20).fill(0xc0),
      genesisState: [
        ...edr.l1GenesisState(edr.l1HardforkFromString(hardfork)),
        { address: hexToBytes(privateKeyToAddress(OPERATOR_KEY)), balance: 10n ** 27n },
        ...contractsOf(place).map(({ address, code }) => ({
          address: hexToBytes(address),
          code: hexToBytes(code as Hex),
        })),
      ],
      hardfork,
      initialBaseFeePerGas: 1_000_000_000n,
      initialBlobGas: { gasUsed: 0n, excessGas: 0n },
      initialDate: GENESIS_SECONDS,
      initialParentBeaconBlockRoot: new Uint8Array(32),
      minGasPrice: 0n,
      mining: { autoMine: false, memPool: { order: 'Priority' as edr.MineOrdering } },
      observability: {},
      ownedAccounts: [],
      precompileOverrides: [],
    },
    { enable: false, decodeConsoleLogInputsCallback: () => [], printLineCallback: () => {} },
    { subscriptionCallback: () => {} },
    new edr.ContractDecoder(),
  );
  return async (method, params = []) => {
    const { data } = await provider.handleRequest(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }));
    const answer = typeof data === 'string' ? JSON.parse(data) : data;
    if (answer.error) throw new RpcError(answer.error.code, answer.error.message, answer.error.data);
    return answer.result;
  };
}
