/** Decisions about service keys: their permissions, and whose wallet pays. */
import type { Decision } from '../decide.ts';
import { ID, KEY, ME, OTHER, WALLET } from '../ids.ts';

const RIGHT = Buffer.alloc(32, 1);
const [FIRST, LAST] = [`0x${'1'.repeat(40)}`, `0x${'3'.repeat(40)}`] as const;
const WITHIN = `0x${'2'.repeat(40)}`;

const refusing: Decision = {
  of: 'whether a key is accepted: find_key_refusals',
  rows: {
    service_keys: { key_id: KEY, hash: RIGHT, scopes: '{send}' },
    key_rules: { key_id: KEY },
  },
  calls: [
    `SELECT coalesce(r->'1'->'details'->>'reason', r->'1'->>'code', 'accepted') AS said
       FROM find_key_refusals('{${KEY}}', ARRAY['\\x${RIGHT.toString('hex')}'::bytea], '{203.0.113.9}') r`,
  ],
  cases: {
    'of the scope send': [{}, 'accepted'],
    'of the scope payouts': [{ service_keys: { scopes: '{payouts}' } }, 'accepted'],
    'of the scope read': [{ service_keys: { scopes: '{read}' } }, 'auth.scope'],
    'of the scope events': [{ service_keys: { scopes: '{events,webhooks}' } }, 'auth.scope'],
    'without rules': [{ key_rules: null }, 'accepted'],
    'that does not exist': [{ service_keys: null }, 'unknown'],
    'that was revoked': [{ service_keys: { revoked_at: 'now' } }, 'revoked'],
    'from before a restore': [{ restores: { noted_at: 'tomorrow' } }, 'revoked'],
    'from before a restore that was confirmed': [
      { restores: { noted_at: 'tomorrow', keys_confirmed_at: 'now', keys_confirmed_by: 'anna' } },
      'accepted',
    ],
    'from after a restore': [{ restores: { noted_at: '2020-01-01' } }, 'accepted'],
    'that has expired': [{ key_rules: { expires_at: 'yesterday' } }, 'expired'],
    'that will expire': [{ key_rules: { expires_at: 'tomorrow' } }, 'accepted'],
    'with its certificate': [{ key_rules: { certificate: RIGHT } }, 'accepted'],
    'with another certificate': [{ key_rules: { certificate: Buffer.alloc(32, 2) } }, 'certificate'],
    'from its addresses': [{ key_rules: { client_ranges: '{203.0.113.0/24}' } }, 'accepted'],
    'from the second of its ranges': [{ key_rules: { client_ranges: '{10.0.0.0/8,203.0.113.9/32}' } }, 'accepted'],
    'from another address': [{ key_rules: { client_ranges: '{203.0.113.0/29}' } }, 'address'],
    'from another network': [{ key_rules: { client_ranges: '{2001:db8::/48}' } }, 'address'],
  },
  waitsFor: ['that was revoked'],
};

const budget = (pays: string) => ({ key_id: KEY, pays, allowed: true, payment_limit: 5 });
const objecting = (payer: string | null): Decision => ({
  of: `whether a key may pay ${payer ? 'for a person' : 'from the treasury'}: find_key_objections`,
  rows: {
    key_rules: { key_id: KEY, any_person: true, any_destination: true },
    key_budgets: budget('people'),
    'key_budgets 2': { ...budget('treasury'), payment_limit: 7, day_limit: 9, month_limit: 9, counted_since: 'now' },
  },
  calls: [],
  cases: {},
});

/** One payment of 5 by this key, and the reason against it. */
const object = (payer: string | null, amount: number) =>
  `WITH o AS (SELECT refusal FROM find_key_objections('{${KEY}}', '{SOME-CHAIN}', '{${WITHIN}}', '{${WALLET}}',
     ARRAY[${payer ? `'${payer}'` : 'NULL'}]::uuid[], '{${amount}}'))
   SELECT coalesce((SELECT coalesce(refusal->'details'->>'what', refusal->>'code') FROM o), 'may') AS said`;
/** The key may send only to this range of addresses. */
const sendsTo = (first: string, last: string) => ({
  key_rules: { any_destination: false },
  key_destinations: { key_id: KEY, first_address: first, last_address: last },
});

