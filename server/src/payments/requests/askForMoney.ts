import { PayError } from '../../core/errors.ts';
import { newId } from '../../core/ids.ts';
import { isUsername } from '../../core/isUsername.ts';
import type { Usdc } from '../../core/money.ts';
import { findByUsername } from '../../customers/usernames/findByUsername.ts';
import type { Tx } from '../../db/database.ts';
import { getRequest } from './findRequest.ts';
import type { MoneyRequest } from './moneyRequest.ts';
import { throwRefusal } from './throwRefusal.ts';

export interface AskForMoney {
  readonly askerId: string;
  /** As typed; null: no payer is named, and anyone who has the request's id may pay it. */
  readonly payer: string | null;
  readonly amount: Usdc;
  readonly note: string | null;
  /** Null: in seven days. */
  readonly expiresAt: Date | null;
}

/**
 * The id is random and not derived from an Idempotency-Key, which others may guess: for a request by link, the id is
 * the permission to pay.
 */
export async function askForMoney(tx: Tx, asked: AskForMoney): Promise<MoneyRequest> {
  const { askerId, payer, amount, note, expiresAt } = asked;
  const payerId = payer === null ? null : await getPayer(tx, payer);
  const requestId = newId();
  const [row] = await tx.query<{ refusal: unknown }>('SELECT ask_for_money($1, $2, $3, $4, $5, $6) AS refusal', [
    requestId,
    askerId,
    payerId,
    amount,
    note,
    expiresAt,
  ]);
  throwRefusal(row!.refusal);
  return getRequest(tx, requestId, askerId);
}

async function getPayer(tx: Tx, name: string): Promise<string> {
  const person = isUsername(name) ? await findByUsername(tx, name) : undefined;
  if (!person) throw new PayError('username.unknown');
  return person.userId;
}
