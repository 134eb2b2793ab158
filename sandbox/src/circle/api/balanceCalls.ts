import { encodeFunctionData, formatUnits, getAddress, type Hex, hexToBigInt } from 'viem';
import { usdcAbi } from '../../chain/genesis.ts';
import type { Double } from '../double.ts';
import { isSameAddress } from '../keys.ts';
import { receiveOffChain } from '../offChain.ts';
import { stamp, type Wallet } from '../records.ts';
import { findToken, renderToken, type Token, tokensOf } from '../tokens.ts';
import { type Call, getText } from './call.ts';
import { listPage } from './listing.ts';
import { getId, invalid, Refusal } from './refusal.ts';
import { renderWallet } from './renderRecords.ts';
import { findWallets, getWallet } from './walletCalls.ts';

/** In the token's smallest unit: from the chain, or from our own records if no such chain runs here. */
export async function readBalance({ chains, store }: Double, wallet: Wallet, token: Token): Promise<bigint> {
  const chain = chains.get(wallet.blockchain);
  if (!chain) return BigInt(store.coins.find(wallet.id)?.[token.isNative ? 'native' : 'usdc'] ?? 0);
  if (token.isNative) return hexToBigInt(await chain.call<Hex>('eth_getBalance', [wallet.address, 'latest']));
  const data = encodeFunctionData({ abi: usdcAbi, functionName: 'balanceOf', args: [getAddress(wallet.address)] });
  return hexToBigInt(await chain.call<Hex>('eth_call', [{ to: chain.usdc, data }, 'latest']));
}

interface Balance {
  readonly amount: string;
  readonly token: ReturnType<typeof renderToken>;
  readonly updateDate: string;
}

/** Only tokens with coins; `includeAll` shows the others too. */
export async function readBalances(double: Double, wallet: Wallet, query: URLSearchParams): Promise<Balance[]> {
  const addresses = query.get('tokenAddress')?.split(',');
  const wanted = tokensOf(double, wallet.blockchain).filter(
    (token) =>
      // The gas of a smart contract account belongs to the sponsor and is not part of its balance.
      !(token.isNative && wallet.accountType === 'SCA') &&
      (query.get('name') === null || token.name === query.get('name')) &&
      (query.get('standard') === null || token.standard === query.get('standard')) &&
      (addresses?.some((one) => isSameAddress(one, token.tokenAddress ?? '')) ?? true),
  );
  const balances = await Promise.all(
    wanted.map(async (token) => ({ token, amount: await readBalance(double, wallet, token) })),
  );
  return balances
    .filter(({ amount }) => amount > 0n || query.get('includeAll') === 'true')
    .map(({ token, amount }) => ({
      amount: formatUnits(amount, token.decimals),
      token: renderToken(token),
      updateDate: stamp(),
    }));
}

export const listTokenBalances = async (double: Double, call: Call) => ({
  tokenBalances: await readBalances(double, getWallet(double, call.ids[0]), call.query),
});

export async function listWalletsWithBalances(double: Double, call: Call) {
  if (call.query.get('blockchain') === null) throw invalid('blockchain', 'is required');
  const page = listPage(findWallets(double, call), call);
  const wallets = page.map(async (wallet) => ({
    ...renderWallet(wallet),
    tokenBalances: await readBalances(double, wallet, call.query),
  }));
  const least = Number(call.query.get('amount__gte') ?? 0);
  const found = await Promise.all(wallets);
  return {
    wallets: found.filter(
      ({ tokenBalances }) => least === 0 || tokenBalances.some(({ amount }) => Number(amount) >= least),
    ),
  };
}

export function readToken(double: Double, call: Call) {
  const id = getId(call.ids[0]);
  const found = findToken(double, id);
  if (!found) throw new Refusal(404, 156002, 'Cannot find target token in the system.');
  return { token: renderToken(found) };
}

const DRIP_USDC = '10';
const DRIP_NATIVE = '0.1';

/** The faucet for testnets: the local chain's own faucet, or new coins if no such chain runs here. */
export async function requestCoins(double: Double, call: Call): Promise<undefined> {
  const [address, blockchain] = [getText(call, 'address'), getText(call, 'blockchain')];
  const wanted = {
    ...(call.body.usdc === true && { usdc: DRIP_USDC }),
    ...(call.body.native === true && { eth: DRIP_NATIVE }),
  };
  const chain = double.chains.get(blockchain);
  if (chain) await chain.give(address, wanted);
  else {
    const wallet = double.store.wallets
      .list()
      .find((one) => one.blockchain === blockchain && isSameAddress(one.address, address));
    if (!wallet) throw new Refusal(404, 156001, 'Cannot find target wallet in the system.');
    for (const token of tokensOf(double, blockchain)) {
      const amount = token.isNative ? wanted.eth && DRIP_NATIVE : wanted.usdc;
      if (amount) receiveOffChain(double, wallet, token, amount, 'faucet');
    }
  }
  return undefined;
}
