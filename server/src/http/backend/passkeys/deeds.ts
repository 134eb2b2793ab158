import { PayError } from '../../../core/errors.ts';
import { addressKey } from '../../../core/families.ts';
import { MAX_TOTAL, parseUsdc, type Usdc } from '../../../core/money.ts';
import type { Deed } from '../../../customers/passkeys/challenges.ts';
import { findByUsername } from '../../../customers/usernames/findByUsername.ts';
import type { Db } from '../../../db/database.ts';
import type { Destinations } from '../../../payments/destinations/openDestinations.ts';
import { isPayee } from '../../../payments/users/revealsName.ts';
import type { NameQuota } from '../../calls/createCallLimits.ts';
import type { JsonNumber } from '../../contract/json.ts';
import type { ApiCall } from '../../contract/operation.ts';
import { CURRENCY } from '../../currency.ts';

export interface DeedApp {
  readonly db: Db;
  readonly names: NameQuota;
  readonly destinations: Destinations;
  readonly homeBlockchain: string;
}

interface DeedBody {
  readonly deed: 'register' | 'add' | 'remove' | 'ask_above' | 'create_key' | 'payment' | 'payout';
  readonly payment_id: string | null;
  readonly receiver_username: string | null;
  readonly destination_address: string | null;
  readonly blockchain: string | null;
  readonly amount?: JsonNumber | null;
  readonly payout_id: string | null;
  readonly passkey_id: string | null;
  readonly ask_above?: JsonNumber | null;
}

const lacks = (field: string) => new PayError('passkey.invalid', { reason: `\`${field}\` is missing` });

function need<T>(value: T | null | undefined, field: string): T {
  if (value === null || value === undefined) throw lacks(field);
  return value;
}

export async function parseDeed(app: DeedApp, call: ApiCall, userId: string): Promise<Deed> {
  const body = call.body as unknown as DeedBody;
  // Checked even if this deed does not need it.
  const above = parseAbove(body.ask_above);
  switch (body.deed) {
    case 'register':
    case 'add':
      return { do: body.deed };
    case 'create_key':
      return { do: 'key' };
    case 'remove':
      return { do: 'remove', passkey: need(body.passkey_id, 'passkey_id') };
    case 'ask_above':
      return { do: 'rule', above };
    case 'payout':
      return {
        do: 'payout',
        payout: need(body.payout_id, 'payout_id'),
        total: parseUsdc(need(body.amount, 'amount').source, MAX_TOTAL),
      };
    case 'payment':
      return parsePayment(app, call, userId, body);
  }
}

async function parsePayment(app: DeedApp, call: ApiCall, userId: string, body: DeedBody): Promise<Deed> {
  const payment = need(body.payment_id, 'payment_id');
  const amount = parseUsdc(need(body.amount, 'amount').source);
  const { receiver_username: receiver, destination_address: address } = body;
  if ((receiver === null) === (address === null)) throw new PayError('recipient.unspecified');
  if (receiver !== null) return { do: 'pay', payment, to: await findReceiver(app, call, userId, receiver), amount };
  const blockchain = body.blockchain ?? app.homeBlockchain;
  const destination = app.destinations.parse(blockchain, address!).address;
  const to = `${blockchain} ${CURRENCY.symbol} ${addressKey(destination)}`;
  return { do: 'send', payment, to, amount };
}

/** The answer reveals whether the name exists, so it is counted, as in a preview. */
async function findReceiver(app: DeedApp, call: ApiCall, userId: string, receiver: string): Promise<string> {
  if (!(await isPayee(app.db, userId, receiver))) await app.names.spend(call, userId);
  const found = await findByUsername(app.db, receiver);
  if (!found) throw new PayError('username.unknown');
  return found.userId;
}

/** 0: the person is asked before every payment. Absent: before none. */
export function parseAbove(number: JsonNumber | null | undefined): Usdc | null {
  if (!number) return null;
  const above = parseUsdc(number.source);
  if (above < 0n) throw new PayError('passkey.invalid', { reason: '`ask_above` is negative' });
  return above;
}
