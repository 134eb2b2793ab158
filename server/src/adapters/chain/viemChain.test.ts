/** Tests the port `Chain` on a real EVM with real blocks, with a token that replaces USDC. */
import { encodeFunctionData, keccak256, parseSignature, stringToHex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { usdcAbi as tokenAbi } from '../../../../sandbox/src/chain/genesis.ts';
import type { LocalChain } from '../../../../sandbox/src/chain/openLocalChain.ts';
import { type Operator, operateToken } from '../../../../sandbox/src/chain/operateToken.ts';
import { accepted } from '../../../../test/support/chain/accepted.ts';
import { Refusal, serveLiar } from '../../../../test/support/chain/serveLiar.ts';
import { PLACE, type ServedTestChain, serveTestChain } from '../../../../test/support/chain/serveTestChain.ts';
import type { Chain, Hex, ProviderWallet, SignedAuthorization, TokenDomain } from '../../core/ports.ts';
import { localWallets } from '../wallets/local/localWallets.ts';
import { encodeCancellation, encodeRelayTx, encodeTransfer } from './encodeRelayTx.ts';
import { type ChainConfig, viemChain } from './viemChain.ts';

const wallets = localWallets(Buffer.alloc(64, 9));
const payee = '0x00000000000000000000000000000000000A11cE' as const;
const nonceOf = (word: string) => keccak256(stringToHex(word));

let local: LocalChain;
let served: ServedTestChain;
let operator: Operator;
let config: ChainConfig;
let chain: Chain;
let domain: TokenDomain;
let alice: ProviderWallet;
let relayer: ProviderWallet;

beforeAll(async () => {
  served = await serveTestChain();
  ({ local, config } = served);
  operator = operateToken(local);
  chain = viemChain(config);
  alice = await wallets.create({ kind: 'user', issuer: 'test', subject: 'alice' });
  relayer = await wallets.create({ kind: 'relayer', number: 0 });
  await operator.mint(alice.address, 1_000_000_000n);
  await operator.sendGas(relayer.address, 10n ** 20n);
  await local.mine({ count: 5 });
  domain = (await chain.check())[0]!;
});
beforeEach(async () => {
  await fetch(`${served.url}/faults`, { method: 'DELETE' });
  // A fresh adapter for every test, because an adapter skips an endpoint for a while after it failed.
  chain = viemChain(config);
});
afterAll(() => served.close());

const fault = (body: unknown) => fetch(`${served.url}/faults`, { method: 'POST', body: JSON.stringify(body) });

async function authorize(word: string, amount = 1_000_000n, to: Hex = payee): Promise<SignedAuthorization> {
  const { timeSeconds } = await chain.getHead();
  const authorization = {
    from: alice.address,
    to,
    amount,
    validAfterSeconds: 0n,
    validBeforeSeconds: timeSeconds + 600n,
    nonce: nonceOf(word),
  };
  const { signature } = accepted(await wallets.signAuthorization(alice.reference, domain, authorization));
  return { ...authorization, signature };
}

async function carry(calls: Parameters<typeof encodeRelayTx>[0], gasLimit = 1_000_000n) {
  const fees = await chain.getFees();
  const nonce = await chain.getNonce(relayer.address, 'latest');
  const { to, data } = encodeRelayTx(calls);
  const relayTx = { chainId: PLACE.chainId, nonce, to, data, gasLimit, ...fees };
  return accepted(await wallets.signRelayTx(relayer.reference, relayTx));
}

async function carryAndMine(calls: Parameters<typeof encodeRelayTx>[0]) {
  const { raw, hash } = await carry(calls);
  expect(await chain.broadcast(raw)).toEqual({ outcome: 'accepted' });
  await local.mine();
  return (await chain.findReceipt(hash))!;
}

describe('check', () => {
  it('reads the domain and refuses any other token', async () => {
    expect(domain).toEqual({ name: 'USDC', version: '2', chainId: 31_337, verifyingContract: PLACE.usdc });
    await expect(viemChain({ ...config, chainId: 1 }).check()).rejects.toThrow('the node serves chain 31337, not 1');
    await expect(
      viemChain({ ...config, tokens: [{ symbol: 'USDC', decimals: 6, contract: payee }] }).check(),
    ).rejects.toThrow('no USDC contract');
    const feed = viemChain({ ...config, tokens: [{ symbol: 'USDC', decimals: 6, contract: PLACE.feeds['ETH/USD'] }] });
    await expect(feed.check()).rejects.toThrow('has 8 decimals, not 6');
  });
});

describe('a node without the state of final blocks', () => {
  it('is named as soon as the chain is checked, without its URL', async () => {
    const pruned = await serveLiar(served.url);
    pruned.lie = ({ method, params }, truth) => {
      if (method !== 'eth_call' || params[1] === 'latest') return truth;
      throw new Refusal(-32000, 'missing trie node ef7df5d8 (path )');
    };
    try {
      const asked = viemChain({ ...config, rpcUrls: [pruned.url] });
      expect(await asked.check()).toEqual([domain]);
      expect(asked.nodes()).toMatchObject([
        { host: pruned.host, fault: { kind: 'no state', about: 'the state of the final block' } },
      ]);
      const read = asked.readBalances(PLACE.usdc, [alice.address], await chain.getFinalized());
      await expect(read).rejects.toMatchObject({ code: 'service.unavailable' });
    } finally {
      pruned.close();
    }
  });
});

describe('blocks', () => {
  it('returns the head, the finalized block by tag or by count, and any block by number or hash', async () => {
    const head = await chain.getHead();
    expect(Number(head.number)).toBe(local.head);
    expect((await chain.getFinalized()).number).toBe(head.number - 3n);
    const counting = viemChain({ ...config, finality: { kind: 'blocks', blocks: 2 } });
    expect((await counting.getFinalized()).number).toBe(head.number - 2n);
    expect(await chain.findBlock(head.number)).toEqual(head);
    expect(await chain.findBlock(head.hash)).toEqual(head);
    expect(await chain.findBlock(head.number + 50n)).toBeUndefined();
    expect(await chain.findBlock(nonceOf('no block'))).toBeUndefined();
  });
});

describe('an authorization', () => {
  it('is executed by its own relay transaction, and the logs show it', async () => {
    const before = await chain.getHead();
    const authorization = await authorize('alone', 2_500_000n);
    const receipt = await carryAndMine([encodeTransfer(PLACE.usdc, authorization)]);
    const head = await chain.getHead();
    expect(receipt).toMatchObject({ isSuccess: true, blockHash: head.hash });
    expect(receipt.feeWei).toBeGreaterThan(0n);
    const range = { from: before.number + 1n, to: head };
    const logs = await chain.listTokenLogs({ ...range, wallets: [alice.address] });
    expect(logs).toEqual(receipt.logs);
    expect(logs).toMatchObject([
      { kind: 'used', authorizer: alice.address, nonce: authorization.nonce },
      { kind: 'transfer', from: alice.address, to: payee, amount: 2_500_000n },
    ]);
    expect(await chain.listBlockLogs(head, [alice.address])).toEqual(logs);
    expect(await chain.listBlockLogs(head, 'all')).toEqual(logs);
    expect(await chain.listBlockLogs(before, 'all')).toEqual([]);
    expect(await chain.listTokenLogs({ ...range, wallets: 'all' })).toEqual(logs);
    const { nonce } = authorization;
    expect(await chain.findAuthorizationLog({ ...range, token: PLACE.usdc, authorizer: alice.address, nonce })).toEqual(
      logs[0],
    );
    const one = [{ authorizer: alice.address, nonce }];
    expect(await chain.readAuthorizationStates(PLACE.usdc, one, head)).toEqual([true]);
    expect(await chain.readAuthorizationStates(PLACE.usdc, one, before)).toEqual([false]);
    const balances = await Promise.all(
      [before, head].map((at) => chain.readBalances(PLACE.usdc, [alice.address, payee], at)),
    );
    expect(balances[1]![1]! - balances[0]![1]!).toBe(2_500_000n);
  });

  it('that fails in a multicall does not stop the others', async () => {
    const used = await authorize('alone');
    const overdrawn = await authorize('overdrawn', 10n ** 15n);
    const good = await Promise.all(['a', 'b', 'c'].map((word) => authorize(word)));
    const receipt = await carryAndMine(
      [used, good[0]!, overdrawn, good[1]!, good[2]!].map((one) => encodeTransfer(PLACE.usdc, one)),
    );
    expect(receipt.isSuccess).toBe(true);
    expect(receipt.logs.flatMap((log) => (log.kind === 'used' ? log.nonce : []))).toEqual(good.map((one) => one.nonce));
  });

  it('that was cancelled can never be used', async () => {
    const authorization = await authorize('cancelled');
    const { nonce } = authorization;
    const { signature } = accepted(await wallets.signCancellation(alice.reference, domain, alice.address, nonce));
    const receipt = await carryAndMine([encodeCancellation(PLACE.usdc, alice.address, nonce, signature)]);
    expect(receipt.logs).toMatchObject([{ kind: 'canceled', authorizer: alice.address, nonce }]);
    expect((await carryAndMine([encodeTransfer(PLACE.usdc, authorization)])).isSuccess).toBe(false);
  });

  it('is signed only by the wallet it names', async () => {
    const { signature, ...authorization } = await authorize('whose');
    await expect(wallets.signAuthorization(relayer.reference, domain, authorization)).rejects.toThrow(
      'not from the wallet',
    );
    expect(signature).toMatch(/^0x[0-9a-f]{130}$/);
  });
});

describe('the token', () => {
  const simulate = (functionName: string, args: readonly unknown[], from: Hex = relayer.address) =>
    local
      .read('eth_call', [
        { from, to: PLACE.usdc, data: encodeFunctionData({ abi: tokenAbi, functionName, args }) },
        'pending',
      ])
      .then(() => 'ok')
      .catch((error: Error) => /reason string '(.*)'$/.exec(error.message)?.[1] ?? error.message);
  const asArgs = (one: SignedAuthorization) => [
    one.from,
    one.to,
    one.amount,
    one.validAfterSeconds,
    one.validBeforeSeconds,
    one.nonce,
  ];

  it('refuses with the messages of FiatTokenV2_2', async () => {
    const run = async (change: Partial<SignedAuthorization>, base?: SignedAuthorization) => {
      const one = { ...(base ?? (await authorize('words'))), ...change };
      return simulate('transferWithAuthorization', [...asArgs(one), one.signature]);
    };
    const { timeSeconds } = await chain.getHead();
    expect(await run({})).toBe('ok');
    expect(await run({ amount: 2n })).toBe('FiatTokenV2: invalid signature');
    expect(await run({ validBeforeSeconds: timeSeconds })).toBe('FiatTokenV2: authorization is expired');
    expect(await run({ validAfterSeconds: timeSeconds + 9_999n })).toBe('FiatTokenV2: authorization is not yet valid');
    expect(await run({ nonce: nonceOf('alone') })).toBe('FiatTokenV2: authorization is used or canceled');
    expect(await run({ signature: '0x12' })).toBe('ECRecover: invalid signature length');
    expect(await run({}, await authorize('rich', 10n ** 15n))).toBe('ERC20: transfer amount exceeds balance');
    expect(await run({}, await authorize('self', 1n, PLACE.usdc))).toBe('Blacklistable: account is blacklisted');
    const zero = await authorize('zero', 1n, '0x0000000000000000000000000000000000000000');
    expect(await run({}, zero)).toBe('ERC20: transfer to the zero address');
    const one = await authorize('payee');
    expect(await simulate('receiveWithAuthorization', [...asArgs(one), one.signature])).toBe(
      'FiatTokenV2: caller must be the payee',
    );
    expect(await simulate('transferFrom', [alice.address, payee, 1n])).toBe('ERC20: transfer amount exceeds allowance');
    expect(await simulate('mint', [payee, 1n])).toBe('FiatToken: caller is not a minter');
  });

  it('accepts both forms of signature, the payee as caller, and permits', async () => {
    const one = await authorize('forms');
    const { r, s, yParity } = parseSignature(one.signature);
    expect(await simulate('transferWithAuthorization', [...asArgs(one), 27 + yParity, r, s])).toBe('ok');

    const holder = privateKeyToAccount(nonceOf('holder'));
    const received = { ...one, from: holder.address, amount: 0n };
    const receipt = await holder.signTypedData({
      domain,
      types: {
        ReceiveWithAuthorization: [
          { name: 'from', type: 'address' },
          { name: 'to', type: 'address' },
          { name: 'value', type: 'uint256' },
          { name: 'validAfter', type: 'uint256' },
          { name: 'validBefore', type: 'uint256' },
          { name: 'nonce', type: 'bytes32' },
        ],
      },
      primaryType: 'ReceiveWithAuthorization',
      message: { ...received, value: 0n, validAfter: 0n, validBefore: one.validBeforeSeconds },
    });
    expect(await simulate('receiveWithAuthorization', [...asArgs(received), receipt], payee)).toBe('ok');

    const deadline = 2n ** 256n - 1n;
    const permit = await holder.signTypedData({
      domain,
      types: {
        Permit: [
          { name: 'owner', type: 'address' },
          { name: 'spender', type: 'address' },
          { name: 'value', type: 'uint256' },
          { name: 'nonce', type: 'uint256' },
          { name: 'deadline', type: 'uint256' },
        ],
      },
      primaryType: 'Permit',
      message: { owner: holder.address, spender: payee, value: 5n, nonce: 0n, deadline },
    });
    const allow = (amount: bigint, until: bigint) => simulate('permit', [holder.address, payee, amount, until, permit]);
    expect(await allow(5n, deadline)).toBe('ok');
    expect(await allow(6n, deadline)).toBe('EIP2612: invalid signature');
    expect(await allow(5n, 1n)).toBe('FiatTokenV2: permit is expired');
  });

  it('reports whether it is paused and which addresses it has blacklisted', async () => {
    expect(await chain.readRefusals(PLACE.usdc, [payee, PLACE.usdc])).toEqual({
      isPaused: false,
      blacklisted: [false, true],
    });
    await operator.setBlacklisted(payee, true);
    await operator.setPaused(true);
    await local.mine();
    expect(await chain.readRefusals(PLACE.usdc, [payee, alice.address])).toEqual({
      isPaused: true,
      blacklisted: [true, false],
    });
    expect(await simulate('transfer', [relayer.address, 0n])).toBe('Pausable: paused');
    await operator.setPaused(false);
    await operator.setBlacklisted(payee, false);
    await local.mine();
  });
});

describe('a broadcast', () => {
  it('is accepted again when the pool has it, and rejected with a reason when its nonce is taken', async () => {
    const first = await carry([encodeTransfer(PLACE.usdc, await authorize('taken'))]);
    expect(await chain.broadcast(first.raw)).toEqual({ outcome: 'accepted' });
    expect(await chain.broadcast(first.raw)).toEqual({ outcome: 'accepted' });
    const rival = await carry([encodeTransfer(PLACE.usdc, await authorize('rival'))]);
    expect(await chain.broadcast(rival.raw)).toMatchObject({ outcome: 'rejected', reason: 'replacement_underpriced' });
    expect(await chain.findChainTx(first.hash)).toMatchObject({ from: relayer.address, blockHash: undefined });
    await local.mine();
    expect(await chain.broadcast(rival.raw)).toMatchObject({ outcome: 'rejected', reason: 'nonce_too_low' });
    expect(await chain.findChainTx(first.hash)).toMatchObject({ blockNumber: BigInt(local.head) });
    expect([await chain.findChainTx(rival.hash), await chain.findReceipt(rival.hash)]).toEqual([undefined, undefined]);
  });

  it('whose answer is lost is unknown; the same bytes again are accepted', async () => {
    const { raw, hash } = await carry([encodeTransfer(PLACE.usdc, await authorize('lost'))]);
    await fault({ broadcast: { kind: 'lose_answer' } });
    expect(await chain.broadcast(raw)).toMatchObject({ outcome: 'unknown' });
    expect(await chain.broadcast(raw)).toEqual({ outcome: 'accepted' });
    await local.mine();
    expect((await chain.findReceipt(hash))?.isSuccess).toBe(true);
  });
});

describe('nodes that fail', () => {
  it('are replaced by others for estimates; when all fail the call is unavailable and the error shows no URL', async () => {
    const dead = 'http://127.0.0.1:9/key-in-the-path';
    const two = viemChain({ ...config, rpcUrls: [dead, served.url] });
    expect((await two.getHead()).number).toBe(BigInt(local.head));
    expect((await two.getFees()).baseFeePerGas).toBeGreaterThan(0n);
    await expect(two.getFinalized()).rejects.toMatchObject({ code: 'service.unavailable' });
    expect(two.nodes()).toMatchObject([
      { host: '127.0.0.1:9', fault: { kind: 'silent' } },
      { host: new URL(served.url).host },
    ]);
    const none = viemChain({ ...config, rpcUrls: [dead] });
    const error = await none.getHead().catch((fault: Error) => fault);
    expect(error).toMatchObject({ code: 'service.unavailable', details: { dependency: 'ETH-SEPOLIA' } });
    const causes = ((error as Error).cause as AggregateError).errors.map(String).join();
    expect(causes).not.toContain('key-in-the-path');
  });

  it('are not waited for after the time-out', async () => {
    // Longer than this test may take: if it waited, there would be no answer.
    await fault({ rpc: { delay_ms: 600_000 } });
    const impatient = viemChain({ ...config, timeoutMs: 100 });
    await expect(impatient.getHead()).rejects.toMatchObject({ code: 'service.unavailable' });
  });

  it('do not count for logs up to a block they do not have', async () => {
    await local.mine({ count: 5 });
    const to = await chain.getHead();
    await fault({ rpc: { behind_blocks: 4 } });
    const asked = chain.listTokenLogs({ from: 0n, to, wallets: [alice.address] });
    await expect(asked).rejects.toMatchObject({ code: 'service.unavailable' });
  });

  it('decide about money only when a majority of all nodes agrees', async () => {
    const head = await chain.getHead();
    const range = { from: 0n, to: head, wallets: [alice.address], isDecisive: true };
    const honest = await chain.listTokenLogs(range);
    expect(honest.length).toBeGreaterThan(0);
    const liar = await serveLiar(served.url);
    // It has every block but leaves out the last log of every list.
    liar.lie = ({ method }, truth) => (method === 'eth_getLogs' ? (truth as unknown[]).slice(0, -1) : truth);
    const lies = liar.url;
    const dead = 'http://127.0.0.1:9/secret';
    const ask = (...rpcUrls: string[]) => viemChain({ ...config, rpcUrls }).listTokenLogs(range);
    try {
      await expect(ask(served.url, lies)).rejects.toMatchObject({ code: 'service.unavailable' });
      await expect(ask(lies, served.url)).rejects.toMatchObject({ code: 'service.unavailable' });
      expect(await ask(lies, served.url, served.url)).toEqual(honest);
      await expect(ask(dead, served.url)).rejects.toMatchObject({ code: 'service.unavailable' });
      expect(await ask(served.url, served.url, dead)).toEqual(honest);
      await expect(ask(served.url, dead, dead)).rejects.toMatchObject({ code: 'service.unavailable' });
      await expect(ask(dead)).rejects.toMatchObject({ code: 'service.unavailable' });
    } finally {
      liar.close();
    }
  });

  it('do not answer for a block that a reorg replaced', async () => {
    const orphan = await chain.getHead();
    await local.reorg(2, 'return');
    await expect(chain.readBalances(PLACE.usdc, [alice.address], orphan)).rejects.toMatchObject({
      code: 'service.unavailable',
    });
    const logs = chain.listTokenLogs({ from: 0n, to: orphan, wallets: [alice.address] });
    await expect(logs).rejects.toMatchObject({ code: 'service.unavailable' });
  });
});
