import { maintain } from '../db/maintain.ts';

/** Deletes old entries of the audit log, with the owner's login: processes and operators cannot. Returns how many. */
export async function forgetAudit(ownerUrl: string, days: number): Promise<number> {
  let gone = 0;
  await maintain(ownerUrl, async (client) => {
    const { rows } = await client.query<{ gone: string }>('SELECT forget_audit($1) AS gone', [days]);
    gone = Number.parseInt(rows[0]!.gone, 10);
  });
  return gone;
}
