import { getAddress, isAddress } from 'viem/utils';
import { z } from 'zod';
import { PayError } from '../../../core/errors.ts';
import { type Family, readAddressOf } from '../../../core/families.ts';
import type { AnyWallet, WalletOwner, WalletSource } from '../../../core/ports.ts';
import { wordsOf } from '../ownerWords.ts';
import { anchorOf } from './circleBlockchains.ts';
import { CircleFault } from './circleFault.ts';
import { makeId, refIdOf, senderRefIdOf } from './circleIds.ts';
import type { Circle, CircleAnswer } from './openCircle.ts';

/** Each process looks a wallet up at Circle once. Entries are small: only ids are cached. */
const REMEMBERED_WALLETS = 20_000;
const ATTEMPTS = 3;
const LOOKUP_MS = 2_000;
/** Circle's own limit for creating wallets. */
const PER_SECOND = 10;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

export interface CircleAccountsOptions {
  readonly circle: Circle;
  /** The purpose of these wallets: Circle signs and we relay, or Circle sends by itself. */
  readonly provider: 'circle' | 'circle_send';
  readonly accountType: 'EOA' | 'SCA';
  /** Default `evm`. The other families have plain accounts. */
  readonly family?: Exclude<Family, 'evm'> | undefined;
  readonly isTest: boolean;
  /**
   * The wallet set that contains all our wallets. A function, because the id is known only after the signer has
   * started.
   */
  readonly walletSetId: () => string;
  readonly takeLookup?: TakeLookup | undefined;
}

/** Resolves when the rate limiter allows a lookup. Throws `service.unavailable` when too many wait. */
export type TakeLookup = (priority: 'first' | 'yielding') => Promise<void>;

interface KnownWallet {
  readonly address: string;
  /** Circle has a separate id for the wallet on each blockchain. */
  readonly ids: Map<string, string>;
}

export interface CircleAccounts extends WalletSource {
  /** True if the wallet was found before, so that Circle is not asked again. */
  remembers(reference: string): boolean;
  /** Undefined: Circle has no wallet with this reference. */
  find(reference: string): Promise<KnownWallet | undefined>;
  /** Returns the wallet's id on this blockchain; creates the wallet there if necessary. */
  idOn(reference: string, wallet: KnownWallet, blockchain: string): Promise<string>;
  /** Finds the reference and address for one of Circle's ids. Undefined: the wallet is not in our set. */
  findById(id: string): Promise<NamedWallet | undefined>;
}

interface NamedWallet {
  readonly reference: string;
  readonly address: string;
}

const wallet = z.object({
  id: z.guid(),
  address: z.string(),
  blockchain: z.string(),
  walletSetId: z.string(),
  refId: z.string().nullish(),
  accountType: z.string().nullish(),
});
const wallets = z.object({ wallets: z.array(z.unknown()) });
type CircleWallet = z.infer<typeof wallet>;

/**
 * Wallets whose keys Circle holds. A wallet's `reference` is its `refId` at Circle, derived from its owner, so that the
 * wallet is found again even if the database has lost it. All wallets are created on one fixed blockchain, which does
 * not depend on the configuration, and get their ids on other blockchains from there. So signers with different
 * configured blockchains create the same wallet.
 */
