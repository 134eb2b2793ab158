import { isAnyAddress, readHash } from '../../core/families.ts';
import type { Chain, Hex, Receipt } from '../../core/ports.ts';
import { findWallet } from '../../custody/findWallet.ts';
import {
  findDepositsByHash,
  findDepositsById,
  findDepositsOfAddress,
  listWatchers,
} from '../../custody/watch/findDeposits.ts';
import type { Queryable } from '../../db/database.ts';
import { findUuid } from '../../http/contract/parseUuid.ts';
import { findByHash } from '../../payments/read/findByHash.ts';
import { type Answer, type Noun, verb } from '../program/command.ts';
import { unknown } from '../program/faults.ts';
import { readReference, refuseReference } from '../program/references.ts';
import { renderFields, renderTime, wrap } from '../program/render.ts';
import { accept, dismiss, waiting } from './verbs/arrivals.ts';
import { depositToJson, describeDeposit } from './verbs/describeDeposit.ts';
import { list } from './verbs/listDeposits.ts';

const show = verb({
  summary: 'Shows a deposit, or explains why it is not credited',
  about: `DEPOSIT is its id, the hash of its chain transaction, a link that the wallet has copied, or an address: of one of our
wallets, or of the sender. If the database does not know a hash, the configured blockchains are searched.`,
  words: ['DEPOSIT'],
  reads: true,
  examples: ['deposit show 0x52ab…', 'deposit show 0x8ba1…'],
  async run({ db, chains }, { words: [given = ''] }) {
    const word = readReference(given);
    const id = findUuid(word);
    const hash = readHash(word);
    if (!id && !hash && !isAnyAddress(word)) return refuseReference(db, word, 'a deposit');
    const found = id ? await findDepositsById(db, [id]) : hash ? await findDepositsByHash(db, hash) : [];
    // A text that has the form of a hash can be an Aptos address.
    if (found.length === 0 && !id) found.push(...(await findDepositsOfAddress(db, word)));
    if (found.length > 0) {
      const text = found.map((one) => renderFields(describeDeposit(one))).join('\n');
      return { text, json: found.map(depositToJson) };
    }
    if (!hash) return refuseReference(db, word, 'a deposit');
    return searchChains(db, await chains(), hash);
  },
});

export default {
  about: 'Coins that people sent to their wallets here: credited, pending, or missing.',
  verbs: { show, list, waiting, accept, dismiss },
} satisfies Noun;

const isEvmHash = (hash: string): hash is Hex => hash.startsWith('0x');

/** The database does not know the hash: search the chains. */
async function searchChains(db: Queryable, chains: readonly Chain[], hash: string): Promise<Answer> {
  if ((await findByHash(db, hash)).length > 0)
    throw unknown(`${hash} is not a deposit but one of our payments: florin payment show ${hash}`);
  if (!isEvmHash(hash))
    throw unknown(
      `this database does not know ${hash}. We have no Solana node: the worker credits the deposits that the wallets' provider lists`,
    );
  const said: string[] = [];
  for (const chain of chains) {
    const receipt = await chain.findReceipt(hash);
    if (receipt) said.push(await explain(db, chain.blockchain, receipt));
  }
  if (said.length === 0) {
    const names = chains.map(({ blockchain }) => blockchain).join(', ') || 'any blockchain (FLORIN_CHAINS names none)';
    throw unknown(
      `${hash} is unknown to this database and to ${names}. It may be on another blockchain, or was never sent`,
    );
  }
  return { text: `${said.flatMap((line) => wrap(line)).join('\n')}\n`, json: { tx_hash: hash, said }, isBad: true };
}

/** Explains why an existing chain transaction is not credited. */
async function explain(db: Queryable, blockchain: string, receipt: Receipt): Promise<string> {
  const where = `${blockchain} has it in block ${receipt.blockNumber}`;
  if (!receipt.isSuccess) return `${where}, but it failed there: no coins moved.`;
  const receivers = [...new Set(receipt.logs.flatMap((log) => (log.kind === 'transfer' ? [log.to] : [])))];
  if (receivers.length === 0)
    return `${where}. It does not move a token that we hold: it is another token, or another contract with the same name.`;
  const wallets = await Promise.all(receivers.map((address) => findWallet(db, address)));
  const ours = wallets.filter((wallet) => wallet !== undefined);
  if (ours.length === 0)
    return `${where}. Its coins went to ${receivers.join(', ')}, which is not one of our wallets: they belong to someone else.`;
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
