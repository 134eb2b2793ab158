/**
 * Operators' commands for custody, to be run on a server's machine with the server's environment:
 *
 *   reconcile                       ledger, coins and chain per wallet; fails when anything differs
 *   unexplained                     coins that left our wallets and that this database cannot explain
 *   import [HASH INDEX [settlement]]     records them, or one of them, as payments of the wallets' owners; or one between
 *                                   two wallets of ours as a settlement, by which nobody paid anybody
 *   relayers                        who pays the gas, how much is left, who is stopped
 *   restart-relayer BLOCKCHAIN ADDRESS   accepts the nonces that were used elsewhere and goes on
 *   rescan BLOCKCHAIN WALLET [BLOCK]     lets a worker read a wallet's final transfers again, from a block on: deposits that
 *                                   were never credited are
 *   cancel TRANSACTION              cancels a payment to an address that has not ended
 *   closed                          closed accounts that money has reached since
 *
 * `operateBooks.ts` has the commands for a restored database and for corrections of the books. Commands that only read
 * need no role; the others need one and are recorded in the audit log. To stop sends and let them go on, use `npm run
 * pause` and `npm run resume`.
 */
import { viemChain } from '../../adapters/chain/viemChain.ts';
import { PayError, renderProblem } from '../../core/errors.ts';
import { formatUsdc } from '../../core/money.ts';
import type { Chain, Hex } from '../../core/ports.ts';
import { type Reconciliation, reconcile } from '../../custody/coins/reconcile.ts';
import { listRunways } from '../../custody/eip3009/relaying/listRunways.ts';
import { restartRelayer } from '../../custody/eip3009/restartRelayer.ts';
import { openNetwork } from '../../custody/network.ts';
import { listRescans } from '../../custody/watch/rescans.ts';
import { explainAsSettlement, listUnexplained, type UnexplainedMove } from '../../custody/watch/unexplainedMoves.ts';
import { listClosedWithMoney } from '../../customers/account/listClosed.ts';
import { type Db, openDatabase, type Tx } from '../../db/database.ts';
import { findUuid } from '../../http/contract/parseUuid.ts';
import type { Deed } from '../../operators/operators.ts';
import { type AuditActor, recordAudit } from '../../operators/recordAudit.ts';
import { type Cancelled, cancelPayment } from '../../payments/sends/cancelPayment.ts';
import { importedId, importPayment } from '../../payments/sends/importPayment.ts';
import { loadCommandConfig } from '../config/config.ts';
import { ConfigError } from '../config/configError.ts';
import { bookCommands } from './operateBooks.ts';
import { readActor, refuseUnlessAllowed } from './runCommand.ts';

type Command = (
  app: { readonly db: Db },
  chains: readonly Chain[],
  words: readonly string[],
  actor: AuditActor,
) => Promise<boolean>;

/** `operators` decides which role may do what. Commands that are not listed only read. */
const DEEDS: Readonly<Record<string, Deed>> = {
  import: 'custody',
  'restart-relayer': 'custody',
  cancel: 'cancel',
  rescan: 'custody',
  restored: 'custody',
  'confirm-restore': 'keys',
  book: 'approve',
  'approve-booking': 'approve',
  collect: 'custody',
};

const say = (line: string) => process.stdout.write(`${line}\n`);

