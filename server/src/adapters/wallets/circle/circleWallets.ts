import { getAddress, isAddress } from 'viem';
import { z } from 'zod';
import { PayError } from '../../../core/errors.ts';
import type { Hex, Keyring, ProviderAnswer, ProviderWallet, TokenDomain, WalletOwner } from '../../../core/ports.ts';
import { AUTHORIZATION_TYPES, CANCELLATION_TYPES } from '../eip3009Types.ts';
import { wordsOf } from '../ownerWords.ts';
import { CircleFault } from './circleFault.ts';
import { makeId, refIdOf } from './circleIds.ts';
import { normalizeSignature } from './normalizeSignature.ts';
import type { Circle, CircleAnswer } from './openCircle.ts';
import { describeTypedData } from './typedData.ts';

/** Circle's own limit for each of signing and making wallets. */
const PER_SECOND = 10;
/** A lookup at Circle per wallet and process; small, because nothing but ids is remembered. */
const REMEMBERED_WALLETS = 20_000;
const ATTEMPTS = 3;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

interface CircleWalletsOptions {
  readonly circle: Circle;
  /** By the names that Circle has for them. */
  readonly networks: readonly { readonly blockchain: string; readonly chainId: number }[];
  /** All our wallets are in it. Asked for each time: it is known only after the signer has begun. */
  readonly walletSetId: () => string;
}

interface KnownWallet {
  readonly address: Hex;
  /** Circle has one id per blockchain for it. */
  readonly ids: Map<string, string>;
}

const wallet = z.object({
  id: z.guid(),
  address: z.string().refine((text) => isAddress(text, { strict: false })),
  blockchain: z.string(),
  walletSetId: z.string(),
  refId: z.string().nullish(),
  accountType: z.string().nullish(),
  createDate: z.string(),
});
const wallets = z.object({ wallets: z.array(z.unknown()) });
type CircleWallet = z.infer<typeof wallet>;

/**
 * Wallets whose keys Circle holds: we ask it to sign, and carry what it has signed. A wallet's `reference` is its `refId` at
 * Circle, made from its owner, so that it is found again whatever the database has lost. Relayers are not Circle's: it
 * signs chain transactions only for wallets of another kind.
 */
