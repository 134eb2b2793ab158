import { asAdmin } from '../database.ts';

/**
 * Moves the dates of every row that decides by its age this many hours back, as if that time had passed. No trigger
 * fires.
 */
export async function ageRows(databaseUrl: string, hours: number): Promise<void> {
  const columns = [
    ['restores', ['noted_at']],
    ['transfers', ['created_at']],
    ['payment_events', ['at']],
    ['coin_moves', ['created_at', 'started_at', 'cancel_wanted_at']],
    ['provider_transfers', ['submitted_at', 'asked_at', 'updated_at', 'first_asked_at', 'cancel_asked_at', 'held_at']],
  ] as const;
  const changes = columns.map(
    ([table, names]) =>
      `UPDATE ${table} SET ${names.map((name) => `${name} = ${name} - ${hours} * interval '1 hour'`).join(', ')}`,
  );
  await asAdmin(databaseUrl, `BEGIN; SET LOCAL session_replication_role = replica; ${changes.join('; ')}; COMMIT`);
}
