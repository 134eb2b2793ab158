/**
 * Operators' commands for custody, to be run on a server's machine with the server's environment:
 *
 *   reconcile                       ledger, coins and chain per wallet; fails when anything differs
 *   unexplained                     coins that left our wallets and that this database cannot explain
 *   import                          records all of those as payments of the wallets' owners
 *   relayers                        who pays the gas, how much is left, who is stopped
 *   restart-relayer BLOCKCHAIN ADDRESS   accepts the nonces that were used elsewhere and goes on
 *   cancel TRANSACTION              cancels a payment to an address that has not ended
 *
 * Commands that only read need no role; the others need one and are recorded in the audit log. To stop sends and let
 * them go on, use `npm run pause` and `npm run resume`.
 */
import { viemChain } from '../../adapters/chain/viemChain.ts';
import { PayError, renderProblem } from '../../core/errors.ts';
import { formatUsdc } from '../../core/money.ts';
import type { Chain, Hex } from '../../core/ports.ts';
import { type Reconciliation, reconcile } from '../../custody/coins/reconcile.ts';
import { listRunways } from '../../custody/eip3009/relaying/listRunways.ts';
import { restartRelayer } from '../../custody/eip3009/restartRelayer.ts';
import { openNetwork } from '../../custody/network.ts';
import { listUnexplained } from '../../custody/watch/unexplainedMoves.ts';
import { type Db, openDatabase } from '../../db/database.ts';
import { findUuid } from '../../http/contract/parseUuid.ts';
import type { Deed } from '../../operators/operators.ts';
import { type AuditActor, recordAudit } from '../../operators/recordAudit.ts';
import { type Cancelled, cancelPayment } from '../../payments/sends/cancelPayment.ts';
import { importedId, importPayment } from '../../payments/sends/importPayment.ts';
import { loadConfig } from '../config/config.ts';
import { ConfigError } from '../config/configError.ts';
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
};

const say = (line: string) => process.stdout.write(`${line}\n`);

const commands: Record<string, Command> = {
  async reconcile(app, chains) {
    let isEven = true;
    for (const chain of chains) {
      const network = await openNetwork(app.db, chain);
      for (const asset of network.assets) {
        const result = await reconcile(app, network, asset);
        if (!result) say(`${chain.blockchain}: nothing was watched yet`);
        else isEven = printReconciliation(result) && isEven;
      }
    }
    return isEven;
  },
  async unexplained(app) {
    const moves = await listUnexplained(app.db);
    for (const one of moves) {
      say(`${formatUsdc(one.amount)} USDC left wallet ${one.walletId} for ${one.toAddress} in ${one.txHash}`);
    }
    if (moves.length === 0) say('every move is accounted for');
    return true;
  },
  async import(app, _chains, _words, actor) {
    for (const move of await listUnexplained(app.db)) {
      const id = importedId(move);
      await app.db.tx(async (tx) => {
        await importPayment(tx, id, move);
        const details = { payment_id: id, tx_hash: move.txHash };
        await recordAudit(tx, { actor, action: 'custody.imported', details });
      });
      say(`${move.txHash} is payment ${id}`);
    }
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
  async cancel(app, _chains, [transactionId = ''], actor) {
    const paymentId = findUuid(transactionId);
    if (!paymentId) throw new Error('name a transaction by its id');
    say(CANCELLED[await app.db.tx((tx) => cancelPayment(tx, { paymentId, actor }))]);
    return true;
  },
};

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
    say([wallet.walletId, ...columns.map((name) => formatUsdc(wallet[name]).padStart(16))].join(' '));
  }
  say(`coins − ledger: ${formatUsdc(difference)}`);
  return difference === 0n && wallets.every((wallet) => wallet.difference === 0n);
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
  const config = loadConfig();
  const db = openDatabase(config.databaseUrl, { maxConnections: 2, applicationName: 'florin-operate' });
  try {
    const actor = readActor();
    const deed = DEEDS[name];
    if (deed) await refuseUnlessAllowed(db, actor, deed);
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
