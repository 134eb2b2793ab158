/** People with keys of their account, on a whole server. */
import { randomUUID } from 'node:crypto';
import { parseUsdc } from '../../../server/src/core/money.ts';
import { openDatabase } from '../../../server/src/db/database.ts';
import { asAdmin, urlAs } from '../database.ts';
import { type Answer, bearer } from '../http/answer.ts';
import { recordDeposit } from '../ledger/recordDeposit.ts';
import { operate } from '../operate.ts';
import type { TestServer } from '../server.ts';
import { HOME } from '../values.ts';

type Headers = Readonly<Record<string, string>>;

export interface Owner {
  readonly userId: string;
  readonly name: string;
  /** The headers of a session. */
  readonly session: Headers;
}

const PAYS = { scopes: ['pay'], payment_limit: 100, day_limit: 100 };

export function openOwners(florin: TestServer) {
  const db = openDatabase(florin.databaseUrl, { maxConnections: 4 });
  return {
    async join(name: string, amount = '1000'): Promise<Owner> {
      const { body } = await florin.logIn(`${name}@example.com`);
      const userId: string = body.user.user_id;
      const session = bearer(body.access_token);
      await florin.call('POST', '/api/v1/set_username', { user_id: userId, username: name }, session);
      const deposit = { depositId: randomUUID(), userId, blockchain: HOME, amount: parseUsdc(amount) };
      await db.tx((tx) => recordDeposit(tx, { ...deposit, fromAddress: `0x${'f'.repeat(40)}` }));
      return { userId, name, session };
    },
    async create(owner: Owner, wanted: Record<string, unknown> = PAYS) {
      const { status, body } = await florin.call('POST', '/api/v1/keys', { name: 'Shop', ...wanted }, owner.session);
      if (status !== 200) throw new Error(`creating a key was answered ${status}: ${JSON.stringify(body)}`);
      return { id: body.key_id as string, as: bearer(body.key), body };
    },
    pay: ({ userId }: Owner, as: Headers, amount: number, more: Headers = {}) =>
      florin.call(
        'POST',
        '/api/v1/send_usdc',
        { sender_user_id: userId, receiver_username: 'shop', amount },
        { ...as, ...more },
      ),
    read: (as: Headers) => florin.call('GET', '/api/v1/me', undefined, as),
    /** The refusal by the statement that pays, whatever a server believes about the key. */
    async payDirectly({ userId }: Owner, keyId: string, client = '127.0.0.1'): Promise<unknown> {
      const [row] = await asAdmin<{ said: { 1?: { details: { reason?: string; scope?: string; what?: string } } } }>(
        florin.databaseUrl,
        `SELECT o_exceptions AS said FROM accounts a, ledger_state l, pay_with_key('${keyId}', '${client}', '{NULL}', '{}',
           l.home_asset::smallint, l.names_epoch, l.names_random, ARRAY[a.account_id], '{0}', '{0}', '{1}', '{0}', '{0}',
           ARRAY[gen_random_uuid()], '{f}', '{1}', '{0}', '{1}', '{NULL}', '{NULL}', '{nobody}')
          WHERE a.user_id = '${userId}' AND a.asset_id = l.home_asset`,
      );
      const said = row!.said['1']?.details;
      return said?.reason ?? said?.scope ?? said?.what;
    },
    async asOperator(...args: string[]): Promise<string> {
      const operator = openDatabase(urlAs(florin.databaseUrl, 'operator'), { maxConnections: 2 });
      return operate(operator, ...args).finally(() => operator.close());
    },
    close: () => db.close(),
  };
}

/** Status, code and the reason of an answer. */
export const codeOf = ({ status, body }: Answer) =>
  [status, body.code, body.reason ?? body.scope ?? body.limit].filter(Boolean);

/** Reads a stream of events until it ends. */
export function collectStream(response: Response) {
  let [text, over] = ['', false];
  void (async () => {
    for await (const part of response.body!.pipeThrough(new TextDecoderStream())) text += part;
  })().finally(() => {
    over = true;
  });
  return {
    ids: () => [...text.matchAll(/^id: (evt_\w+)\n(?=event|data)/gm)].map(([, id]) => id!),
    text: () => text,
    isOver: () => over,
  };
}
