import { familyOf } from '../../../core/families.ts';
import type { AdapterApp, OpenAdapter, ProviderAdapter } from '../../../core/providers.ts';
import { circleAccounts, listTogether } from './circleAccounts.ts';
import { circleTransfers } from './circleTransfers.ts';
import { circleWallets } from './circleWallets.ts';
import { circleWebhook, fetchWebhookKey } from './circleWebhooks.ts';
import { describeCircle } from './describeCircle.ts';
import { type Circle, type CircleOptions, openCircle } from './openCircle.ts';
import { checkEntity, checkWalletSet, getWalletSet } from './walletSets.ts';

export interface CircleConfig extends CircleOptions {
  readonly accountType: 'SCA' | 'EOA';
  readonly feeLevel: 'LOW' | 'MEDIUM' | 'HIGH';
  /** Undefined: the one that the database knows, otherwise a new one. */
  readonly walletSet: string | undefined;
}

const CHECK_MS = 3_000;

/** Circle: it signs for the wallets of `circle`, which our relayers serve, and sends from those of `circle_send`. */
export const circleProvider: ProviderAdapter<CircleConfig> = {
  name: 'circle',
  title: 'Circle',
  rails: { circle: 'eip3009', circle_send: 'provider' },
  lookupsPerSecond: 20,
  accountVariables: 'FLORIN_CIRCLE_WALLET_SET, FLORIN_CIRCLE_ACCOUNT',
  webhook: circleWebhook,
  open,
  /** The entity secret can only be checked by using it. */
  async check({ walletSet, ...config }) {
    const circle = openCircle({ ...config, timeoutMs: CHECK_MS });
    await checkEntity(circle);
    if (walletSet) await checkWalletSet(circle, walletSet);
    return `Circle answers at ${new URL(config.url).host}${walletSet ? ' and knows the wallet set' : ''}`;
  },
  describeFault: describeCircle,
};

function open(config: CircleConfig, { networks, seedFingerprint, takeLookup }: AdapterApp): OpenAdapter {
  const circle = openCircle(config);
  let chosen: string | undefined;
  const shared = {
    circle,
    isTest: config.apiKey.startsWith('TEST_'),
    walletSetId: () => chosen!,
    takeLookup,
  };
  const { accountType, feeLevel } = config;
  const families = networks.map(({ blockchain }) => ({ blockchain, family: familyOf(blockchain) }));
  const signing = circleWallets({ ...shared, networks: networks.filter((_, i) => families[i]!.family === 'evm') });
  const accounts = circleAccounts({ ...shared, provider: 'circle_send', accountType });
  const unwatched = [...new Set(families.map(({ family }) => family))].flatMap((family) =>
    family === 'evm'
      ? []
      : [
          {
            ...circleAccounts({ ...shared, provider: 'circle_send', accountType: 'EOA', family }),
            provider: 'circle_send',
            family,
          },
        ],
  );
  const sender = circleTransfers({
    ...shared,
    accounts,
    elsewhere: Object.fromEntries(unwatched.map((one) => [one.family, one])),
    accountType,
    feeLevel,
  });
  return {
    keyrings: { circle: signing },
    senders: { circle_send: sender },
    others: { circle_send: listTogether([accounts, ...unwatched]) },
    makers: {
      circle: { ...signing, provider: 'circle' },
      circle_send: { ...accounts, provider: 'circle_send' },
    },
    unwatchedMakers: unwatched,
    async findWebhookKey(keyId) {
      await takeLookup('yielding');
      return fetchWebhookKey(circle, keyId);
    },
    async choose(known, onMessage) {
      chosen = await chooseWalletSet(circle, known, config.walletSet, seedFingerprint, onMessage);
      return chosen;
    },
  };
}

/** Circle is called only at the first start; later starts do not depend on it. */
async function chooseWalletSet(
  circle: Circle,
  known: string | undefined,
  asked: string | undefined,
  seed: string,
  onMessage: (message: string) => void,
): Promise<string> {
  if (known && (asked === undefined || asked === known)) return known;
  if (asked !== undefined) {
    await checkWalletSet(circle, asked);
    return asked;
  }
  const found = await getWalletSet(circle, seed);
  onMessage(`the wallet set of this installation at Circle is ${found}: store it as FLORIN_CIRCLE_WALLET_SET`);
  return found;
}