export function circleAccounts(options: CircleAccountsOptions): CircleAccounts {
  const { circle, provider, family, isTest, walletSetId, takeLookup } = options;
  const accountType = family ? 'EOA' : options.accountType;
  const kind = family ?? accountType;
  const anchor = anchorOf(accountType, isTest, family);
  const known = new Map<string, KnownWallet>();
  const byId = new Map<string, NamedWallet>();
  const referenceOf = (owner: WalletOwner): string =>
    provider === 'circle' ? refIdOf(owner) : senderRefIdOf(owner, kind);

  function nameId(id: string, named: NamedWallet): NamedWallet {
    const [oldest] = byId.keys();
    if (byId.size >= REMEMBERED_WALLETS && oldest) byId.delete(oldest);
    byId.set(id, named);
    return named;
  }

  function remember(reference: string, found: KnownWallet): KnownWallet {
    const [oldest] = known.keys();
    if (known.size >= REMEMBERED_WALLETS && oldest) known.delete(oldest);
    known.set(reference, found);
    for (const id of found.ids.values()) nameId(id, { reference, address: found.address });
    return found;
  }

  /** Keeps the wallets in our set and of our account type. */
  function readWallets(answer: CircleAnswer, isWanted: (one: CircleWallet) => boolean): KnownWallet | undefined {
    const all = read(wallets, answer).wallets.flatMap((one) => wallet.safeParse(one).data ?? []);
    const ours = all.filter(
      (one) =>
        isWanted(one) && one.walletSetId === walletSetId() && (one.accountType === 'SCA') === (accountType === 'SCA'),
    );
    const [address, second] = new Set(ours.flatMap((one) => readAddress(family, one.address) ?? []));
    if (!address) return undefined;
    // The coins may be in either wallet. Only a person can decide which one is right.
    if (second)
      throw unavailable(new CircleFault(`Circle has the two wallets ${address} and ${second} for one person`));
    return { address, ids: new Map(ours.map((one) => [one.blockchain, one.id])) };
  }

  async function find(reference: string): Promise<KnownWallet | undefined> {
    const kept = known.get(reference);
    if (kept) return kept;
    await takeLookup?.('first');
    const query = { walletSetId: walletSetId(), refId: reference, pageSize: '50' };
    const path = '/v1/w3s/wallets';
    const answer = await circle.ask({ method: 'GET', path, query, attempts: ATTEMPTS, timeoutMs: LOOKUP_MS });
    const found = readWallets(answer, ({ refId }) => refId === reference);
    return found && remember(reference, found);
  }

  /**
   * The idempotency key is derived from the owner too. Concurrent requests, or a repetition after no answer, get one
   * wallet.
   */
  async function make(owner: WalletOwner, reference: string): Promise<KnownWallet> {
    const set = walletSetId();
    const key = provider === 'circle' ? 'wallet' : `${kind} sender`;
    const body = {
      blockchains: [anchor],
      count: 1,
      walletSetId: set,
      metadata: [{ name: 'Florin', refId: reference }],
      idempotencyKey: makeId(key, set, ...wordsOf(owner)),
      accountType,
    };
    const path = '/v1/w3s/developer/wallets';
    const answer = await circle.ask({ method: 'POST', path, body, isSealed: true, attempts: ATTEMPTS });
    const found = readWallets(answer, ({ refId }) => !refId || refId === reference);
    if (!found) throw unavailable(new CircleFault('Circle created a different wallet than requested'));
    return remember(reference, found);
  }

  const toWallet = (reference: string, { address }: KnownWallet): AnyWallet => ({
    provider,
    family: family ?? 'evm',
    reference,
    address,
  });

  return {
    perSecond: PER_SECOND,
    get fingerprint() {
      return walletSetId();
    },
    referenceOf,
    remembers: (reference) => known.has(reference),
    find,
    async idOn(reference, { address, ids }, blockchain) {
      const have = ids.get(blockchain);
      if (have) return have;
      const first = ids.get(anchor) ?? ids.values().next().value!;
      const path = `/v1/w3s/developer/wallets/${first}/blockchains/${blockchain}` as const;
      const body = { metadata: { name: 'Florin', refId: reference } };
      const answer = await circle.ask({ method: 'PUT', path, body, attempts: ATTEMPTS, timeoutMs: LOOKUP_MS });
      const derived = read(z.object({ wallet }), answer).wallet;
      if (readAddress(family, derived.address) !== address)
        throw unavailable(new CircleFault(`Circle has a different address for a wallet on ${blockchain}`));
      ids.set(blockchain, derived.id);
      return derived.id;
    },
    async findById(id) {
      const kept = byId.get(id);
      if (kept) return kept;
      await takeLookup?.('yielding');
      const answer = await circle.ask({
        method: 'GET',
        path: `/v1/w3s/wallets/${id}`,
        attempts: 1,
        timeoutMs: LOOKUP_MS,
      });
      if (answer.outcome === 'rejected') return undefined;
      const { refId, walletSetId: set, address: text } = read(z.object({ wallet }), answer).wallet;
      const address = readAddress(family, text);
      if (set !== walletSetId() || !refId || !address) return undefined;
      return nameId(id, { reference: refId, address });
    },
    async create(owner) {
      if (owner.kind === 'relayer') throw new TypeError('relayers use our own keys');
      const reference = referenceOf(owner);
      return toWallet(reference, (await find(reference)) ?? (await make(owner, reference)));
    },
    async list(references) {
      const all = references.filter((one) => UUID.test(one));
      const found = await Promise.all(all.map(async (one) => ({ one, wallet: await find(one) })));
      return found.flatMap(({ one, wallet }) => (wallet ? [toWallet(one, wallet)] : []));
    },
  };
}

/**
 * Lists wallets of several kinds together. A reference belongs to one kind, and only its first lookup asks for each
 * kind.
 */
export const listTogether = (kinds: readonly CircleAccounts[]): Pick<WalletSource, 'list'> => ({
  async list(references) {
    const found: AnyWallet[] = [];
    for (const reference of references) {
      const remembering = kinds.filter((one) => one.remembers(reference));
      for (const one of remembering.length > 0 ? remembering : kinds) {
        const [wallet] = await one.list([reference]);
        if (wallet) {
          found.push(wallet);
          break;
        }
      }
    }
    return found;
  },
});

/** Returns the address in our canonical form, or undefined if the text is not an address. */
function readAddress(family: Exclude<Family, 'evm'> | undefined, text: string): string | undefined {
  if (family) return readAddressOf(family, text);
  return isAddress(text, { strict: false }) ? getAddress(text) : undefined;
}

/** Throws `service.unavailable` unless Circle's answer contains what was requested. The caller then asks again. */
function read<T>(schema: z.ZodType<T>, answer: CircleAnswer): T {
  if (answer.outcome !== 'accepted') throw unavailable(answer.cause);
  const parsed = schema.safeParse(answer.data);
  if (!parsed.success) throw unavailable(new CircleFault('Circle gave an unexpected answer'));
  return parsed.data;
}

const unavailable = (cause: CircleFault): PayError =>
  new PayError('service.unavailable', { dependency: 'Circle' }, { cause });
