import { isAnyAddress, readHash } from '../../core/families.ts';
import { formatUsdc } from '../../core/money.ts';
import type { Chain, Hex, Receipt } from '../../core/ports.ts';
import { findWallet } from '../../custody/findWallet.ts';
import {
  findDepositById,
  findDepositsByHash,
  findDepositsOfAddress,
  listWatchers,
} from '../../custody/watch/findDeposits.ts';
import type { Queryable } from '../../db/database.ts';
import { findUuid } from '../../http/contract/parseUuid.ts';
import { findByHash } from '../../payments/read/findByHash.ts';
import { type Answer, type Noun, verb } from '../program/command.ts';
import { misused, unknown } from '../program/faults.ts';
import { renderFields, renderTime, renderUsdc, wrap } from '../program/render.ts';
import { accept, dismiss, waiting } from './verbs/arrivals.ts';

type Deposit = Awaited<ReturnType<typeof findDepositsByHash>>[number];

const show = verb({
  says: 'Shows a deposit, or says why it is not credited',
  about: `DEPOSIT is the hash of its chain transaction, its id, or an address: one of our wallets, or the one it came from. A hash
that the database does not know is looked for on the configured blockchains.`,
  words: ['DEPOSIT'],
  reads: true,
  examples: ['deposit show 0x52ab…', 'deposit show 0x8ba1…'],
  async run({ db, chains }, { words: [word = ''] }) {
    const id = findUuid(word);
    const hash = readHash(word);
    if (!id && !hash && !isAnyAddress(word))
      throw misused(`"${word}" is neither a hash, nor the id of a deposit, nor an address`);
    const found = id ? await findDepositById(db, id) : hash ? await findDepositsByHash(db, hash) : [];
    // What looks like a hash may be an address of Aptos.
    if (found.length === 0 && !id) found.push(...(await findDepositsOfAddress(db, word)));
    if (found.length > 0) {
      const text = found.map((one) => renderFields(describe(one))).join('\n');
      return { text, json: found.map(toJson) };
    }
    if (!hash) throw unknown(`there is no deposit ${id ? `with the id ${word}` : `to or from ${word}`}`);
    return lookOnChains(db, await chains(), hash);
  },
});

export default {
  about: 'Coins that people sent to their wallets here: arrived, on their way, or not seen.',
  verbs: { show, waiting, accept, dismiss },
} satisfies Noun;

const STATES: Readonly<Record<Deposit['state'], string>> = {
  credited: 'credited',
  pending: 'seen, and credited when its block is final',
  held: 'final, and credited when the provider of the sending wallet has said whose it is',
  gone: 'its block is no longer part of the chain; the credit stands until somebody has looked',
  lost: 'its block was replaced and the deposit is gone',
};

const describe = (one: Deposit): (readonly [string, string | undefined])[] => [
  ['deposit', one.paymentId ?? 'not credited yet'],
  ['state', STATES[one.state]],
  ['amount', `${renderUsdc(one.amount)} on ${one.blockchain}`],
  [
    'to',
    `${one.toAddress}, ${one.userId ? `${one.username ?? 'without a username'}, user ${one.userId}` : 'the treasury'}`,
  ],
  ['from', one.fromAddress],
  ['hash', one.txHash],
  // Where no node of ours reads, there is none.
  ['block', one.blockNumber > 0n ? String(one.blockNumber) : undefined],
  ['credited', one.creditedAt ? renderTime(one.creditedAt) : undefined],
];

const toJson = (one: Deposit) => ({
  transaction_id: one.paymentId,
  state: one.state,
  blockchain: one.blockchain,
  amount: formatUsdc(one.amount),
  from_address: one.fromAddress,
  to_address: one.toAddress,
  wallet_id: one.walletId,
  user_id: one.userId,
  username: one.username,
  tx_hash: one.txHash,
  block_number: one.blockNumber > 0n ? String(one.blockNumber) : null,
  credited_at: one.creditedAt,
});

const isEvmHash = (hash: string): hash is Hex => hash.startsWith('0x');

/** The database does not know it: does a chain? */
async function lookOnChains(db: Queryable, chains: readonly Chain[], hash: string): Promise<Answer> {
  if ((await findByHash(db, hash)).length > 0)
    throw unknown(`${hash} brought us nothing: it is a payment of ours. florin payment show ${hash}`);
  if (!isEvmHash(hash))
    throw unknown(
      `this database does not know ${hash}. No node of ours reads Solana: the worker credits what the provider of the wallets lists`,
    );
  const said: string[] = [];
  for (const chain of chains) {
    const receipt = await chain.findReceipt(hash);
    if (receipt) said.push(await explain(db, chain.blockchain, receipt));
  }
  if (said.length === 0) {
    const names = chains.map(({ blockchain }) => blockchain).join(', ') || 'any blockchain (FLORIN_CHAINS names none)';
    throw unknown(
      `nobody knows ${hash}: neither this database nor ${names}. It may be on another blockchain, or was never sent`,
    );
  }
  return { text: `${said.flatMap((line) => wrap(line)).join('\n')}\n`, json: { tx_hash: hash, said }, isBad: true };
}

/** Why a chain transaction that exists is not credited. */
async function explain(db: Queryable, blockchain: string, receipt: Receipt): Promise<string> {
  const where = `${blockchain} has it in block ${receipt.blockNumber}`;
  if (!receipt.isSuccess) return `${where}, but it failed there: no coins moved.`;
  const receivers = [...new Set(receipt.logs.flatMap((log) => (log.kind === 'transfer' ? [log.to] : [])))];
  if (receivers.length === 0)
    return `${where}. It moves no token that we hold: it is another token, or another contract with the same name.`;
  const wallets = await Promise.all(receivers.map((address) => findWallet(db, address)));
  const ours = wallets.filter((wallet) => wallet !== undefined);
  if (ours.length === 0)
    return `${where}. Its coins went to ${receivers.join(', ')}, which is none of our wallets: they belong to somebody else.`;
  const watcher = (await listWatchers(db)).find((one) => one.blockchain === blockchain);
  const whose = ours
    .map((wallet) => `${wallet.address} (${wallet.username ?? wallet.userId ?? 'the treasury'})`)
    .join(', ');
  const next = !watcher
    ? 'No worker has watched this blockchain yet: florin worker.'
    : receipt.blockNumber > watcher.blockNumber
      ? `We have read up to block ${watcher.blockNumber}, at ${renderTime(watcher.movedAt)}: it is credited when its block is final and read.`
      : `That block was read before: florin wallet rescan ${ours[0]!.address} ${blockchain} --from ${receipt.blockNumber}`;
  return `${where}. Its coins went to our wallet ${whose}. ${next}`;
}
