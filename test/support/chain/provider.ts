/**
 * A wallet provider that sends, on the local chain: it has its own keys and really moves USDC. By default its transfers
 * are final before it names their chain transactions.
 */
import { randomBytes, randomUUID } from 'node:crypto';
import { encodeFunctionData, type Hex, hexToNumber, keccak256, stringToHex } from 'viem';
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import { usdcAbi } from '../../../sandbox/src/chain/genesis.ts';
import type { LocalChain } from '../../../sandbox/src/chain/openLocalChain.ts';
import type { ProviderWallet } from '../../../server/src/core/ports.ts';
import type { ProviderTransfer } from '../../../server/src/core/providerSays.ts';
import type { Sender, TransferRequest } from '../../../server/src/core/providers.ts';
import type { Queryable } from '../../../server/src/db/database.ts';

export const TEST_PROVIDER = 'tests';
const FINALITY_BLOCKS = 3;
/** The number of blocks after which it names the chain transaction of a transfer: others have read it by then. */
const TELLING_BLOCKS = 5;

interface Switches {
  /** When it names the chain transaction of a transfer. */
  tellsHash: 'late' | 'immediately' | 'never';
  /** It accepts transfers and broadcasts nothing for now. */
  isSlow: boolean;
  /** The next answers to `submit` that are lost on their way back, and the next calls that never arrive. */
  lostAnswers: number;
  lostCalls: number;
  /** Refuses requests, with this reason. */
  refuses: string | undefined;
  /** Accepts transfers, and then reports them as failed. */
  fails: string | undefined;
  cancels: 'accept' | 'refuse' | 'lose the answer';
}

interface Job {
  readonly providerId: string;
  readonly request: TransferRequest;
  state: ProviderTransfer['state'];
  raw: Hex | undefined;
  error: string | undefined;
  /** The number of blocks since it was mined. */
  depth: number;
}

type Known = TransferRequest & { readonly providerId: string };
export type TestSender = Sender<TransferRequest, Known>;

/** The sender as workers call it. Its wallets need no signer, so each committed move goes to the provider unchanged. */
export function sendDirectly(db: () => Queryable, to: TestSender, rest: Sender<string>): Sender<string> {
  async function read(moveId: string): Promise<Known | undefined> {
    const [row] = await db().query<Known>(
      `SELECT m.move_id AS key, n.blockchain, s.contract AS token, w.reference, m.to_address AS to, m.amount,
              p.provider_id AS "providerId"
         FROM coin_moves m JOIN provider_transfers p USING (move_id) JOIN wallets w USING (wallet_id)
         JOIN assets s USING (asset_id) JOIN networks n USING (network_id)
        WHERE m.move_id = $1 AND p.provider = $2`,
      [moveId, TEST_PROVIDER],
    );
    return row;
  }
  const choose =
    <Answer>(ask: (known: Known) => Promise<Answer>, otherwise: (moveId: string) => Promise<Answer>) =>
    async (moveId: string): Promise<Answer> => {
      const known = await read(moveId);
      return known ? ask(known) : otherwise(moveId);
    };
  return {
    submit: choose(to.submit, rest.submit),
    find: choose(to.find, rest.find),
    cancel: choose(to.cancel, rest.cancel),
    accelerate: choose(to.accelerate, rest.accelerate),
  };
}

export interface TestProvider {
  readonly transfers: TestSender;
  readonly switches: Switches;
  /** Resets all switches. */
  reset(): void;
  /** The number of requests for each key. */
  readonly calls: ReadonlyMap<string, number>;
  /** The same owner gets the same wallet, with gas in it from the next block on. */
  createWallet(owner: string): Promise<ProviderWallet>;
  list(references: readonly string[]): Promise<readonly ProviderWallet[]>;
  /** Continues its work: broadcasts what it has accepted, and again what the chain has lost. */
  step(): Promise<void>;
  /** Moves coins of a wallet without a request. */
  steal(reference: string, to: Hex, amount: bigint): Promise<void>;
}

const newJob = (request: TransferRequest): Job => ({
  providerId: randomUUID(),
  request,
  state: 'submitted',
  raw: undefined,
  error: undefined,
  depth: -1,
});

const AS_USUAL: Switches = {
  tellsHash: 'late',
  isSlow: false,
  lostAnswers: 0,
  lostCalls: 0,
  refuses: undefined,
  fails: undefined,
  cancels: 'accept',
};

const toWallet = (reference: string, address: Hex): ProviderWallet => ({
  provider: TEST_PROVIDER,
  family: 'evm',
  reference,
  address,
});

