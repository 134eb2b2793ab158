import { formatUsdc } from '../../core/money.ts';
import type { Chain } from '../../core/ports.ts';
import { type Reconciliation, reconcile } from '../../custody/coins/reconcile.ts';
import { openNetwork } from '../../custody/network.ts';
import { listUnread } from '../../custody/unwatchedChains/listUnread.ts';
import { listRescans } from '../../custody/watch/rescans.ts';
import type { Db } from '../../db/database.ts';
import { verb } from '../program/command.ts';
import { CommandFault, EXIT } from '../program/faults.ts';
import { renderTable, renderTime, wrapLines } from '../program/render.ts';

interface Compared {
  readonly text: string;
  readonly json: unknown;
  readonly isEven: boolean;
}

export default verb({
  summary: 'Compares ledger, coins and chain of every wallet, at the last final block',
  about: `Exit code 1 if coins are missing. Surplus coins are shown and pause nothing. Empty wallets without a difference are left out; --all shows them. Only the worker compares Solana and Aptos.`,
  options: { all: { type: 'boolean', summary: 'include wallets without coins or money' } },
  reads: true,
  async run({ db, chains }, { options }) {
    const opened = await chains();
    if (opened.length === 0)
      throw new CommandFault('FLORIN_CHAINS names no blockchain: there is nothing to compare with', EXIT.configuration);
    const compared: Compared[] = [];
    for (const chain of opened) compared.push(...(await compare(db, chain, options.all === true)));
    const unread = await listUnread(db);
    return {
      text: [...compared.map(({ text }) => text), ...describeUnread(unread)].join('\n'),
      json: [
        ...compared.map(({ json }) => json),
        ...unread.map((one) => ({ ...one, block: null, compared_by: 'worker' })),
      ],
      isBad: compared.some(({ isEven }) => !isEven),
    };
  },
});

/** Operators cannot reach the signer, and only the signer can ask a provider. */
function describeUnread(unread: Awaited<ReturnType<typeof listUnread>>): string[] {
  if (unread.length === 0) return [];
  const names = [...new Set(unread.map(({ blockchain }) => blockchain))].join(', ');
  return [wrapLines(`Not compared here: ${names}. The worker compares them with the provider of their wallets.\n`)];
}

async function compare(db: Db, chain: Chain, all: boolean): Promise<Compared[]> {
  const network = await openNetwork(db, chain);
  const compared: Compared[] = [];
  for (const asset of network.assets) {
    const result = await reconcile({ db }, network, asset);
    const rescans = await listRescans(db, asset.assetId);
    const shown = result
      ? render(result, all)
      : {
          text: `${chain.blockchain}: nothing to compare: the chain was not watched yet, or blocks are being read again\n`,
          json: { blockchain: chain.blockchain, symbol: asset.symbol, block: null },
          isEven: true,
        };
    const notes = rescans.map(({ walletId, nextBlock, toBlock, fault }) => {
      const why = fault === null ? '' : `, but this fails: ${fault}`;
      return `wallet ${walletId} is being read again, blocks ${nextBlock} to ${toBlock}${why}\n`;
    });
    compared.push({
      text: shown.text + notes.join(''),
      json: shown.json,
      isEven: shown.isEven && rescans.every(({ fault }) => fault === null),
    });
  }
  return compared;
}

const COLUMNS = ['ledger', 'coins', 'reserved', 'incoming', 'outgoing', 'onChain', 'difference'] as const;
type Wallet = Reconciliation['wallets'][number];

function render({ blockchain, symbol, blockNumber, wallets, difference }: Reconciliation, all: boolean): Compared {
  const shown = wallets.filter((one) => all || COLUMNS.some((name) => one[name] !== 0n) || describeWallet(one) !== '');
  const rows = shown.map((one) => [
    // Sixteen characters identify the wallet; JSON and `wallet show` have the full address.
    `${one.address.slice(0, 10)}…${one.address.slice(-4)}`,
    ...COLUMNS.map((name) => formatUsdc(one[name])),
    describeWallet(one),
  ]);
  const total = difference === undefined ? 'unknown while a wallet is being read again' : formatUsdc(difference);
  const hidden = wallets.length - shown.length;
  const differences = [difference ?? 0n, ...wallets.map((one) => one.difference)];
  const isEven = differences.every((one) => one >= 0n);
  const more = differences.some((one) => one > 0n)
    ? 'nothing is missing, and there are surplus coins'
    : 'nothing differs';
  const heading = ['wallet', 'ledger', 'coins', 'reserved', 'incoming', 'outgoing', 'on chain', 'differs', ''];
  return {
    text: [
      `${blockchain} at block ${blockNumber}, ${symbol}: ${isEven ? more : 'SOMETHING DIFFERS'}\n`,
      renderTable([heading, ...rows]),
      hidden > 0 ? `and ${hidden} wallets without anything\n` : '',
      ...wallets
        .filter((one) => one.difference !== 0n)
        .map((one) => `differs: ${one.address} (wallet ${one.walletId})\n`),
      `coins − ledger: ${total}\n`,
      isEven
        ? ''
        : wrapLines('What explains it: florin books check. What to do: docs/operating/alerts/FlorinDrift.md\n'),
    ].join(''),
    json: {
      blockchain,
      symbol,
      block: String(blockNumber),
      difference: difference === undefined ? null : formatUsdc(difference),
      wallets: wallets.map((one) => ({
        wallet_id: one.walletId,
        address: one.address,
        ...Object.fromEntries(COLUMNS.map((name) => [name === 'onChain' ? 'on_chain' : name, formatUsdc(one[name])])),
        blacklisted_at: one.blockedAt,
        is_being_read_again: one.isRescanned,
      })),
    },
    isEven,
  };
}

const describeWallet = ({ blockedAt, isRescanned }: Wallet): string =>
  [
    ...(blockedAt ? [`blacklisted by the token since ${renderTime(blockedAt)}`] : []),
    ...(isRescanned ? ['is being read again'] : []),
  ].join('; ');
