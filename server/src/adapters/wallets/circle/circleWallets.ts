import type { AnyWallet, Hex, Keyring, ProviderAnswer, TokenDomain } from '../../../core/ports.ts';
import { AUTHORIZATION_TYPES, CANCELLATION_TYPES } from '../eip3009Types.ts';
import { type CircleAccountsOptions, circleAccounts } from './circleAccounts.ts';
import { normalizeSignature } from './normalizeSignature.ts';
import { describeTypedData } from './typedData.ts';

/** The part of the signer's call time-out that remains after rate limiting and lookups. */
const SIGN_MS = 3_500;

interface CircleWalletsOptions extends Omit<CircleAccountsOptions, 'provider' | 'accountType'> {
  /** By Circle's names. */
  readonly networks: readonly { readonly blockchain: string; readonly chainId: number }[];
}

/**
 * Wallets whose keys Circle holds: Circle signs, and we relay what it has signed. Relayers are not at Circle, because
 * it signs chain transactions only for wallets of another kind.
 */
export function circleWallets({ networks, ...options }: CircleWalletsOptions): Keyring {
  const { circle } = options;
  const accounts = circleAccounts({ ...options, provider: 'circle', accountType: 'EOA' });

  async function sign(
    reference: string,
    from: Hex,
    typed: Parameters<typeof describeTypedData>[0],
  ): Promise<ProviderAnswer<{ readonly signature: Hex }, string>> {
    const found = await accounts.find(reference);
    if (found?.address !== from) throw new TypeError('the authorization is not from the wallet with this reference');
    const walletId = await accounts.idOn(reference, found, getNetwork(networks, typed.domain).blockchain);
    const { data, hash } = describeTypedData(typed);
    const path = '/v1/w3s/developer/sign/typedData';
    const body = { walletId, data };
    // Only one attempt: a second one would count against the rate limit without the rate limiter knowing. The caller
    // asks again.
    const answer = await circle.ask({ method: 'POST', path, body, isSealed: true, attempts: 1, timeoutMs: SIGN_MS });
    if (answer.outcome !== 'accepted') return answer;
    const given = (answer.data as { signature?: unknown } | null)?.signature;
    const signature = await normalizeSignature(given, hash, from);
    if (signature) return { outcome: 'accepted', signature };
    return {
      outcome: 'unknown',
      cause: new Error('Circle did not return a signature of the wallet'),
    };
  }

  return {
    perSecond: accounts.perSecond!,
    // Known only after the signer has started.
    get fingerprint() {
      return accounts.fingerprint;
    },
    create: async (owner) => toSigning(await accounts.create(owner)),
    referenceOf: accounts.referenceOf,
    list: async (references) => (await accounts.list(references)).map(toSigning),
    signAuthorization(reference, domain, { from, to, amount, validAfterSeconds, validBeforeSeconds, nonce }) {
      const message = {
        from,
        to,
        value: amount,
        validAfter: validAfterSeconds,
        validBefore: validBeforeSeconds,
        nonce,
      };
      return sign(reference, from, { domain, types: AUTHORIZATION_TYPES, message });
    },
    signCancellation: (reference, domain, authorizer, nonce) =>
      sign(reference, authorizer, { domain, types: CANCELLATION_TYPES, message: { authorizer, nonce } }),
    signRelayTx: async () => ({
      outcome: 'rejected',
      reason: 'Circle does not sign chain transactions for these wallets',
    }),
  };
}

/** These accounts always have EVM addresses. */
const toSigning = (wallet: AnyWallet) => ({ ...wallet, family: 'evm', address: wallet.address as Hex }) as const;

function getNetwork(networks: CircleWalletsOptions['networks'], { chainId }: TokenDomain) {
  const network = networks.find((one) => one.chainId === chainId);
  if (!network) throw new TypeError(`no blockchain with the chain id ${chainId} is configured`);
  return network;
}
