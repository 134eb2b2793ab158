/** Rows and doubles that the tables about coin moves share. */
import type { Hex } from '../../../../server/src/core/ports.ts';
import { nonceOf } from '../../../../server/src/custody/eip3009/authorizations.ts';
import type { Network } from '../../../../server/src/custody/network.ts';
import type { CustodyApp } from '../../../../server/src/custody/rail.ts';
import type { Db } from '../../../../server/src/db/database.ts';
import type { Rows } from './decide.ts';
import { ID, ME, MOVE, OTHER, WALLET } from './ids.ts';

export const [FROM, TO, ELSEWHERE] = [`0x${'1'.repeat(40)}`, `0x${'a'.repeat(40)}`, `0x${'2'.repeat(40)}`] as const;
export const TOKEN = `0x${'c'.repeat(40)}` as Hex;
export const NONCE = Buffer.from(nonceOf(ID).slice(2), 'hex');
export const move = {
  ...{ move_id: ID, asset_id: 9, wallet_id: WALLET, purpose: 'send', rail: 'eip3009', amount: 5, reserved: 5 },
  ...{ from_address: FROM, to_address: TO, started_at: '2020-01-01', created_at: '2020-01-01' },
};
export const settlement = { ...move, purpose: 'settlement', settlement_id: ID, to_wallet: OTHER };
export const wallet = {
  wallet_id: WALLET,
  kind: 'user',
  user_id: ME,
  provider: 'local',
  address: FROM,
  reference: 'mine',
};
export const world: Rows = {
  networks: { network_id: 9, blockchain: 'HERE', chain_id: 77, wallet_provider: 'local' },
  assets: { asset_id: 9, network_id: 9, symbol: 'USDC', contract: TOKEN, token_name: 'USDC' },
  wallets: wallet,
};

/** The settlement of 3 that brings missing coins to the send `ID`. */
export const funding = {
  ...settlement,
  move_id: MOVE,
  wallet_id: OTHER,
  to_wallet: WALLET,
  funds: ID,
  amount: 3,
  reserved: 3,
};

/** A network whose chain answers this and nothing else. */
export const networkOf = (chain: object): Network =>
  ({
    networkId: 9,
    assets: [{ assetId: 9, contract: TOKEN }],
    chain: { blockchain: 'HERE', ...chain },
  }) as unknown as Network;
export const appOf = (db: Db, more: object = {}): CustodyApp =>
  ({ db, rails: { local: { name: 'eip3009' } }, ...more }) as unknown as CustodyApp;

export const hold = {
  transfer_id: ID,
  kind: 'hold',
  debit_account: 9001,
  credit_account: 9002,
  amount: 5,
  asset_id: 9,
  debit_held: 5,
  seq: -1,
};
export const release = { ...hold, transfer_id: OTHER, kind: 'release', hold_id: ID, seq: -2, debit_entry: 2 };
export const post = { ...release, kind: 'post', credit_entry: 1, credit_available: 1 };
/** A payment of 5 from the wallet, accepted and held. */
export const accepted: Rows = {
  ...world,
  users: { user_id: ME },
  'users 2': { user_id: OTHER, subject: 'other' },
  'wallets 2': {
    ...wallet,
    wallet_id: OTHER,
    kind: 'treasury',
    user_id: null,
    address: `0x${'3'.repeat(40)}`,
    reference: 'yours',
  },
  accounts: { account_id: 9001, asset_id: 9, kind: 'user', user_id: ME, tier: 0, held: 5 },
  'accounts 2': { account_id: 9002, asset_id: 9, kind: 'chain', tier: 0 },
  transfers: hold,
  payments: { payment_id: ID, state: 'INITIATED', destination: TO, wallet_id: WALLET, amount: 5 },
  holdings: { asset_id: 9, wallet_id: WALLET, coins: 9 },
};
