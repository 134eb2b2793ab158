import type { Decision } from '../decide.ts';
import { ID, OTHER } from '../ids.ts';

const approved = { operator: 'anna', approved_at: '2020-01-02' };

/** The same rule for payments and for payouts. */
const approving = (table: string, column: string, call: string): Decision => ({
  of: `whether an approval counts: ${call}`,
  rows: {
    operators: { name: 'anna', role: 'admin', added_at: '2020-01-01' },
    [table]: { [column]: ID, ...approved },
  },
  calls: [`SELECT ${call}('${ID}') AS said`],
  cases: {
    'of an admin': [{}, '1'],
    'of a risk operator': [{ operators: { role: 'risk' } }, '1'],
    'of support': [{ operators: { role: 'support' } }, '0'],
    'of a removed operator': [{ operators: null }, '0'],
    'of an operator who was added again later': [{ operators: { added_at: '2020-01-03' } }, '0'],
    'of an operator who was added at that moment': [{ operators: { added_at: '2020-01-02' } }, '1'],
    'of an operator with another name': [{ operators: { name: 'ann' } }, '0'],
    'of another object': [{ [table]: { [column]: OTHER } }, '0'],
    'and a second one': [
      {
        'operators 2': { name: 'rita', role: 'risk', added_at: '2020-01-01' },
        [`${table} 2`]: { [column]: ID, ...approved, operator: 'rita' },
      },
      '2',
    ],
  },
});

export const approvalDecisions: readonly Decision[] = [
  approving('approvals', 'payment_id', 'count_approvals'),
  approving('payout_approvals', 'payout_id', 'count_payout_approvals'),
];
