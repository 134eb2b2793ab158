import type { Lane, Statement } from '../../db/openLane.ts';

/** A sender or receiver, as the ledger's batch needs them. */
interface ResolvedParty {
  readonly accountId: number;
  /** Their name today. Null: a person may pay before choosing a name. */
  readonly username: string | null;
}

export interface PartiesAsked {
  readonly senderId: string;
  /** Lower-cased; undefined when the text cannot be a username. */
  readonly receiver: string | undefined;
}

export interface Resolved {
  readonly epoch: string;
  /** In the order of the question; undefined: no such user or name. */
  readonly senders: readonly (ResolvedParty | undefined)[];
  readonly receivers: readonly (ResolvedParty | undefined)[];
}

export interface Directory {
  resolve(lane: Lane, asked: readonly PartiesAsked[]): Promise<Resolved>;
}

interface Found {
  readonly key: string;
  readonly user_id: string;
  readonly username: string | null;
  readonly account_id: number | null;
  /** False for an old name that redirects: it ends at a time, not by a change of the epoch, so it is not kept. */
  readonly lasting: boolean;
}

/** One statement, so that the epoch and the names belong to the same snapshot. */
const RESOLVE: Statement = {
  name: 'resolve_parties',
  text: `
    SELECT (SELECT names_epoch FROM ledger_state), (
      SELECT json_agg(json_build_object('key', found.key, 'user_id', found.user_id, 'username', found.username,
                                        'account_id', a.account_id, 'lasting', found.lasting))
        FROM (
          SELECT u.user_id::text AS key, u.user_id, n.username, true AS lasting
            FROM unnest($2::uuid[]) AS asked(user_id) JOIN users u USING (user_id)
            LEFT JOIN usernames n ON n.user_id = u.user_id AND n.redirect_until IS NULL
          UNION ALL
          SELECT asked.name, n.user_id, today.username, n.redirect_until IS NULL
            FROM unnest($3::text[]) AS asked(name)
            JOIN usernames n ON n.username = asked.name AND (n.redirect_until IS NULL OR n.redirect_until > now())
            JOIN usernames today ON today.user_id = n.user_id AND today.redirect_until IS NULL
        ) found
        LEFT JOIN accounts a ON a.user_id = found.user_id AND a.asset_id = $1::smallint)`,
};

const OPEN_ACCOUNTS: Statement = {
  name: 'open_accounts',
  text: 'SELECT ledger_open_user_accounts($1, $2)',
};

const MAX_KEPT = 200_000;

/**
 * Finds the accounts of a whole batch at once. What was found is kept in memory: it cannot change without the epoch in
 * `ledger_state` changing, and a batch whose epoch is not the database's does nothing. Measured: looking both
 * parties up inside the batch statement instead took 23 µs of about 70 per payment.
 */
export function openDirectory(assetId: number): Directory {
  const kept = new Map<string, ResolvedParty>();
  let epoch: string | undefined;

  async function lookUp(lane: Lane, userIds: Set<string>, names: Set<string>): Promise<[string, Found[]]> {
    const values = [String(assetId), `{${[...userIds].join(',')}}`, `{${[...names].join(',')}}`];
    for (;;) {
      const [row] = await lane.run(RESOLVE, values);
      const found = JSON.parse(row![1] ?? '[]') as Found[];
      const without = new Set(found.filter((one) => one.account_id === null).map((one) => one.user_id));
      if (without.size === 0) return [row![0]!, found];
      await lane.run(OPEN_ACCOUNTS, [String(assetId), `{${[...without].join(',')}}`]);
    }
  }

  return {
    async resolve(lane, asked) {
      const redirects = new Map<string, ResolvedParty>();
      const searched = new Set<string>();
      const find = (key: string) => kept.get(key) ?? redirects.get(key);
      for (;;) {
        const userIds = new Set<string>();
        const names = new Set<string>();
        for (const { senderId, receiver } of asked) {
          if (!find(senderId) && !searched.has(senderId)) userIds.add(senderId);
          if (receiver !== undefined && !find(receiver) && !searched.has(receiver)) names.add(receiver);
        }
        if (epoch !== undefined && userIds.size === 0 && names.size === 0) {
          // No await between the check above and this return: everything in it belongs to this epoch.
          return {
            epoch,
            senders: asked.map(({ senderId }) => find(senderId)),
            receivers: asked.map(({ receiver }) => (receiver === undefined ? undefined : find(receiver))),
          };
        }
        const [seenEpoch, found] = await lookUp(lane, userIds, names);
        if (seenEpoch !== epoch || kept.size > MAX_KEPT) {
          kept.clear();
          redirects.clear();
          searched.clear();
          epoch = seenEpoch;
        }
        for (const key of [...userIds, ...names]) searched.add(key);
        for (const { key, username, account_id, lasting } of found) {
          (lasting ? kept : redirects).set(key, { accountId: account_id!, username });
        }
      }
    },
  };
}
