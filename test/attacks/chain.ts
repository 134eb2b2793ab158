/** Attacks through the chain, where anyone can write. */
import { randomBytes } from 'node:crypto';
import { type Address, concatHex, encodeFunctionData, getAddress, type Hex, numberToHex, pad } from 'viem';
import { privateKeyToAddress } from 'viem/accounts';
import { expect } from 'vitest';
import { OPERATOR_KEY, usdcAbi } from '../../sandbox/src/chain/genesis.ts';
import { TRANSFER } from '../../server/src/adapters/chain/usdcAbi.ts';
import { formatUsdc, type Usdc } from '../../server/src/core/money.ts';
import { type Attack, availableOf, books, codes, count, fund, join, key, type World } from '../support/attacks.ts';
import { usdcCode } from '../support/chain/chain.ts';

const balanceShown = async ({ florin, service }: World, address: string) => {
  const { body } = await florin.call('GET', `/subgraph/wallet-overview?address=${address}`, undefined, service);
  return body.balances[0] as { available: string; pending_in: string };
};

const sendTo = ({ florin, victim, service }: World, destination: string, amount = 1) =>
  florin.call(
    'POST',
    '/wallet/send-usdc',
    { destination_address: destination, amount, wallet_username: victim.name },
    { ...service, ...key() },
  );

/** Another address with the same first and last four digits. */
const resembling = (address: Address): Address =>
  getAddress(`${address.slice(0, 6)}${randomBytes(16).toString('hex')}${address.slice(-4)}`.toLowerCase() as Hex);

/** Upper and lower case swapped: the same digits with a wrong checksum. */
const misspelt = (address: Address): string =>
  `0x${address.slice(2).replace(/[a-f]/gi, (letter) => (letter < 'a' ? letter.toLowerCase() : letter.toUpperCase()))}`;

export const addressPoisoning: Attack = {
  attack: 'Address poisoning: zero-value and dust transfers from a look-alike',
  wanted:
    'none of 3 dust transfers shown, 1 on request, sends continue; zero, token, checksum: 400 ×3; own: 409 payment.self; nothing held',
  async probe(world) {
    const { florin, chain, db, victim } = world;
    const poisoner = await chain.stranger();
    const friend = resembling(poisoner.address);
    const paid = await sendTo(world, friend);
    const finished = () =>
      florin.call('GET', `/circle/transaction/${paid.body.transaction_id}`, undefined, world.service);
    await chain.mineUntil(async () => expect((await finished()).body.state).toBe('COMPLETE'));

    const before = await availableOf(db, victim);
    await chain.mint(poisoner.address, '1');
    await chain.mine();
    await poisoner.transfer(victim.address, 0n);
    // The token lets anyone transfer 0 from any wallet, which looks like a payment by the victim.
    const zero = [victim.address, poisoner.address, 0n];
    await poisoner.send(chain.usdc, encodeFunctionData({ abi: usdcAbi, functionName: 'transferFrom', args: zero }));
    await poisoner.transfer(victim.address, 9_999n);
    await chain.mineUntil(async () => expect(await availableOf(db, victim)).toBe(before + 9_999n));
    const history = async (query = '') => {
      const path = `/api/v1/latest_transactions_by_username/${victim.name}${query}`;
      const { body } = await florin.call('GET', path, undefined, victim.bearer);
      return JSON.stringify(body.transactions).split(poisoner.address).length - 1;
    };
    const specks = await chain.countTransfers(victim.address, poisoner.address);
    const [shown, onRequest] = [await history(), await history('?max_amount=1')];

    const untouched = await books(db);
    const refused = await Promise.all(
      [`0x${'0'.repeat(40)}`, chain.usdc, misspelt(friend)].map((address) => sendTo(world, address)),
    );
    const own = await sendTo(world, victim.address);
    const held = (await books(db)) === untouched ? 'nothing' : 'something';
    const again = await sendTo(world, friend);
    return `${shown === 0 ? 'none' : shown} of ${specks} dust transfers shown, ${onRequest} on request, sends ${again.status === 200 ? 'continue' : 'stopped'}; zero, token, checksum: 400 ×${count(refused, 400)}; own: ${codes([own])}; ${held} held`;
  },
};

/** A contract that, when called, emits the log that the token would emit for a transfer. */
const imitationOf = (from: Address, to: Address, amount: bigint): Hex =>
  concatHex([
    ...['0x7f' as Hex, numberToHex(amount, { size: 32 }), '0x600052' as Hex], // the amount into memory
    ...[to, from].flatMap((party) => ['0x7f' as Hex, pad(party, { size: 32 })]), // the topics, last first
    ...['0x7f' as Hex, TRANSFER, '0x60206000a300' as Hex], // and a log with three of them
  ]);

export const fakeDeposit: Attack = {
  attack: 'Fake deposit: other tokens, imitations, reverts and reorgs',
  wanted:
    "another token 0, an imitation's log 0, a reverted transfer 0, a reorganized one 0 after 5 pending; a real one 2",
  async probe(world) {
    const { florin, chain, db } = world;
    const target = await join(florin, 'target');
    await fund(world, target, '1');
    const thief = await chain.stranger();
    const operator = await chain.stranger(OPERATOR_KEY);
    await chain.mint(thief.address, '10');
    let credited = await availableOf(db, target);
    /** Deposits that show that the watcher read everything before them. */
    const countHalves = async () =>
      (
        await db.query('SELECT FROM deposits JOIN wallets USING (wallet_id) WHERE user_id = $1 AND amount = 500000', [
          target.userId,
        ])
      ).length;
    /**
     * What the next blocks credit once they are final. A real deposit after them shows that the watcher read them all.
     */
    const gain = async (): Promise<string> => {
      await chain.mine(6);
      const halves = await countHalves();
      await chain.mint(target.address, '0.5');
      await chain.mineUntil(async () => expect(await countHalves()).toBe(halves + 1));
      const now = await availableOf(db, target);
      const gained = now - credited - 500_000n;
      credited = now;
      return formatUsdc(gained as Usdc);
    };

    const other = await thief.deploy(usdcCode);
    const mint = encodeFunctionData({ abi: usdcAbi, functionName: 'mint', args: [thief.address, 1_000_000_000n] });
    await chain.mine();
    await operator.send(other, mint);
    await chain.mine();
    await thief.transfer(target.address, 1_000_000_000n, other);
    const anotherToken = await gain();

    const imitation = await thief.deploy(
      imitationOf(privateKeyToAddress(OPERATOR_KEY), target.address, 1_000_000_000n),
    );
    await chain.mine();
    await thief.send(imitation, '0x');
    const imitated = await gain();

    await thief.transfer(target.address, 1_000_000_000n);
    const reverted = await gain();

    await thief.transfer(target.address, 5_000_000n);
    await chain.mine();
    await expect.poll(async () => (await balanceShown(world, target.address)).pending_in).toBe('5');
    await chain.reorg(1, 'drop');
    const reorganized = await gain();

    await thief.transfer(target.address, 2_000_000n);
    return `another token ${anotherToken}, an imitation's log ${imitated}, a reverted transfer ${reverted}, a reorganized one ${reorganized} after 5 pending; a real one ${await gain()}`;
  },
};
