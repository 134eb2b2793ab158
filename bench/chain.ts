/**
 * Sends to addresses, from 100 wallets to 1,000 new recipients, over HTTP and through the worker to the local chain of
 * a whole sandbox. Every send has to become final, with exactly one transfer each; the gas of a payment is compared
 * with a plain `transfer` to a new recipient. Before that: how many sends a built server accepts per second, while no
 * worker runs, against pgbench. After it: the same number waits for a worker that starts (`blocks_to_mine`).
 */
import { randomBytes } from 'node:crypto';
import { encodeFunctionData, type Hex, hexToNumber, keccak256, toEventSelector } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { OPERATOR_KEY, usdcAbi } from '../sandbox/src/chain/genesis.ts';
import { measureAcceptedSends } from './support/acceptedSends.ts';
import { measureBlocksToMine } from './support/blocksToMine.ts';
import { finish } from './support/finish.ts';
import { sized } from './support/short.ts';
import { type BenchSandbox, forEachAtOnce, post, waitFor, withBenchSandbox } from './support/startBenchSandbox.ts';

const PAYMENTS = sized(1_000, 10);
const WALLETS = sized(100, 4);
const AT_ONCE = 32;
const TRANSFER = toEventSelector('Transfer(address,address,uint256)');

const randomAddress = (): Hex => `0x${randomBytes(20).toString('hex')}`;

export default async function benchChain(): Promise<void> {
  const accepted = await measureAcceptedSends();
  await withBenchSandbox(async (sandbox) => {
    const { exact, ...figures } = await run(sandbox);
    finish(
      'chain',
      { ...figures, ...accepted },
      {
        promises: {
          'every payment must be one transfer': figures.transfers === PAYMENTS,
          'every destination must have the exact amount': exact === PAYMENTS,
        },
      },
    );
  });
}

async function run(sandbox: BenchSandbox) {
  const people = await sandbox.createFunded(WALLETS, '1000');
  const plainGas = await measurePlainTransfer(sandbox);
  const fromBlock = await sandbox.rpc<Hex>('eth_blockNumber', []);
  const destinations = Array.from({ length: PAYMENTS }, randomAddress);
  const began = performance.now();
  await forEachAtOnce(destinations, AT_ONCE, async (destination, nth) => {
    await post(`${sandbox.state.web3_url}/wallet/send-usdc`, {
      destination_address: destination,
      amount: 1 + nth / 1_000_000,
      wallet_username: people[nth % WALLETS]!.username,
    });
  });
  const acceptedSeconds = (performance.now() - began) / 1000;
  await waitFor(sandbox.db, `SELECT count(*) = ${PAYMENTS} AS done FROM payments WHERE state = 'COMPLETE'`, 180_000);
  const seconds = (performance.now() - began) / 1000;
  const { transfers, carriers, gas, exact } = await countOnChain(sandbox, fromBlock, destinations);
  const mined = await measureBlocksToMine(
    sandbox,
    people.map(({ username }) => username),
  );
  const gasRatio = Number(gas) / transfers / plainGas;
  console.table([
    { what: 'accepted while the worker relays', value: `${(PAYMENTS / acceptedSeconds).toFixed(0)} sends/s` },
    { what: 'all final after', value: `${seconds.toFixed(1)} s` },
    { what: 'chain transactions', value: carriers },
    { what: 'gas per payment', value: Math.round(Number(gas) / transfers) },
    { what: 'gas of a plain transfer', value: plainGas },
    { what: 'destinations with the exact amount', value: exact },
    { what: 'blocks from the start of a worker until all waiting sends are mined', value: mined.blocks },
    { what: 'blocks from the first of them to the last', value: mined.blocksFromFirst },
  ]);
  return {
    exact,
    payments: PAYMENTS,
    transfers,
    chain_txs: carriers,
    gas_ratio: Number(gasRatio.toFixed(3)),
    accepted_rps: Math.round(PAYMENTS / acceptedSeconds),
    seconds_to_complete: Number(seconds.toFixed(1)),
    blocks_to_mine: mined.blocks,
  };
}

/** The gas of a plain transfer to a recipient without a balance, for comparison. */
async function measurePlainTransfer(sandbox: BenchSandbox): Promise<number> {
  const account = privateKeyToAccount(OPERATOR_KEY);
  const { chain_id: chainId, usdc_address: to } = sandbox.state.chains[0]!;
  await sandbox.turn('/faucet', { address: account.address, usdc: '10' });
  await sandbox.turn('/mine', {});
  const nonce = hexToNumber(await sandbox.rpc<Hex>('eth_getTransactionCount', [account.address, 'pending']));
  const args = [randomAddress(), 1_000_000n];
  const raw = await account.signTransaction({
    type: 'eip1559',
    chainId,
    nonce,
    to: to as Hex,
    data: encodeFunctionData({ abi: usdcAbi, functionName: 'transfer', args }),
    gas: 120_000n,
    maxFeePerGas: 20_000_000_000_000n,
    maxPriorityFeePerGas: 2_000_000_000n,
  });
  await sandbox.rpc('eth_sendRawTransaction', [raw]);
  await sandbox.turn('/mine', {});
  const receipt = await sandbox.rpc<{ gasUsed: Hex }>('eth_getTransactionReceipt', [keccak256(raw)]);
  return hexToNumber(receipt.gasUsed);
}

async function countOnChain(sandbox: BenchSandbox, fromBlock: Hex, destinations: readonly Hex[]) {
  const address = sandbox.state.chains[0]!.usdc_address;
  const logs = await sandbox.rpc<{ topics: Hex[]; data: Hex; transactionHash: Hex }[]>('eth_getLogs', [
    { address, fromBlock, toBlock: 'latest', topics: [TRANSFER] },
  ]);
  const wanted = new Map(destinations.map((destination, nth) => [destination, 1_000_000 + nth]));
  const paid = logs.filter((log) => wanted.has(`0x${log.topics[2]!.slice(26)}`));
  const exact = paid.filter((log) => wanted.get(`0x${log.topics[2]!.slice(26)}`) === hexToNumber(log.data)).length;
  const hashes = [...new Set(paid.map((log) => log.transactionHash))];
  let gas = 0n;
  for (const hash of hashes) {
    gas += BigInt((await sandbox.rpc<{ gasUsed: Hex }>('eth_getTransactionReceipt', [hash])).gasUsed);
  }
  return { transfers: paid.length, carriers: hashes.length, gas, exact };
}
