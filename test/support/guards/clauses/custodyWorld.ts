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