export function circleWallets({ circle, networks, walletSetId }: CircleWalletsOptions): Keyring {
  const known = new Map<string, KnownWallet>();

  function remember(reference: string, found: KnownWallet): KnownWallet {
    const [oldest] = known.keys();
    if (known.size >= REMEMBERED_WALLETS && oldest) known.delete(oldest);
    known.set(reference, found);
    return found;
  }

  /** Those of our set, on our blockchains, that have a key of their own. */
  function readWallets(answer: CircleAnswer, isWanted: (one: CircleWallet) => boolean): KnownWallet | undefined {
    const all = read(wallets, answer).wallets.flatMap((one) => wallet.safeParse(one).data ?? []);
    const ours = all.filter(
      (one) =>
        isWanted(one) &&
        one.walletSetId === walletSetId() &&
        one.accountType !== 'SCA' &&
        networks.some(({ blockchain }) => blockchain === one.blockchain),
    );
    // Should there ever be a second one, everybody goes on with the first.
    const [first] = ours.toSorted(byAge);
    if (!first) return undefined;
    const same = ours.filter((one) => one.address.toLowerCase() === first.address.toLowerCase());
    return { address: getAddress(first.address), ids: new Map(same.map((one) => [one.blockchain, one.id])) };
  }

  async function find(reference: string): Promise<KnownWallet | undefined> {
    const kept = known.get(reference);
    if (kept) return kept;
    const query = { walletSetId: walletSetId(), refId: reference, pageSize: '50' };
    const answer = await circle.ask({ method: 'GET', path: '/v1/w3s/wallets', query, attempts: ATTEMPTS });
    const found = readWallets(answer, ({ refId }) => refId === reference);
    return found && remember(reference, found);
  }

  /** The idempotency key is made from the owner, too: two that ask at once, or again after no answer, get one wallet. */
  async function make(owner: WalletOwner, reference: string): Promise<KnownWallet> {
    const set = walletSetId();
    const body = {
      blockchains: networks.map(({ blockchain }) => blockchain),
      count: 1,
      walletSetId: set,
      metadata: [{ name: 'Florin', refId: reference }],
      idempotencyKey: makeId('wallet', set, ...wordsOf(owner)),
      accountType: 'EOA',
    };
    const path = '/v1/w3s/developer/wallets';
    const answer = await circle.ask({ method: 'POST', path, body, isSealed: true, attempts: ATTEMPTS });
    const found = readWallets(answer, ({ refId }) => !refId || refId === reference);
    if (!found) throw unavailable(new CircleFault('Circle made another wallet than it was asked for'));
    return remember(reference, found);
  }

  /** A blockchain that was configured later: the same address gets an id there. */
  async function idOn(reference: string, { address, ids }: KnownWallet, blockchain: string): Promise<string> {
    const have = ids.get(blockchain);
    if (have) return have;
    const [first] = ids.values();
    const path = `/v1/w3s/developer/wallets/${first}/blockchains/${blockchain}` as const;
    const body = { metadata: { name: 'Florin', refId: reference } };
    const answer = await circle.ask({ method: 'PUT', path, body, attempts: ATTEMPTS });
    const derived = read(z.object({ wallet }), answer).wallet;
    if (getAddress(derived.address) !== address)
      throw unavailable(new CircleFault(`Circle has another address for a wallet on ${blockchain}`));
    ids.set(blockchain, derived.id);
    return derived.id;
  }

  async function sign(
    reference: string,
    from: Hex,
    typed: Parameters<typeof describeTypedData>[0],
  ): Promise<ProviderAnswer<{ readonly signature: Hex }, string>> {
    const found = await find(reference);
    if (found?.address !== from) throw new TypeError('the authorization is from another wallet than this reference');
    const walletId = await idOn(reference, found, getNetwork(networks, typed.domain).blockchain);
    const { data, hash } = describeTypedData(typed);
    const path = '/v1/w3s/developer/sign/typedData';
    // Once: a second attempt would count against the rate limit without anybody knowing. Whoever asked asks again.
    const answer = await circle.ask({ method: 'POST', path, body: { walletId, data }, isSealed: true, attempts: 1 });
    if (answer.outcome !== 'accepted') return answer;
    const given = (answer.data as { signature?: unknown } | null)?.signature;
    const signature = await normalizeSignature(given, hash, from);
    if (signature) return { outcome: 'accepted', signature };
    return {
      outcome: 'unknown',
      cause: new Error('Circle answered with something else than a signature of the wallet'),
    };
  }

  const toWallet = (reference: string, { address }: KnownWallet): ProviderWallet => ({
    provider: 'circle',
    family: 'evm',
    reference,
    address,
  });

  return {
    perSecond: PER_SECOND,
    get fingerprint() {
      return walletSetId();
    },
    async create(owner) {
      if (owner.kind === 'relayer') throw new TypeError('relayers have keys of our own');
      const reference = refIdOf(owner);
      return toWallet(reference, (await find(reference)) ?? (await make(owner, reference)));
    },
    referenceOf: refIdOf,
    async list(references) {
      const all = references.filter((one) => UUID.test(one));
      const found = await Promise.all(all.map(async (one) => ({ one, wallet: await find(one) })));
      return found.flatMap(({ one, wallet }) => (wallet ? [toWallet(one, wallet)] : []));
    },
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
    signCarrier: async () => ({ outcome: 'rejected', reason: 'Circle signs no chain transactions of these wallets' }),
  };
}

const byAge = (one: CircleWallet, other: CircleWallet): number =>
  Date.parse(one.createDate) - Date.parse(other.createDate) || (one.id < other.id ? -1 : 1);

function getNetwork(networks: CircleWalletsOptions['networks'], { chainId }: TokenDomain) {
  const network = networks.find((one) => one.chainId === chainId);
  if (!network) throw new TypeError(`no blockchain with the chain id ${chainId} is configured`);
  return network;
}

/** Throws `service.unavailable` unless Circle has told what it was asked for: then it is asked again, by whoever needs it. */
function read<T>(schema: z.ZodType<T>, answer: CircleAnswer): T {
  if (answer.outcome !== 'accepted') throw unavailable(answer.cause);
  const parsed = schema.safeParse(answer.data);
  if (!parsed.success) throw unavailable(new CircleFault('Circle answered something unexpected'));
  return parsed.data;
}

const unavailable = (cause: CircleFault): PayError =>
  new PayError('service.unavailable', { dependency: 'Circle' }, { cause });
