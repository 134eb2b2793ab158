import { formatCoins } from '../../core/money.ts';
import type { Chain, Hex } from '../../core/ports.ts';
import { describeExcess, listRunways } from '../../custody/eip3009/relaying/listRunways.ts';
import { restartRelayer } from '../../custody/eip3009/restartRelayer.ts';
import { openNetwork } from '../../custody/network.ts';
import { loadChains } from '../config/config.ts';
import { findMissingGas } from '../doctor/checkGas.ts';
import { type Noun, verb } from '../program/command.ts';
import { misused, unknown } from '../program/faults.ts';
import { renderFields, renderTable, wrap } from '../program/render.ts';
import { suggest } from '../program/suggest.ts';

const list = verb({
  summary: 'Shows the relayers, how many payments each can still pay for, and which are stopped',
  reads: true,
  async run({ db }) {
    const runways = await listRunways(db);
    const json = runways.map((one) => ({
      blockchain: one.blockchain,
      address: one.address,
      gas_wei: String(one.gasWei),
      payments_left: one.payments === undefined ? null : Number(one.payments),
      fault: one.fault,
    }));
    if (runways.length === 0) return { text: NONE, json };
    const rows = runways.map((one) => [
      one.blockchain,
      one.address,
      formatCoins(one.gasWei),
      one.payments === undefined ? 'unknown' : String(one.payments),
      one.fault ??
        (!one.isNeeded
          ? 'has nothing to send'
          : one.payments === 0n
            ? 'has no gas'
            : one.aboveCap
              ? describeExcess(one.aboveCap)
              : 'works'),
    ]);
    return { text: renderTable([['blockchain', 'address', 'coins', 'payments left', 'state'], ...rows]), json };
  },
});

const fundAddress = verb({
  summary: 'Shows where to send coins for gas, and how many',
  about: `Enough for a thousand payments at the current gas price, each in its own chain transaction.`,
  words: ['[BLOCKCHAIN]'],
  reads: true,
  examples: ['relayer fund-address', 'relayer fund-address ETH-SEPOLIA --json'],
  async run({ db }, { words: [blockchain] }) {
    const given = loadChains();
    const all = await listRunways(db);
    const chosen = all.filter((one) => blockchain === undefined || one.blockchain === blockchain);
    if (blockchain !== undefined && all.length > 0 && chosen.length === 0)
      throw unknown(
        `${blockchain} has no relayer; there are relayers on ${[...new Set(all.map((one) => one.blockchain))].join(', ')}`,
      );
    const shown = chosen.map((one) => ({ ...one, missing: findMissingGas(one, given) }));
    const text = shown.map((one) =>
      renderFields([
        ['blockchain', one.blockchain],
        ['address', one.address],
        [
          'has',
          `${formatCoins(one.gasWei)} coins${one.payments === undefined ? '' : `, enough for ${one.payments} payments`}`,
        ],
        ['send it', one.missing > 0n ? `${formatCoins(one.missing)} coins` : 'nothing: it has enough'],
      ]),
    );
    const json = shown.map((one) => ({
      blockchain: one.blockchain,
      address: one.address,
      gas_wei: String(one.gasWei),
      send_wei: String(one.missing),
    }));
    return { text: text.join('\n') || NONE, json };
  },
});

const restart = verb({
  summary: 'Accepts the nonces of a stopped relayer that were used elsewhere, and restarts it',
  words: ['BLOCKCHAIN', 'ADDRESS'],
  async plan({ db, chains, allow }, { words: [blockchain = '', address = ''] }) {
    if (!/^0x[0-9a-fA-F]{40}$/.test(address))
      throw misused(`"${address}" is not an address, as florin relayer list shows it`);
    const chain = getChain(await chains(), blockchain);
    const actor = await allow('custody');
    const relayers = await listRunways(db);
    const isOfIt = (one: (typeof relayers)[number]) =>
      one.blockchain === blockchain && one.address.toLowerCase() === address.toLowerCase();
    const relayer = relayers.find(isOfIt);
    if (!relayer) throw unknown(`${blockchain} has no relayer ${address}: florin relayer list`);
    return {
      title: `Restart the relayer ${address} on ${blockchain}.`,
      changes: [
        {
          what: 'state',
          before: relayer.fault ?? 'not stopped',
          after: 'sends again; the nonces that were used elsewhere count as used',
        },
      ],
      async carryOut() {
        const nonces = await restartRelayer({ db }, await openNetwork(db, chain), address as Hex, actor);
        return `It works again. Accepted ${nonces} nonces that were used elsewhere.\n`;
      },
    };
  },
});

export default {
  about: 'The wallets of the service that pay gas. People’s wallets never need gas.',
  verbs: { list, 'fund-address': fundAddress, restart },
} satisfies Noun;

const NONE = `${wrap('There are no relayers yet: a worker asks the signer for them when it starts (florin worker, FLORIN_CHAINS).').join('\n')}\n`;

function getChain(chains: readonly Chain[], blockchain: string): Chain {
  const names = chains.map((one) => one.blockchain);
  const chain = chains.find((one) => one.blockchain === blockchain);
  if (!chain)
    throw unknown(
      `FLORIN_CHAINS does not list ${blockchain}${suggest(blockchain, names)}; it lists ${names.join(', ') || 'none'}`,
    );
  return chain;
}
