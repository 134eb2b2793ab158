/** Answers about identity checks: only the answer to the newest question counts, and only for this applicant. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type KycFinding, storeFinding } from '../../server/src/customers/kyc/kycChecks.ts';
import { openTestDatabase, type TestDatabase } from '../support/database/openTestDatabase.ts';
import { ME } from '../support/guards/clauses/ids.ts';
import { openBare } from '../support/guards/clauses/openBare.ts';
import { putRow } from '../support/guards/clauses/putRow.ts';

let database: TestDatabase;
const bare = openBare(() => database);
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.remove());

/** Ten questions were asked, and the fifth was answered. */
async function store(
  finding: KycFinding,
  { number = 6, applicantId = 'applicant', status = 'pending', wasApproved = false } = {},
): Promise<string> {
  await bare.tx(async (tx) => {
    for (const table of ['kyc_checks', 'users']) await tx.query(`DELETE FROM ${table}`);
    await putRow(tx, 'users', { user_id: ME, kyc_status: status });
    const check = { user_id: ME, applicant_id: 'applicant', asked: 10, answered: 5, was_approved: wasApproved };
    await putRow(tx, 'kyc_checks', check);
  });
  const question = { userId: ME, applicantId, level: 'level', number: BigInt(number) };
  await database.db.tx((tx) => storeFinding(tx, question, finding));
  const [row] = await database.db.query<{ status: string; answered: bigint }>(
    'SELECT u.kyc_status AS status, k.answered FROM users u JOIN kyc_checks k USING (user_id)',
  );
  return `${row!.status} ${row!.answered}`;
}

const approved = { status: 'approved', canRetry: false, reasons: [] } as KycFinding;

it.each([
  ['to an older question', { number: 4 }, 'pending 5'],
  ['to the question that was answered', { number: 5 }, 'pending 5'],
  ['to the next question', { number: 6 }, 'approved 6'],
  ['to a later question', { number: 10 }, 'approved 10'],
  ['about another applicant', { applicantId: 'another' }, 'pending 5'],
])('an answer %s', async (_, asked, stored) => {
  expect(await store(approved, asked)).toBe(stored);
});

it.each([
  // A rejected person stays rejected, whatever happens to the documents.
  ['rejected', false, 'rejected 6'],
  ['rejected', true, 'rejected 6'],
  ['approved', true, 'revoked 6'],
  ['revoked', true, 'revoked 6'],
  ['pending', false, 'none 6'],
  ['needs_input', false, 'none 6'],
])('an applicant who was deleted, after %s (approved before: %s)', async (status, wasApproved, stored) => {
  expect(await store('gone', { status, wasApproved })).toBe(stored);
});