const forPeople: Decision = {
  ...objecting(ME),
  calls: [object(ME, 5)],
  cases: {
    'any person': [{}, 'may'],
    'a blockchain of its list': [{ key_rules: { blockchains: '{OTHER-CHAIN,SOME-CHAIN}' } }, 'may'],
    'another blockchain': [{ key_rules: { blockchains: '{OTHER-CHAIN}' } }, 'blockchain'],
    'a person of its list': [{ key_rules: { any_person: false }, key_payers: { key_id: KEY, user_id: ME } }, 'may'],
    'a wallet of its list': [
      { key_rules: { any_person: false }, key_payers: { key_id: KEY, wallet_id: WALLET } },
      'may',
    ],
    'another person': [{ key_rules: { any_person: false }, key_payers: { key_id: KEY, user_id: OTHER } }, 'wallet'],
    'another wallet': [{ key_rules: { any_person: false }, key_payers: { key_id: KEY, wallet_id: OTHER } }, 'wallet'],
    'a person of the list of another key': [
      { key_rules: { any_person: false }, key_payers: { key_id: OTHER, user_id: ME } },
      'wallet',
    ],
    'an address of its range': [sendsTo(FIRST, LAST), 'may'],
    'the first address of its range': [sendsTo(WITHIN, LAST), 'may'],
    'the last address of its range': [sendsTo(FIRST, WITHIN), 'may'],
    'an address beyond its range': [sendsTo(FIRST, FIRST), 'destination'],
    'an address when it has none': [{ key_rules: { any_destination: false } }, 'destination'],
    'less than its limit': [{ key_budgets: { payment_limit: 6 } }, 'may'],
    'more than its limit': [{ key_budgets: { payment_limit: 4 } }, 'key.limit_exceeded'],
    'without a limit': [{ key_budgets: { payment_limit: null } }, 'may'],
    'whatever its treasury permission': [{ 'key_budgets 2': { allowed: false } }, 'may'],
    'without rules': [{ key_rules: null }, 'may'],
  },
};
const fromTreasury: Decision = {
  ...objecting(null),
  calls: [object(null, 7)],
  cases: {
    'within its permission': [{}, 'may'],
    'without the permission': [{ 'key_budgets 2': { allowed: false } }, 'treasury'],
    'more than its limit': [{ 'key_budgets 2': { payment_limit: 6 } }, 'key.limit_exceeded'],
    'whatever people it may pay from': [{ key_rules: { any_person: false } }, 'may'],
  },
};

const wallet = { provider: 'local', address: FIRST, kind: 'user', user_id: ME, wallet_id: WALLET };
/** Whose wallet is requested: by wallet, by name, as a person, or none of these. */
const funding = (
  asked: readonly [wallet: string | null, username: string | null, person: string | null],
): Decision => ({
  of: `which wallet pays ${asked.map((one) => one?.slice(0, 5) ?? '-').join(' ')}: find_funding_wallets`,
  rows: {
    networks: { network_id: 9, blockchain: 'SOME-CHAIN' },
    assets: { asset_id: 9, network_id: 9 },
    users: { user_id: ME },
    usernames: { username: 'alice', user_id: ME },
    wallets: wallet,
    'wallets 2': { ...wallet, kind: 'treasury', user_id: null, wallet_id: ID, address: LAST, reference: 'y' },
  },
  calls: [
    `SELECT coalesce(refusal, CASE wallet_id WHEN '${WALLET}' THEN 'hers' WHEN '${ID}' THEN 'the treasury' ELSE 'another' END) AS said
       FROM find_funding_wallets('{9}', ARRAY[${quote(asked[0])}]::uuid[], ARRAY[${quote(asked[1])}]::text[],
              ARRAY[${quote(asked[2])}]::uuid[])`,
  ],
  cases: {},
});
function quote(text: string | null): string {
  return text === null ? 'NULL' : `'${text}'`;
}
const replaced = { wallets: { replaced_at: 'now' } };
const fundings: readonly Decision[] = [
  {
    ...funding([null, null, null]),
    cases: {
      'of the service': [{}, 'the treasury'],
      'of the service, when it has none': [{ 'wallets 2': null }, 'wallet.unspecified'],
    },
  },
  {
    ...funding([WALLET, null, null]),
    cases: {
      'of a person': [{}, 'hers'],
      'that was replaced': [
        { ...replaced, 'wallets 3': { ...wallet, wallet_id: OTHER, reference: 'z', address: WITHIN } },
        'another',
      ],
      'that does not exist': [{ wallets: null }, 'wallet.unknown'],
    },
  },
  {
    ...funding([null, 'alice', null]),
    cases: {
      'of the person with this name': [{}, 'hers'],
      'of an unknown name': [{ usernames: { username: 'bob' } }, 'username.unknown'],
      'of the person who had this name': [{ usernames: { redirect_until: 'tomorrow' } }, 'hers'],
      'of the person who had this name long ago': [{ usernames: { redirect_until: 'yesterday' } }, 'username.unknown'],
      'of a person without a wallet': [{ wallets: null }, 'username.unknown'],
    },
  },
  {
    ...funding([null, null, ME]),
    cases: {
      'of a person who is logged in': [{}, 'hers'],
      'that is being created': [{ wallets: null }, 'wallet.pending'],
      'of another provider': [{ wallets: { provider: 'other' } }, 'wallet.pending'],
    },
  },
];

export const keyDecisions: readonly Decision[] = [refusing, forPeople, fromTreasury, ...fundings];
