/** People's wallets at the Circle double, on a chain in this process with blocks on demand. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type RunningCircleDouble, startCircleDouble } from '../../../sandbox/src/circle/startCircleDouble.ts';
import { circleAccounts } from '../../../server/src/adapters/wallets/circle/circleAccounts.ts';
import { circleTransfers } from '../../../server/src/adapters/wallets/circle/circleTransfers.ts';
import { circleWallets } from '../../../server/src/adapters/wallets/circle/circleWallets.ts';
import { openCircle } from '../../../server/src/adapters/wallets/circle/openCircle.ts';
import type { CustodySettings } from '../../../server/src/custody/network.ts';
import { type CustodyWorld, type SendingCircle, startCustody, type WorldOptions } from '../chain/custody.ts';
import { PLACE, type ServedTestChain } from '../chain/serveTestChain.ts';
import { HOME } from '../values.ts';

/** The holders of the keys of people's wallets: we do, or Circle does and signs, or Circle does and sends. */
export const SET_UPS = ['own keys', 'Circle signs', 'Circle sends'] as const;
export type SetUp = (typeof SET_UPS)[number];

interface CircleOptions {
  readonly accountType?: 'EOA' | 'SCA';
  readonly webhookUrl?: string;
}

const FINAL = ['COMPLETE', 'CANCELLED', 'FAILED'];
/** The number of steps from INITIATED to SENT. */
const STEPS_PER_BLOCK = 4;

const connect = ({ url, apiKey, entitySecret }: RunningCircleDouble) =>
  openCircle({ url, apiKey, entitySecret: Buffer.from(entitySecret, 'hex'), timeoutMs: 20_000 });

/** Circle's limits per second, as the signer observes them. */
interface Limits {
  isOn: boolean;
  /** All signers of a database share them. */
  takeLookup?: (priority: 'first' | 'yielding') => Promise<void>;
}

/** Opens Circle's transfers for the signer. Circle's rate limits apply only while `limits.isOn`. */
function openSending(
  double: RunningCircleDouble,
  accountType: 'EOA' | 'SCA',
  life: { readonly keyMs: number },
  limits: Limits,
): SendingCircle {
  const shared = {
    circle: connect(double),
    accountType,
    isTest: true,
    walletSetId: () => double.walletSetId,
    takeLookup: async (priority: 'first' | 'yielding') => (limits.isOn ? limits.takeLookup?.(priority) : undefined),
  } as const;
  const accounts = circleAccounts({ ...shared, provider: 'circle_send' });
  const sender = circleTransfers({ ...shared, accounts, feeLevel: 'MEDIUM' });
  return {
    // These have the addresses of an EVM chain.
    accounts: { create: accounts.create, list: accounts.list } as SendingCircle['accounts'],
    sender: {
      ...sender,
      get perSecond() {
        return limits.isOn ? sender.perSecond : { posts: 1_000 };
      },
      get keyLifeMs() {
        return life.keyMs;
      },
    },
  };
}

interface CircleHome {
  readonly options: WorldOptions;
  /** Undefined with local keys. */
  double(): RunningCircleDouble | undefined;
  /** The time for which the signer assumes that Circle remembers keys. */
  readonly life: { keyMs: number };
  readonly limits: Limits;
}

/** Prepares the options of `startCustody` for this set-up. The double takes its steps when blocks are mined. */
export function setUp(kind: SetUp, { accountType = 'SCA', webhookUrl }: CircleOptions = {}): CircleHome {
  let double: RunningCircleDouble | undefined;
  const life = { keyMs: 3_600_000 };
  const limits: Limits = { isOn: false };
  const begin = async ({ url }: ServedTestChain): Promise<RunningCircleDouble> => {
    const chain = { blockchain: HOME, chain_id: PLACE.chainId, rpc_url: url, usdc_address: PLACE.usdc };
    const given = { chains: [chain], keyBits: 1024, stepMs: 'never', limits: false } as const;
    double = await startCircleDouble({ ...given, ...(webhookUrl && { webhookUrl }) });
    return double;
  };
  const hooks = {
    async onMine() {
      for (let i = 0; i < STEPS_PER_BLOCK; i++) await double?.control.step();
    },
    onStop: async () => double?.stop(),
  };
  const networks = [{ blockchain: HOME, chainId: PLACE.chainId }];
  const options: Record<SetUp, WorldOptions> = {
    'own keys': {},
    'Circle signs': {
      ...hooks,
      async openCircle(chain) {
        const { walletSetId } = await begin(chain);
        const keys = circleWallets({
          circle: connect(double!),
          networks,
          isTest: true,
          walletSetId: () => walletSetId,
          takeLookup: async (priority) => (limits.isOn ? limits.takeLookup?.(priority) : undefined),
        });
        const { perSecond, ...unlimited } = keys;
        return Object.defineProperty(unlimited, 'perSecond', {
          enumerable: true,
          get: () => (limits.isOn ? perSecond : undefined),
        });
      },
    },
    'Circle sends': {
      ...hooks,
      openSender: async (chain) => openSending(await begin(chain), accountType, life, limits),
    },
  };
  return { options: options[kind], double: () => double, life, limits };
}

export interface SendingWorld {
  readonly world: CustodyWorld;
  readonly double: RunningCircleDouble;
  readonly life: { keyMs: number };
  readonly limits: Limits;
  /** Works and mines until these payments have ended. */
  finish(...paymentIds: readonly string[]): Promise<void>;
  /** Works and mines until the condition holds. */
  until(isSo: () => Promise<boolean>): Promise<void>;
}

const PATIENCE_MS = 200_000;
const PROMPT_ROUNDS = 10;
const PAUSE_MS = 400;

export async function startSendingWorld(
  options: CircleOptions = {},
  settings: Partial<CustodySettings> = {},
): Promise<SendingWorld> {
  const home = setUp('Circle sends', options);
  const world = await startCustody(settings, home.options);

  async function until(isSo: () => Promise<boolean>): Promise<void> {
    const deadline = Date.now() + PATIENCE_MS;
    for (let round = 1; Date.now() < deadline; round++) {
      await world.work();
      await world.mine();
      if (await isSo()) return;
      // So many rounds wait for Circle's rate limits, and rounds without a pause would only keep a core busy.
      if (round > PROMPT_ROUNDS) await sleep(PAUSE_MS);
    }
    throw new Error('the condition did not become true');
  }

  return {
    world,
    double: home.double()!,
    life: home.life,
    limits: home.limits,
    until,
    finish: (...paymentIds) =>
      until(async () => {
        const states = await Promise.all(paymentIds.map(async (id) => (await world.get(id)).state));
        return states.every((state) => FINAL.includes(state));
      }),
  };
}