const commands: Record<string, Command> = {
  async reconcile(app, chains) {
    let isEven = true;
    for (const chain of chains) {
      const network = await openNetwork(app.db, chain);
      for (const asset of network.assets) {
        const result = await reconcile(app, network, asset);
        const rescans = await listRescans(app.db, asset.assetId);
        if (result) isEven = printReconciliation(result) && isEven;
        else say(`${chain.blockchain}: nothing to compare: nothing was watched yet, or blocks are being read again`);
        for (const { walletId, nextBlock, toBlock, fault } of rescans) {
          const why = fault === null ? '' : `, but cannot be: ${fault}`;
          say(`wallet ${walletId} is being read again, blocks ${nextBlock} to ${toBlock}${why}`);
        }
        isEven &&= rescans.every(({ fault }) => fault === null);
      }
    }
    return isEven;
  },
  async unexplained(app) {
    const moves = await listUnexplained(app.db);
    for (const one of moves) say(describeUnexplained(one));
    if (moves.length === 0) say('every move is accounted for');
    return true;
  },
  async import(app, _chains, [txHash, logIndex, settlement], actor) {
    const all = await listUnexplained(app.db);
    const chosen = all.filter((one) => !txHash || (one.txHash === txHash && String(one.logIndex) === logIndex));
    if (txHash && chosen.length === 0) throw new Error(`${txHash} ${logIndex ?? ''} is not among the unexplained`);
    let isAll = true;
    for (const move of chosen) {
      const imported = await app.db.tx((tx) => importMove(tx, move, settlement, actor));
      say(`${move.txHash} ${move.logIndex}: ${imported ?? `not imported. ${ASK[whatIs(move)]}`}`);
      isAll &&= imported !== undefined;
    }
    return isAll;
  },
  async closed(app) {
    const accounts = await listClosedWithMoney(app.db);
    for (const { userId, closedAt, blockchain, available, held } of accounts)
      say(
        `${userId} closed ${closedAt.toISOString()} ${blockchain}: ${formatUsdc(available)} USDC available, ${formatUsdc(held)} held`,
      );
    if (accounts.length === 0) say('no closed account has money');
    return true;
  },
  async relayers(app) {
    for (const one of await listRunways(app.db)) {
      const runway = one.payments === undefined ? '' : `, about ${one.payments} payments at today's price`;
      say(`${one.blockchain} ${one.address} ${one.gasWei} wei${runway}: ${one.fault ?? 'works'}`);
    }
    return true;
  },
  async 'restart-relayer'(app, chains, [blockchain = '', address = ''], actor) {
    const network = await openNetwork(app.db, getChain(chains, blockchain));
    const nonces = await restartRelayer(app, network, address as Hex, actor);
    say(`${nonces} nonces that were used elsewhere were accepted`);
    return true;
  },
  async rescan(app, chains, [blockchain = '', wallet = '', block = '0'], actor) {
    const { networkId } = await openNetwork(app.db, getChain(chains, blockchain));
    const walletId = findUuid(wallet);
    if (!walletId || !/^\d{1,18}$/.test(block)) throw new Error('name a wallet by its id, and a block by its number');
    const isAsked = await app.db.tx(async (tx) => {
      const [row] = await tx.query<{ is_asked: boolean }>('SELECT ask_rescan($1, $2, $3) AS is_asked', [
        networkId,
        walletId,
        block,
      ]);
      await recordAudit(tx, {
        actor,
        action: 'wallet.rescan_asked',
        details: { blockchain, wallet_id: walletId, block },
      });
      return row!.is_asked;
    });
    if (!isAsked) throw new Error(`there is no wallet ${walletId}, or ${blockchain} was never watched`);
    say('a worker reads it now; see reconcile');
    return true;
  },
  async cancel(app, _chains, [transactionId = ''], actor) {
    const paymentId = findUuid(transactionId);
    if (!paymentId) throw new Error('name a transaction by its id');
    say(CANCELLED[await app.db.tx((tx) => cancelPayment(tx, { paymentId, actor }))]);
    return true;
  },
  ...bookCommands(say),
};

/** `unclear`: between two wallets of ours, and nothing on the chain says whether somebody was paid by it. */
const whatIs = ({ isSettlement, toWallet, hasNonce }: UnexplainedMove): 'send' | 'unclear' | 'settlement' =>
  isSettlement ? 'settlement' : toWallet && !hasNonce ? 'unclear' : 'send';

const ASK = {
  send: '',
  unclear: 'Both wallets are ours: say what it was, import HASH INDEX settlement (nobody paid) or … payment',
  settlement: 'It is a settlement to somebody who registered after the backup, and counts when they log in again',
} as const;

