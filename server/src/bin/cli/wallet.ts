import { formatUsdc } from '../../core/money.ts';
import { findWallet } from '../../custody/findWallet.ts';
import { listMoving } from '../../custody/listMoving.ts';
import { askRescan } from '../../custody/watch/askRescan.ts';
import { type Noun, verb } from '../program/command.ts';
import { misused, unknown } from '../program/faults.ts';
import { describePerson, parseBlockchain } from '../program/lookups.ts';
import { renderFields, renderTable, renderTime } from '../program/render.ts';

const show = verb({
  summary: 'Shows the owner of a wallet and its coins',
  about: 'WALLET is an address on any blockchain, a wallet id, a username, or treasury.',
  words: ['WALLET'],
  reads: true,
  examples: ['wallet show 0x8ba1…', 'wallet show ada', 'wallet show treasury'],
  async run({ db }, { words: [word = ''] }) {
    const wallet = await findWallet(db, word);
    if (!wallet) throw unknown(`${word} is not one of our wallets`);
    const owner = wallet.userId
      ? [wallet.username ?? 'without a username', `user ${wallet.userId}`].join(', ')
      : 'the service (treasury)';
    const fields = renderFields([
      ['wallet', wallet.walletId],
      ['address', wallet.address],
      ['used on', wallet.blockchains.join(', ')],
      ['owner', owner],
      ['keys', wallet.provider === 'local' ? 'our own signer' : wallet.provider],
      ['made', renderTime(wallet.createdAt)],
      ['replaced', wallet.replacedAt ? renderTime(wallet.replacedAt) : undefined],
      ...wallet.others.map((one) => [`on ${one.blockchain}`, one.address] as const),
    ]);
    const rows = wallet.holdings.map((one) => [
      one.blockchain,
      formatUsdc(one.coins),
      formatUsdc(one.reserved),
      describeRescan(one),
    ]);
    const table =
      rows.length === 0 ? 'It has never had coins.\n' : renderTable([['blockchain', 'coins', 'reserved', ''], ...rows]);
    return {
      text: `${fields}\n${table}`,
      json: {
        wallet_id: wallet.walletId,
        address: wallet.address,
        user_id: wallet.userId,
        username: wallet.username,
        provider: wallet.provider,
        created_at: wallet.createdAt,
        replaced_at: wallet.replacedAt,
        blockchains: wallet.blockchains,
        others: wallet.others.map((one) => ({
          blockchain: one.blockchain,
          wallet_id: one.walletId,
          address: one.address,
        })),
        holdings: wallet.holdings.map((one) => ({
          blockchain: one.blockchain,
          coins: formatUsdc(one.coins),
          reserved: formatUsdc(one.reserved),
          blacklisted_at: one.blockedAt,
          refusal: one.refusal,
          refused_until: one.refusedUntil,
          is_being_read_again: one.isRescanned,
        })),
      },
    };
  },
});

const rescan = verb({
  summary: "Has a worker read a wallet's final transfers again and credit missed deposits",
  about: 'Nothing is credited twice. florin reconcile shows the progress.',
  words: ['WALLET', 'BLOCKCHAIN'],
  options: { from: { type: 'string', value: 'BLOCK', summary: 'from this block on; default: from the first' } },
  examples: ['wallet rescan ada ETH-SEPOLIA --from 6500000'],
  async plan({ db, allow }, { words: [word = '', name = ''], options }) {
    const { from = '0' } = options;
    if (!/^\d{1,18}$/.test(from)) throw misused('--from must be the number of a block');
    const wallet = await findWallet(db, word);
    if (!wallet) throw unknown(`${word} is not one of our wallets`);
    const blockchain = await parseBlockchain(db, name);
    const actor = await allow('custody');
    return {
      title: 'Read the final transfers of this wallet again. Nothing is credited twice.',
      facts: [
        ['wallet', `${wallet.walletId} ${wallet.address}`],
        ['owner', wallet.userId ? await describePerson(db, wallet.userId) : 'the service (treasury)'],
        ['from block', `${from} on ${blockchain}`],
      ],
      changes: [{ what: 'its owner', before: 'has what was credited', after: 'also gets missed deposits' }],
      async carryOut() {
        const isAsked = await askRescan(db, { blockchain, walletId: wallet.walletId, fromBlock: BigInt(from) }, actor);
        if (!isAsked) throw unknown(`${blockchain} was never watched`);
        return 'A worker is reading it now: see florin reconcile.\n';
      },
    };
  },
});

const moving = verb({
  summary: 'Shows what remains of a move to other wallets',
  about: 'Exit code 1 while anything remains. docs/guides/moving-wallets.md describes the move.',
  reads: true,
  async run({ db }) {
    const all = await listMoving(db);
    const rows = all.map((one) => [
      one.blockchain,
      one.provider,
      String(one.waiting),
      formatUsdc(one.coins),
      String(one.wallets),
    ]);
    const isBad = all.some(({ waiting, coins }) => waiting > 0 || coins > 0n);
    const head = ['blockchain', 'wallets of', 'people without one', 'coins in others', 'of wallets'];
    return {
      text: renderTable([head, ...rows]),
      isBad,
      json: {
        networks: all.map((one) => ({
          blockchain: one.blockchain,
          provider: one.provider,
          people_without: one.waiting,
          coins_elsewhere: formatUsdc(one.coins),
          wallets_elsewhere: one.wallets,
        })),
      },
    };
  },
});

export default {
  about: 'Wallets of people and of the service, by address, wallet id or username.',
  verbs: { show, rescan, moving },
} satisfies Noun;

type Holding = NonNullable<Awaited<ReturnType<typeof findWallet>>>['holdings'][number];

const describeRescan = ({ blockedAt, isRescanned, refusal, refusedUntil }: Holding): string =>
  [
    ...(blockedAt ? [`blacklisted by the token since ${renderTime(blockedAt)}`] : []),
    ...(refusal ? [`its coins could not be moved: ${refusal}`] : []),
    ...(refusedUntil ? [`the next attempt is after ${renderTime(refusedUntil)}`] : []),
    ...(isRescanned ? ['is being read again'] : []),
  ].join('; ');
