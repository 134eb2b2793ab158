import type { Queryable } from '../../db/database.ts';
import type { SendRules } from './sendCommand.ts';

/**
 * Stores this worker's configured rules, so that no server can accept sends by weaker rules. `isSandbox`: the treasury
 * may be spent without a service key.
 */
export async function keepSendRules(db: Queryable, rules: SendRules, isSandbox: boolean): Promise<void> {
  await db.query('SELECT keep_send_rules($1, $2, $3)', [
    rules.approvalThreshold ?? null,
    rules.newRecipientDelaySeconds,
    isSandbox,
  ]);
}