export function startProvider(local: LocalChain, faucet: (address: string) => Promise<unknown>): TestProvider {
  const secret = randomBytes(32).toString('hex');
  const keys = new Map<string, PrivateKeyAccount>();
  const jobs = new Map<string, Job>();
  const calls = new Map<string, number>();
  const switches: Switches = { ...AS_USUAL };

  async function sign(reference: string, token: Hex, to: Hex, amount: bigint): Promise<Hex> {
    const account = keys.get(reference)!;
    const nonce = hexToNumber(await local.read<Hex>('eth_getTransactionCount', [account.address, 'pending']));
    return account.signTransaction({
      type: 'eip1559',
      chainId: local.place.chainId,
      nonce,
      to: token,
      data: encodeFunctionData({ abi: usdcAbi, functionName: 'transfer', args: [to, amount] }),
      gas: 120_000n,
      maxFeePerGas: 20_000_000_000_000n,
      maxPriorityFeePerGas: 2_000_000_000n,
    });
  }

  const findReceipt = (raw: Hex) =>
    local.read<{ blockNumber: Hex; status: Hex } | null>('eth_getTransactionReceipt', [keccak256(raw)]);

  async function refresh(job: Job): Promise<void> {
    if (!job.raw || (job.state !== 'sent' && job.state !== 'done')) return;
    const receipt = await findReceipt(job.raw);
    job.depth = receipt ? local.head - hexToNumber(receipt.blockNumber) : -1;
    job.state = job.depth < FINALITY_BLOCKS ? 'sent' : receipt?.status === '0x1' ? 'done' : 'failed';
  }

  function describe(job: Job): ProviderTransfer {
    const { providerId, state, raw, error, depth } = job;
    const showsHash =
      switches.tellsHash === 'immediately' || (switches.tellsHash === 'late' && depth >= TELLING_BLOCKS);
    return { providerId, state, txHash: raw && showsHash ? keccak256(raw) : undefined, error };
  }

  const find = (providerId: string) => [...jobs.values()].find((job) => job.providerId === providerId);
  const silence = { outcome: 'unknown', cause: new Error('the connection broke') } as const;

  const transfers: TestSender = {
    async submit(request) {
      if (switches.lostCalls-- > 0) return silence;
      calls.set(request.key, (calls.get(request.key) ?? 0) + 1);
      const known = jobs.get(request.key);
      if (!known && switches.refuses) return { outcome: 'rejected', reason: switches.refuses };
      const job = known ?? newJob(request);
      const same = ['reference', 'to', 'amount'] as const;
      if (same.some((name) => job.request[name] !== request[name]))
        throw new Error(`${request.key} asks for two things`);
      jobs.set(request.key, job);
      if (switches.lostAnswers-- > 0) return silence;
      await refresh(job);
      return { outcome: 'accepted', ...describe(job) };
    },
    async find({ providerId }) {
      const job = find(providerId);
      if (!job) return { outcome: 'rejected', reason: 'unknown' };
      await refresh(job);
      return { outcome: 'accepted', ...describe(job) };
    },
    async cancel({ providerId }) {
      const job = find(providerId)!;
      if (switches.cancels === 'refuse') return { outcome: 'rejected', reason: 'too late' };
      if (job.state !== 'submitted' && job.state !== 'cancelled') return { outcome: 'rejected', reason: 'it is sent' };
      job.state = 'cancelled';
      return switches.cancels === 'lose the answer' ? silence : { outcome: 'accepted' };
    },
    accelerate: async () => ({ outcome: 'rejected', reason: 'it is fast enough' }),
  };

  return {
    transfers,
    switches,
    reset: () => void Object.assign(switches, AS_USUAL),
    calls,
    list: async (references) =>
      references
        .filter((reference) => keys.has(reference))
        .map((reference) => toWallet(reference, keys.get(reference)!.address)),
    async createWallet(owner) {
      const account = privateKeyToAccount(keccak256(stringToHex(`${secret} ${owner}`)));
      const reference = `wallet of ${owner}`;
      if (!keys.has(reference)) await faucet(account.address);
      keys.set(reference, account);
      return toWallet(reference, account.address);
    },
    async step() {
      for (const job of jobs.values()) {
        if (job.state === 'submitted' && switches.fails) {
          job.state = 'failed';
          job.error = switches.fails;
        } else if (job.state === 'submitted' && !switches.isSlow) {
          const { reference, token, to, amount } = job.request;
          job.raw = await sign(reference, token as Hex, to as Hex, amount);
          job.state = 'sent';
          await local.broadcast(job.raw);
        } else if (job.raw && !(await findReceipt(job.raw))) {
          await local.broadcast(job.raw).catch(() => {});
        }
      }
    },
    async steal(reference, to, amount) {
      await local.broadcast(await sign(reference, local.place.usdc, to, amount));
    },
  };
}