function describeUnexplained(one: UnexplainedMove): string {
  const text = `${formatUsdc(one.amount)} USDC left wallet ${one.walletId} for ${one.toAddress} in ${one.txHash} ${one.logIndex}`;
  return [text, ASK[whatIs(one)]].filter((part) => part !== '').join('. ');
}

/** What it became, in words; undefined when it is not imported. */
async function importMove(
  tx: Tx,
  move: UnexplainedMove,
  said: string | undefined,
  actor: AuditActor,
): Promise<string | undefined> {
  const { txHash, logIndex } = move;
  const audit = (details: Record<string, string>) =>
    recordAudit(tx, { actor, action: 'custody.imported', details: { ...details, tx_hash: txHash } });
  if (said === 'settlement') {
    if (!(await explainAsSettlement(tx, move))) return undefined;
    await audit({ as: 'settlement', log_index: String(logIndex) });
    return 'a settlement; nobody was debited or credited';
  }
  if (whatIs(move) !== 'send' && said !== 'payment') return undefined;
  const imported = await importPayment(tx, importedId(move), move);
  if (!imported) return undefined;
  const { importedAs, owes } = imported;
  await audit({ payment_id: importedAs, owes: formatUsdc(owes) });
  return `payment ${importedAs}${owes > 0n ? `; its sender owes ${formatUsdc(owes)} USDC (see debts)` : ''}`;
}

const CANCELLED: Readonly<Record<Cancelled, string>> = {
  released: 'cancelled: nothing was signed, the money is free again',
  asked: 'it is signed, so it is being cancelled on chain; the money stays held until the chain has decided',
  before: 'a cancellation was asked for before',
};

const USAGE = `usage: operate ${Object.keys(commands).join(' | ')}
(npm run pause and npm run resume stop sends and let them go on)`;

function getChain(chains: readonly Chain[], blockchain: string): Chain {
  const chain = chains.find((one) => one.blockchain === blockchain);
  if (!chain) throw new Error(`name a blockchain: ${chains.map((one) => one.blockchain).join(', ')}`);
  return chain;
}

/** True when nothing differs. */
function printReconciliation({ blockchain, symbol, blockNumber, wallets, difference }: Reconciliation): boolean {
  say(`${blockchain} at block ${blockNumber}, ${symbol}`);
  const columns = ['ledger', 'coins', 'reserved', 'incoming', 'outgoing', 'onChain', 'difference'] as const;
  say(['wallet'.padEnd(36), ...columns.map((name) => name.padStart(16))].join(' '));
  for (const wallet of wallets) {
    const note = [
      ...(wallet.blockedAt ? [`blacklisted by the token since ${wallet.blockedAt.toISOString()}`] : []),
      ...(wallet.isRescanned ? ['is being read again'] : []),
    ];
    say([wallet.walletId, ...columns.map((name) => formatUsdc(wallet[name]).padStart(16)), ...note].join(' '));
  }
  say(
    `coins − ledger: ${difference === undefined ? 'known when no wallet is being read again' : formatUsdc(difference)}`,
  );
  return (difference === undefined || difference === 0n) && wallets.every((wallet) => wallet.difference === 0n);
}

function describe(error: Error): string {
  if (error instanceof ConfigError) return error.message;
  const said = error instanceof PayError ? String(renderProblem(error).detail) : error.message;
  return `It did not work: ${said}`;
}

async function main(): Promise<void> {
  const [name = '', ...words] = process.argv.slice(2);
  const command = commands[name];
  if (!command) throw new Error(USAGE);
  const config = loadCommandConfig();
  const db = openDatabase(config.databaseUrl, { maxConnections: 2, applicationName: 'florin-operate' });
  try {
    const deed = DEEDS[name];
    const actor = deed ? await refuseUnlessAllowed(db, deed) : await readActor(db);
    const isGood = await command({ db }, config.chains.map(viemChain), words, actor);
    if (!isGood) process.exitCode = 1;
  } finally {
    await db.close();
  }
}

main().catch((error: Error) => {
  process.stderr.write(`${describe(error)}\n`);
  process.exitCode = 2;
});
