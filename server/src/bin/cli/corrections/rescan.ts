/** A verb of `florin wallet`. */
import { askRescan } from '../../../custody/watch/rescans.ts';
import { listWalletsOf } from '../../../customers/wallets/listWalletsOf.ts';
import type { Db } from '../../../db/database.ts';
import { findUuid } from '../../../http/contract/parseUuid.ts';
import { verb } from '../../program/command.ts';
import { misused, unknown } from '../../program/faults.ts';
import { findUserId } from '../../program/lookups.ts';

export const rescan = verb({
  says: "Lets a worker read a wallet's final transfers again",
  about: `Deposits that were never credited are; nothing is credited twice. WALLET is its id, its address, or whose it is.
From the first block on, unless --from-block says another one. florin reconcile shows how far it is.`,
  words: ['WALLET'],
  options: {
    blockchain: { type: 'string', value: 'NAME', says: 'only there; otherwise on every blockchain that is watched' },
    'from-block': { type: 'string', value: 'NUMBER', says: 'needs --blockchain' },
  },
  examples: ['wallet rescan ada', 'wallet rescan ada --blockchain ETH-SEPOLIA --from-block 5000000'],
  async run({ db, allow }, { words: [text = ''], options }) {
    const { blockchain, 'from-block': block = '0' } = options;
    if (!/^\d{1,18}$/.test(block)) throw misused(`--from-block ${block} is not the number of a block`);
    if (options['from-block'] !== undefined && blockchain === undefined) throw misused('--from-block needs --blockchain');
    const actor = await allow('custody');
    const lines: string[] = [];
    for (const walletId of await findWallets(db, text)) {
      const wanted = { walletId, blockchain, fromBlock: BigInt(block) };
      const asked = await db.tx((tx) => askRescan(tx, wanted, actor));
      lines.push(...asked.map((one) => `A worker reads wallet ${walletId} on ${one} from block ${block} on.\n`));
    }
    if (lines.length === 0) throw unknown(`no wallet of ${text} is watched${blockchain ? ` on ${blockchain}` : ''}`);
    return lines.join('');
  },
});

/** By id or address the one that is named, by person those that they have now. */
async function findWallets(db: Db, text: string): Promise<string[]> {
  const named = await listWalletsOf(db, /^0x/i.test(text) ? { address: text } : { walletId: findUuid(text) });
  return named.length > 0 ? named : listWalletsOf(db, { userId: await findUserId(db, text) });
}
