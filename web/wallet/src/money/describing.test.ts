/**
 * The texts that a person reads about a payment: who, in which direction, and whether it happened; and when a preview
 * is no longer true.
 */
import type { Transaction } from '@florin/client';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { isSamePreview } from '../screens/PreviewFacts.tsx';
import { describePayment, describeState, showSide } from './describePayment.ts';

// Before the imports: texts ask the page for its direction.
vi.hoisted(() => {
  vi.stubGlobal('document', { documentElement: { dir: 'ltr' } });
  vi.stubGlobal('addEventListener', () => {});
  vi.stubGlobal('location', { origin: 'https://wallet.example.com', pathname: '/', search: '' });
});
afterAll(() => void vi.unstubAllGlobals());

const ADDRESS = `0x${'8'.repeat(40)}`;
const [ME, OTHER] = [{ username: 'me' }, { username: 'other' }];
const SERVICE = { username: null, service: true };

describe('a payment', () => {
  it.each<[name: string, payment: object, isIncoming: boolean, other: string, shown: string]>([
    ['to a person', { kind: 'user', from: ME, to: OTHER }, false, 'other', 'Paid'],
    ['of a person', { kind: 'user', from: OTHER, to: ME }, true, 'other', 'Received'],
    ['to an address', { kind: 'chain', from: ME, to: { address: ADDRESS } }, false, ADDRESS, 'Paid'],
    ['from outside', { kind: 'deposit', from: { address: ADDRESS }, to: ME }, true, ADDRESS, 'Deposited'],
    ['of new coins', { kind: 'deposit', from: { address: `0x${'0'.repeat(40)}` }, to: ME }, true, '', 'Deposited'],
    ['that was given back', { kind: 'user', from: OTHER, to: ME, refund_of: 'p' }, true, 'other', 'Refund'],
    ['that gives back', { kind: 'user', from: ME, to: OTHER, refund_of: 'p' }, false, 'other', 'Given back'],
    ['of the service', { kind: 'user', from: SERVICE, to: ME }, true, '', 'Received'],
    ['given back by the service', { kind: 'user', from: SERVICE, to: ME, refund_of: 'p' }, true, '', 'Refund'],
    ['of a person without a name', { kind: 'user', from: { username: null }, to: ME }, true, '', 'Received'],
  ])('%s', (_, payment, isIncoming, other, shown) => {
    const done = { state: 'COMPLETE', ...payment } as Transaction;
    expect(describePayment(done, 'me')).toMatchObject({ isIncoming, other, isBooking: false });
    expect(describeState(done, isIncoming)).toBe(shown);
    expect([describePayment(done, 'me').title === 'The service', describePayment(done, 'me').isRefund]).toEqual([
      done.from === SERVICE,
      'refund_of' in payment,
    ]);
  });

  it('names both sides on its receipt', () => {
    const sides = (payment: object) => {
      const one = payment as Transaction;
      return [showSide(one.from, one), showSide(one.to, one)];
    };
    expect(sides({ kind: 'user', from: OTHER, to: ME })).toEqual(['@other', '@me']);
    expect(sides({ kind: 'user', from: SERVICE, to: ME })).toEqual(['The service', '@me']);
    expect(sides({ kind: 'user', from: { username: null }, to: ME })).toEqual(['Someone', '@me']);
    expect(sides({ kind: 'chain', from: ME, to: { address: ADDRESS } })).toEqual(['@me', ADDRESS]);
    const minted = { address: `0x${'0'.repeat(40)}` };
    expect(sides({ kind: 'deposit', from: minted, to: ME })).toEqual(['Deposit', '@me']);
    expect(sides({ kind: 'correction', from: { address: null }, to: ME })).toEqual(['The service', '@me']);
    expect(sides({ kind: 'debt', from: ME, to: { address: null } })).toEqual(['@me', 'The service']);
  });

  it.each([
    ['INITIATED', true, false],
    ['CLEARED', true, false],
    ['QUEUED', true, false],
    ['SENT', true, false],
    ['STUCK', true, false],
    ['CONFIRMED', true, false],
    ['COMPLETE', false, false],
    ['FAILED', false, true],
    ['DENIED', false, true],
    ['CANCELLED', false, true],
  ])('that is %s', (state, isOpen, isVoid) => {
    const payment = { kind: 'chain', from: ME, to: { address: ADDRESS }, state } as Transaction;
    expect(describePayment(payment, 'me')).toMatchObject({ isOpen, isVoid });
    // Every state has its own words.
    expect(describeState(payment, false)).not.toMatch(/^state\./);
  });
});

describe('a preview', () => {
  const preview = {
    ...{ kind: 'chain', to: { address: ADDRESS }, amount: '5', fee: '0', blockchain: 'ETH', available_after: '95' },
    ...{ approvals_needed: 0, first_time: false, not_before: null },
    limits_after: [{ limit: 'day', left: '100' }],
  };
  const same = (changes: object) => isSamePreview(preview as never, { ...preview, ...changes } as never);

  it('that shows the same is equal', () => {
    expect(same({})).toBe(true);
    expect(same({ limits_after: [{ limit: 'month', left: '1' }, ...preview.limits_after] })).toBe(true);
  });

  it.each<[name: string, changes: object]>([
    ['another recipient', { to: { address: `0x${'9'.repeat(40)}` } }],
    ['a person in the place of an address', { to: { username: 'bob' } }],
    ['a person who has another name now', { to: { address: ADDRESS, redirected_from: 'old' } }],
    ['another amount', { amount: '5.000001' }],
    ['a fee', { fee: '0.1' }],
    ['another network', { blockchain: 'BASE' }],
    ['another balance after it', { available_after: '94' }],
    ['another limit after it', { limits_after: [{ limit: 'day', left: '99' }] }],
    ['approvals', { approvals_needed: 2 }],
    ['a new recipient', { first_time: true }],
    ['a wait', { not_before: new Date(Date.now() + 86_400_000).toISOString() }],
  ])('with %s is another one', (_, changes) => {
    expect(same(changes)).toBe(false);
  });
});
