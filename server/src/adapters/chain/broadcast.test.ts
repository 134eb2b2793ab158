import { describe, expect, it } from 'vitest';
import { broadcast, classifyBroadcast } from './broadcast.ts';
import { type Endpoint, NodeError } from './createRpc.ts';

const verdict = (message: string) => {
  const said = classifyBroadcast(new NodeError(-32000, message));
  return said.outcome === 'rejected' ? said.reason : said.outcome;
};

describe('what nodes say about raw bytes', () => {
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
    ['account limit exceeded', 'pool_full'],
    ['txpool is full', 'pool_full'],
    ['invalid sender', 'invalid'],
    ['the cat sat on the cable', 'unknown'],
  ])('%s: %s', (message, expected) => expect(verdict(message)).toBe(expected));
});

describe('several nodes', () => {
  const raw = '0x02';
  const node = (answer: unknown): Endpoint => ({
    ask: async () => {
      if (answer instanceof Error && !(answer instanceof NodeError)) throw answer;
      return [answer];
    },
  });
  const low = node(new NodeError(-32000, 'nonce too low'));
  const silent = node(new Error('no answer'));

  it('one that accepts is enough', async () => {
    expect(await broadcast([silent, low, node('0xhash')], raw)).toEqual({ outcome: 'accepted' });
  });

  it('one unknown makes the result unknown, before or after a rejection', async () => {
    expect(await broadcast([silent, low], raw)).toMatchObject({ outcome: 'unknown' });
    expect(await broadcast([low, silent], raw)).toMatchObject({ outcome: 'unknown' });
    expect(await broadcast([low, low], raw)).toMatchObject({ outcome: 'rejected', reason: 'nonce_too_low' });
  });
});
