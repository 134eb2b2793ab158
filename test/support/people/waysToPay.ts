/** Every way in which a person's money leaves their account, apart from payouts. */
import { parseUsdc } from '../../../server/src/core/money.ts';
import type { Db } from '../../../server/src/db/database.ts';
import { openSends } from '../../../server/src/payments/sends/openSends.ts';
import { sendToAddress } from '../../../server/src/payments/sends/sendToAddress.ts';
import { asAdmin } from '../database.ts';
import type { Answer } from '../http/answer.ts';
import type { TestServer } from '../server.ts';
import { HOME } from '../values.ts';
import type { Owner, openOwners } from './openOwners.ts';

export const ADDRESS = `0x${'8ba1f109'.repeat(5)}`;

export const WAYS = [
  'to a person',
  'to a person with a key',
  'to a person with a note',
  'to an address',
  'to an address with a key',
  'of a request',
] as const;

type Row = Readonly<Record<string, string>>;

/** Pays `amount` with this key, or what answers it. */
export interface Way {
  readonly pay: (owner: Owner, amount: number, key: string) => Promise<Answer>;
  readonly deed: (amount: number, answer: Answer) => Record<string, unknown> & { deed: string };
}

export function openWays(florin: TestServer, owners: ReturnType<typeof openOwners>, db: Db) {
  const toPerson = (as: (owner: Owner) => Promise<Record<string, string>> | Record<string, string>): Way => ({
    pay: async (owner, amount, key) => owners.pay(owner, await as(owner), amount, { 'idempotency-key': key }),
    deed: (amount, { body }) => ({ deed: 'payment', payment_id: body.payment_id, receiver_username: 'shop', amount }),
  });
  /** Without the questions to a node, which this test does not have: PostgreSQL decides as always. */
  const toAddress = (callerOf: (owner: Owner) => Promise<{ sessionId: string } | { serviceKeyId: string }>): Way => ({
    async pay(owner, amount, text) {
      const sendRules = { approvalThreshold: undefined, newRecipientDelaySeconds: 0 };
      const request = {
        blockchain: HOME,
        currency: 'USDC',
        destination: ADDRESS,
        amount: parseUsdc(String(amount)),
        payerId: owner.userId,
        ...(await callerOf(owner)),
        client: '127.0.0.1',
        key: { caller: owner.userId, route: 'send', text },
      };
      const { result } = await sendToAddress({ db, sends: openSends({ db, sendRules }) }, request);
      const refusal = 'refusal' in result ? result.refusal : undefined;
      const body = { code: refusal?.code, ...refusal?.details };
      return { status: refusal ? 403 : 200, body } as unknown as Answer;
    },
    deed: (amount, { body }) => ({
      deed: 'payment',
      payment_id: body.payment_id,
      destination_address: ADDRESS,
      amount,
    }),
  });

  const keys = new Map<string, Promise<Record<string, string>>>();
  const byKey = (owner: Owner) => {
    const wanted = { scopes: ['pay', 'payouts'], payment_limit: 10_000, day_limit: 100_000 };
    const found = keys.get(owner.userId) ?? owners.create(owner, wanted).then(({ as }) => as);
    keys.set(owner.userId, found);
    return found;
  };

  const requests = new Map<string, Promise<string>>();
  const ways: Readonly<Record<(typeof WAYS)[number], Way>> = {
    'to a person': toPerson(({ session }) => session),
    'to a person with a key': toPerson(byKey),
    'to a person with a note': {
      ...toPerson(({ session }) => session),
      pay: (owner, amount, key) =>
        florin.call(
          'POST',
          '/api/v1/send_usdc',
          { sender_user_id: owner.userId, receiver_username: 'shop', amount, payment_note: 'rent' },
          { ...owner.session, 'idempotency-key': key },
        ),
    },
    'to an address': toAddress(async ({ userId }) => {
      const [row] = await db.query<Row>(
        `SELECT session_id FROM sessions WHERE user_id = '${userId}' AND ended_at IS NULL`,
      );
      return { sessionId: row!.session_id! };
    }),
    'to an address with a key': toAddress(async (owner) => {
      await byKey(owner);
      const [row] = await asAdmin<Row>(
        florin.databaseUrl,
        `SELECT key_id FROM service_keys WHERE user_id = '${owner.userId}'`,
      );
      return { serviceKeyId: row!.key_id! };
    }),
    'of a request': {
      async pay(owner, amount, key) {
        const asked =
          requests.get(key) ??
          owners
            .join('shop', '0.000001')
            .then(({ session }) =>
              florin.call('POST', '/api/v1/requests', { amount, payer_username: owner.name }, session),
            )
            .then(({ body }) => body.request_id as string);
        requests.set(key, asked);
        return florin.call('POST', `/api/v1/requests/${await asked}/pay`, undefined, owner.session);
      },
      deed: (amount, { body }) => ({ deed: 'payment', payment_id: body.payment_id, receiver_username: 'shop', amount }),
    },
  };
  return { byKey, find: (name: (typeof WAYS)[number]): Way => ways[name] };
}
