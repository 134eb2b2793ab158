import type { Db } from '../../../../server/src/db/database.ts';
import { loginOf, type OperatorName } from '../../operators.ts';

/** Makes the call with the login of this operator, and returns its answer and what it has left, if `left` says where. */
export const asOperator =
  (name: OperatorName, call: string, left?: string) =>
  async (db: Db): Promise<string> => {
    await db.query(`SET LOCAL SESSION AUTHORIZATION ${loginOf(name)}`);
    const [answer] = await db.query<{ said: unknown }>(call);
    await db.query('RESET SESSION AUTHORIZATION');
    const [rest] = left ? await db.query<{ said: unknown }>(left) : [];
    return [answer?.said, ...(left ? [rest?.said ?? 'nothing'] : [])].join(', ');
  };
