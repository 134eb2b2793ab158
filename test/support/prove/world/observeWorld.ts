/** Reads the state after a step: names new objects, and translates the tables into the model's words. */
import type { Hex } from 'viem';
import { hexToNumber } from 'viem';
import type { State } from '../model/state.ts';
import type { Scene } from '../races/buildScene.ts';
import { observe } from '../races/observe.ts';
import type { RaceWorld } from '../races/openWorld.ts';
import type { Deposit, LedgerRow, Seen } from './judgeStep.ts';
import type { World } from './openWorld.ts';
import { FINALITY_BLOCKS } from './setting.ts';

/** The names that an operation gives to the objects that it creates. */
export type Creates = Partial<
  Record<
    'sends' | 'transfers' | 'requests' | 'payouts' | 'refunds' | 'sessions' | 'refusals' | 'keys' | 'corrections',
    string
  >
>;

interface NewRow {
  readonly id: string;
  readonly kind: keyof Creates;
}

interface NewRows {
  readonly rows: { readonly id: string; readonly hold: string | null; readonly kind: string; readonly seq: string }[];
  readonly made: NewRow[];
  readonly deposits: { readonly id: string; readonly hash: string; readonly index: number }[];
  readonly items: { readonly id: string; readonly payout: string; readonly nth: number }[];
  readonly given: { readonly id: string; readonly payment: string }[];
}

const NEW = `SELECT json_build_object(
  'rows', (SELECT coalesce(json_agg(json_build_object('id', transfer_id, 'hold', hold_id, 'kind', kind, 'seq', seq::text) ORDER BY seq), '[]') FROM transfers WHERE seq > $1::bigint),
  'deposits', (SELECT coalesce(json_agg(x), '[]') FROM (SELECT transfer_id AS id, tx_hash AS hash, log_index AS index FROM deposits) x),
  'items', (SELECT coalesce(json_agg(x), '[]') FROM (SELECT payment_id AS id, payout_id AS payout, nth FROM payout_items) x),
  'given', (SELECT coalesce(json_agg(x), '[]') FROM (SELECT given_back AS id, imported_as AS payment FROM unexplained_moves WHERE given_back IS NOT NULL) x),
  'made', (SELECT coalesce(json_agg(x), '[]') FROM (
    SELECT payment_id AS id, 'sends' AS kind FROM payments
    UNION ALL SELECT transfer_id, 'transfers' FROM transfers WHERE kind = 'user'
    UNION ALL SELECT request_id, 'requests' FROM money_requests
    UNION ALL SELECT payout_id, 'payouts' FROM payouts
    UNION ALL SELECT refund_id, 'refunds' FROM refunds
    UNION ALL SELECT payment_id, 'refusals' FROM refusals
    UNION ALL SELECT record_id, 'refusals' FROM idempotency_records WHERE answer->>'code' IS NOT NULL
    UNION ALL SELECT key_id, 'keys' FROM service_keys
    UNION ALL SELECT correction_id, 'corrections' FROM corrections
    UNION ALL SELECT session_id, 'sessions' FROM sessions) x)) AS news`;

/** Coins that were minted into wallets of ours. */
interface Minted {
  readonly name: string;
  readonly who: string;
  readonly amount: bigint;
}

export function openObserver(world: World) {
  const { names, owner, places } = world;
  const minted = new Map<string, Minted>();
  /** The names of the imported payments that the database has, by the hash of their chain transaction. */
  const imports = new Map<string, string>();
  /** Stored answers of calls whose keys the model does not follow. */
  const ignored = new Set<string>();
  let last = '0';
  const scene = {
    since: '0',
    id: names.id,
    nameOf: names.nameOf,
    ids: names.ids,
    shortUsername: (username: string) => username,
  } as unknown as Scene;

  async function isFinal(hash: string): Promise<boolean> {
    const receipt = await places.local.read<{ blockNumber: Hex } | null>('eth_getTransactionReceipt', [hash]);
    return receipt !== null && hexToNumber(receipt.blockNumber) <= places.local.head - FINALITY_BLOCKS;
  }

  /** Names the objects that this operation has created. */
  function nameNew({ made, items, deposits, given }: NewRows, creates: Creates): void {
    for (const { id, kind } of made) {
      const name = creates[kind];
      if (names.nameOf(id) !== undefined || ignored.has(id)) continue;
      if (name !== undefined) names.know(name, id);
      else if (kind === 'refusals') ignored.add(id);
    }
    for (const { id, payout, nth } of items) {
      const name = names.nameOf(payout);
      if (name && names.nameOf(id) === undefined) names.know(`${name}_${nth}`, id);
    }
    for (const { id, hash } of deposits) {
      const name = minted.get(hash)?.name;
      if (name && names.nameOf(id) === undefined) names.know(name, id);
    }
    for (const { id, payment } of given) names.know(`given back for ${names.nameOf(payment)}`, id);
  }

  /** The import that this send turns out to be: a provider keeps the payment's id with its transfer. */
  function findImport(sendId: string): string | undefined {
    const made = places.double?.control.transactions().find((one) => one.refId === sendId);
    const name = made && imports.get(made.txHash);
    return name === names.nameOf(sendId) ? undefined : name;
  }

  return {
    minted,
    imports,
    async look(creates: Creates): Promise<Seen & { faults: readonly string[] }> {
      const { rows } = await owner.query<{ news: NewRows }>({ name: 'news', text: NEW, values: [last] });
      const { news } = rows[0]!;
      nameNew(news, creates);
      last = news.rows.at(-1)?.seq ?? last;
      const nameOf = (id: string) => names.nameOf(id) ?? '?';
      const deposits: Record<string, Deposit> = {};
      for (const { id, hash } of news.deposits) {
        const one = minted.get(hash);
        if (one && news.rows.some((row) => row.id === id))
          deposits[nameOf(id)] = { ...one, isFinal: await isFinal(hash) };
      }
      const ledger = news.rows.map(
        ({ id, hold, kind }): LedgerRow => ({ id: nameOf(id), hold: hold && nameOf(hold), kind }),
      );
      const imported: Record<string, string> = {};
      for (const { hold, kind } of news.rows) {
        const name = kind === 'post' && hold ? findImport(hold) : undefined;
        if (name) imported[nameOf(hold!)] = name;
      }
      const { state, faults } = await observe({ owner } as unknown as RaceWorld, scene);
      return { state, rows: ledger, deposits, imported, faults };
    },
    /** After a restore the ledger is shorter, and imports that were made after the backup are gone. */
    async rewind(restored: State): Promise<void> {
      for (const [hash, name] of imports) if (!restored.sends[name]) imports.delete(hash);
      const { rows } = await owner.query<{ seq: string }>('SELECT coalesce(max(seq), 0)::text AS seq FROM transfers');
      last = rows[0]!.seq;
    },
  };
}

export type Observer = ReturnType<typeof openObserver>;
