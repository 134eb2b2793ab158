import { describe, expect, it } from 'vitest';
import { askNodes } from './askNodes.ts';
import { broadcast, classifyBroadcast } from './broadcast.ts';
import { type Node, NodeError } from './createNode.ts';

const verdict = (message: string) => {
  const said = classifyBroadcast(new NodeError(-32000, message));
  return said.outcome === 'rejected' ? said.reason : said.outcome;
};

describe('a node’s answer to raw bytes', () => {
  it.each([
    ['already known', 'accepted'],
    ['ALREADY_EXISTS: already known', 'accepted'],
    ['Known transaction', 'accepted'],
    ['Transaction with the same hash was already imported.', 'accepted'],
    ['nonce too low: next nonce 5, tx nonce 4', 'nonce_too_low'],
    ['OldNonce, Current nonce: 5, nonce of rejected tx: 4', 'nonce_too_low'],
    ['nonce too high', 'nonce_too_high'],
    ['replacement transaction underpriced', 'replacement_underpriced'],
    ['future transaction tries to replace pending', 'replacement_underpriced'],
    ['transaction underpriced: gas tip cap 0, minimum needed 1', 'underpriced'],
    ['max fee per gas less than block base fee: address 0x…, maxFeePerGas: 1, baseFee: 7', 'fee_below_base'],
    ['insufficient funds for gas * price + value: balance 0, tx cost 1', 'insufficient_funds'],
    ['intrinsic gas too low: gas 100, minimum needed 21000', 'gas_limit'],
    ['exceeds block gas limit', 'gas_limit'],
    ['transaction gas limit too high (cap: 16777216, tx: 20000000)', 'gas_limit'],
    ['tx fee (1.63 ether) exceeds the configured cap (1.00 ether)', 'fee_cap'],
    ['tx fee (2287286506567664000000 wei) exceeds the configured cap (1000000000000000000 wei)', 'fee_cap'],
    ['txFee (1.10 ether) exceeds the configuration cap (1.00 ether)', 'fee_cap'],
    ['Transaction fee cap exceeded', 'fee_cap'],
    ['sequencer pending tx pool full, please try again', 'pool_full'],
    ['There are too many transactions in the queue. Your transaction was dropped due to limit.', 'pool_full'],
    ['Upfront cost exceeds account balance', 'insufficient_funds'],
    ['FeeTooLow, MaxFeePerGas too low. MaxFeePerGas: 1, BaseFee: 7, MaxPriorityFeePerGas:1', 'fee_below_base'],
    ['account limit exceeded', 'pool_full'],
    ['txpool is full', 'pool_full'],
    ['invalid sender', 'invalid'],
    ['the cat sat on the cable', 'unknown'],
  ])('%s: %s', (message, expected) => expect(verdict(message)).toBe(expected));
});

describe('several nodes', () => {
  const raw = '0x02';
  const got: string[] = [];
  const node = (name: string, answer: unknown): Node => ({
    host: name,
    call: () => Promise.reject(new Error('not asked')),
    ask: async () => {
      got.push(name);
      if (answer instanceof Error && !(answer instanceof NodeError)) throw answer;
      return [answer];
    },
  });
  const low = node('low', new NodeError(-32000, 'nonce too low'));
  const alsoLow = node('also low', new NodeError(-32000, 'nonce too low'));
  const silent = node('silent', new Error('no answer'));
  const takes = node('takes', '0xhash');
  const offer = (...nodes: Node[]) => broadcast(askNodes('ETH', nodes), raw);

  it('all get the bytes, and one that accepts is enough', async () => {
    got.length = 0;
    expect(await offer(silent, low, takes)).toEqual({ outcome: 'accepted' });
    expect(got).toEqual(['silent', 'low', 'takes']);
  });

  it('one unknown makes the result unknown, before or after a rejection', async () => {
    expect(await offer(silent, low)).toMatchObject({ outcome: 'unknown' });
    expect(await offer(low, silent)).toMatchObject({ outcome: 'unknown' });
    expect(await offer(low, alsoLow)).toMatchObject({ outcome: 'rejected', reason: 'nonce_too_low' });
  });

  it('one that accepts everything does not hide why the others refuse', async () => {
    expect(await offer(takes, low, alsoLow)).toMatchObject({ outcome: 'rejected', reason: 'nonce_too_low' });
  });
});
