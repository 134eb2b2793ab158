import type { DedicatedConnection, Statement } from '../../db/openDedicatedConnection.ts';
import { type Epoch, isSameEpoch, seeEpoch } from '../../ledger/epoch.ts';
import { noteLoss } from '../../operators/noteLoss.ts';

/** A sender or receiver, as the ledger's batch needs them. */
interface ResolvedParty {
  readonly accountId: number;
  /** Their current name. Null: a person may pay before choosing a name. */
  readonly username: string | null;
}

export interface PartiesAsked {
  readonly senderId: string;
  /** Lower-cased; undefined when the text cannot be a username. */
  readonly receiver: string | undefined;
  /** For a payment that answers a request for money: it pays this person, whatever their name. */
  readonly receiverId?: string | undefined;
}

export interface Resolved {
  readonly epoch: Epoch;
  /** In the order of the request; undefined: no such user or name. */
  readonly senders: readonly (ResolvedParty | undefined)[];
  readonly receivers: readonly (ResolvedParty | undefined)[];
}

export interface Directory {
  resolve(connection: DedicatedConnection, asked: readonly PartiesAsked[]): Promise<Resolved>;
}

interface Found {
  readonly key: string;
  readonly user_id: string;
  readonly username: string | null;
  readonly account_id: number | null;
  /**
   * False for an old name that redirects: it expires by time, not by a change of the epoch, so it is not cached. False
   * for a person without a name, whose first name does not invalidate other entries.
   */
  readonly lasting: boolean;
}

/**
 * One statement, so that the epoch and the names belong to the same snapshot. What was cached in the epoch of $4 and $5
 * is still correct if no name was changed or released since, and the database has been in that epoch.
 */
const RESOLVE: Statement = {
  name: 'resolve_parties',
  text: `
    SELECT l.names_epoch, l.names_random, l.names_changed <= $4::bigint, ledger_epoch_standing('names', $4, $5), (
      SELECT json_agg(json_build_object('key', found.key, 'user_id', found.user_id, 'username', found.username,
                                        'account_id', a.account_id, 'lasting', found.lasting))
        FROM (
          SELECT u.user_id::text AS key, u.user_id, n.username, n.username IS NOT NULL AS lasting
            FROM unnest($2::uuid[]) AS asked(user_id) JOIN users u USING (user_id)
            LEFT JOIN usernames n ON n.user_id = u.user_id AND n.redirect_until IS NULL
          UNION ALL
          SELECT asked.name, n.user_id, today.username, n.redirect_until IS NULL
            FROM unnest($3::text[]) AS asked(name)
            JOIN usernames n ON n.username = asked.name AND (n.redirect_until IS NULL OR n.redirect_until > now())
            JOIN usernames today ON today.user_id = n.user_id AND today.redirect_until IS NULL
        ) found
        LEFT JOIN accounts a ON a.user_id = found.user_id AND a.asset_id = $1::smallint)
      FROM ledger_state l`,
};

const OPEN_ACCOUNTS: Statement = {
  name: 'open_accounts',
  text: 'SELECT ledger_open_user_accounts($1, $2)',
};

const MAX_KEPT = 200_000;

interface LookedUp {
  readonly seen: Epoch;
  readonly isKept: boolean;
  readonly found: readonly Found[];
}

/**
 * Finds the accounts of a whole batch together and caches them. A cached account cannot change, nor can the commit that
 * created it be lost, without a change of the epoch in `ledger_state`, and a batch with a different epoch than the
 * database's does nothing. Measured: looking up both parties inside the batch statement instead took 23 µs of about 70
 * per payment.
 */
export function openDirectory(assetId: number): Directory {
  const kept = new Map<string, ResolvedParty>();
  let epoch: Epoch | undefined;

  async function lookUp(
    connection: DedicatedConnection,
    since: Epoch | undefined,
    userIds: Set<string>,
    names: Set<string>,
  ) {
    const arrays = [`{${[...userIds].join(',')}}`, `{${[...names].join(',')}}`];
    for (;;) {
      const values = [String(assetId), ...arrays, since?.counter ?? null, since?.random ?? null];
      const [[counter, random, isUnchanged, standing, list]] = (await connection.run(RESOLVE, values)) as [
        (string | null)[],
      ];
      if (since && standing === 'lost') await noteLoss(connection, 'names', since);
      const found = JSON.parse(list ?? '[]') as Found[];
      const without = new Set(found.filter((one) => one.account_id === null).map((one) => one.user_id));
      const isKept = isUnchanged === 't' && standing === 'held';
      if (without.size === 0) return { seen: seeEpoch(counter!, random!), isKept, found };
      await connection.run(OPEN_ACCOUNTS, [String(assetId), `{${[...without].join(',')}}`]);
    }
  }

  /** False if another connection has moved on to a different epoch meanwhile: then the results are useless. */
  function moveOn(since: Epoch | undefined, { seen, isKept }: LookedUp): boolean {
    if (isSameEpoch(epoch, seen)) return true;
    if (epoch !== since) return false;
    if (!isKept) kept.clear();
    epoch = seen;
    return true;
  }

  return {
    async resolve(connection, asked) {
      let search = startSearch(epoch);
      const find = (key: string, open: Set<string>) => {
        const party = kept.get(key) ?? search.found.get(key);
        if (!party && !search.asked.has(key)) open.add(key);
        return party;
      };
      for (;;) {
        if (search.epoch !== epoch) search = startSearch(epoch);
        const userIds = new Set<string>();
        const names = new Set<string>();
        const senders = asked.map(({ senderId }) => find(senderId, userIds));
        const receivers = asked.map(({ receiver, receiverId }) => {
          if (receiverId !== undefined) return find(receiverId, userIds);
          return receiver === undefined ? undefined : find(receiver, names);
        });
        // No await between the lookups and this return: everything in it belongs to this epoch.
        if (epoch !== undefined && userIds.size === 0 && names.size === 0) return { epoch, senders, receivers };
        const since = epoch;
        const answer = await lookUp(connection, since, userIds, names);
        if (!moveOn(since, answer)) continue;
        if (kept.size > MAX_KEPT) kept.clear();
        if (search.epoch !== epoch) search = startSearch(epoch);
        for (const key of [...userIds, ...names]) search.asked.add(key);
        for (const { key, username, account_id, lasting } of answer.found) {
          const party = { accountId: account_id!, username };
          search.found.set(key, party);
          if (lasting) kept.set(key, party);
        }
      }
    },
  };
}

/**
 * The parties that one batch has requested and found in an epoch, including those that are not cached. Another
 * connection may clear the cache meanwhile.
 */
const startSearch = (epoch: Epoch | undefined) => ({
  epoch,
  asked: new Set<string>(),
  found: new Map<string, ResolvedParty>(),
});
