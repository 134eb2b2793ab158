/** What the database has about a call with an Idempotency-Key: its id follows from caller, route and key. */
import { idFromKey } from '../../../core/ids.ts';
import { findPerson } from '../../../customers/findPerson.ts';
import { listServiceKeys } from '../../../customers/keys/serviceKeys.ts';
import type { Queryable } from '../../../db/database.ts';
import { findAnswered } from '../../../db/idempotency.ts';
import { readDocument } from '../../../http/contract/readDocument.ts';
import { findUserId } from '../../program/lookups.ts';
import { renderTime } from '../../program/render.ts';
import { describeRows } from './describeRows.ts';

interface KeyedCall {
  readonly operation: string;
  /** Of the payment, the refusal or the stored answer. */
  readonly id: string;
  readonly outcome: string;
}

/** The calls of this caller (a person or a service key) with this key; one key can be used once per operation. */
export async function findKeyedCalls(db: Queryable, caller: string, key: string): Promise<KeyedCall[]> {
  const callers = await findCallers(db, caller);
  const ids = listKeyed().flatMap(({ operation, route }) =>
    callers.map((one) => ({ operation, id: idFromKey(one, route, key) })),
  );
  const rows = await describeRows(
    db,
    ids.map(({ id }) => id),
  );
  const answered = await findAnswered(
    db,
    ids.map(({ id }) => id),
  );
  return ids.flatMap(({ operation, id }) => {
    const at = answered.get(id);
    const outcome = rows.get(id) ?? (at && `answered at ${renderTime(at)}; a repetition gets the same answer`);
    return outcome === undefined ? [] : [{ operation, id, outcome }];
  });
}

/** As the operations name the owner of a key. */
async function findCallers(db: Queryable, caller: string): Promise<string[]> {
  const person = await findPerson(db, caller);
  if (person !== undefined) return [person];
  const keys = (await listServiceKeys(db)).filter(({ keyId, name }) => keyId === caller || name === caller);
  // Webhooks belong to an actor, payments to the key.
  if (keys.length > 0) return keys.flatMap(({ keyId }) => [keyId, `key:${keyId}`]);
  return [await findUserId(db, caller)];
}

/** Every operation that takes an Idempotency-Key. */
const listKeyed = (): { readonly operation: string; readonly route: string }[] =>
  (['web3', 'backend'] as const).flatMap((name) =>
    Object.entries(readDocument(name).paths).flatMap(([route, methods]) =>
      Object.values(methods)
        .filter(({ parameters }) => parameters?.some((one) => one.name === 'Idempotency-Key'))
        .map(({ operationId }) => ({ operation: operationId, route })),
    ),
  );
