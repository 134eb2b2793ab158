import { PayError, renderProblem } from '../../core/errors.ts';
import { MAX_TOTAL, parseUsdc } from '../../core/money.ts';
import type { ServiceCaller } from '../../customers/keys/serviceKeys.ts';
import type { Queryable } from '../../db/database.ts';
import type { Destinations } from '../../payments/destinations/openDestinations.ts';
import { checkPayout } from '../../payments/payouts/checkPayout.ts';
import { cancelPayout, confirmPayout } from '../../payments/payouts/decidePayout.ts';
import { type ParsedFile, parseCsvRows, parseJsonRows, type RowError } from '../../payments/payouts/parseRows.ts';
import {
  getPayout,
  type ItemState,
  listPayoutsOf,
  type OnShortage,
  type PayoutState,
} from '../../payments/payouts/payout.ts';
import { printItems, readItems } from '../../payments/payouts/readItems.ts';
import type { SendRules } from '../../payments/sends/sendCommand.ts';
import { isAccountCaller } from '../backend/keys/keyOperations.ts';
import type { NameQuota } from '../calls/createCallLimits.ts';
import { findText } from '../contract/decodeText.ts';
import type { JsonNumber } from '../contract/json.ts';
import type { ApiAnswer, ApiCall, Operation } from '../contract/operation.ts';
import { parseJson } from '../contract/parseJson.ts';
import { CURRENCY } from '../currency.ts';
import { renderItem, renderPayout } from './renderPayout.ts';

interface PayoutsApp {
  readonly db: Queryable;
  readonly homeBlockchain: string;
  readonly destinations: Destinations;
  readonly sendRules: SendRules;
  readonly names: NameQuota;
}

/** Lists only this many faults: a longer list usually repeats the same fault. */
const MOST_ERRORS = 1_000;

/** The key found by the authorization. */
const keyOf = (call: ApiCall): string => (call.caller as ServiceCaller).keyId;
const idOf = (call: ApiCall): string => call.params.payout_id!;
const wantedBy = (call: ApiCall) => ({
  payoutId: idOf(call),
  keyId: keyOf(call),
  certificate: call.certificate,
  client: call.address,
});

const create =
  (app: PayoutsApp): Operation =>
  async (call) => {
    const bytes = call.bodyBytes ?? Buffer.alloc(0);
    const contentType = call.headers['content-type'] ?? '';
    const { db, homeBlockchain, destinations: places } = app;
    const checked = await checkPayout(
      { db, homeBlockchain, places },
      {
        keyId: keyOf(call),
        certificate: call.certificate,
        client: call.address,
        currency: CURRENCY.symbol,
        payer: payerOf(call),
        onShortage: call.query.on_shortage as OnShortage,
        file: { contentType: contentType.slice(0, 100), bytes },
        parsed: parseFile(contentType, bytes),
      },
    );
    if (checked.outcome === 'invalid') {
      await countUnknownNames(app, call, checked.errors);
      return refuse(checked.errors, call.requestId);
    }
    return { body: renderPayout(checked.payout, checked.warnings) };
  };

/** An account key pays from its own account. Another payer is refused without looking them up. */
function payerOf({ caller, query }: ApiCall): string | { readonly userId: string } | undefined {
  if (!isAccountCaller(caller)) return query.payer;
  if (query.payer !== undefined) throw new PayError('key.not_allowed', { what: 'wallet' });
  return { userId: caller.userId };
}

/** A person could otherwise guess names by the thousand. Services know their customers. */
async function countUnknownNames({ names }: PayoutsApp, call: ApiCall, errors: readonly RowError[]): Promise<void> {
  if (!isAccountCaller(call.caller)) return;
  for (const { code } of errors) if (code === 'username.unknown') await names.spend(call, call.caller.userId);
}

function parseFile(contentType: string, bytes: Buffer): ParsedFile {
  const [type = ''] = contentType.toLowerCase().split(';');
  if (type.trim() === 'text/csv') return parseCsvRows(bytes);
  if (type.trim() !== 'application/json') return refuseFile('file.type', 'Send text/csv or application/json.');
  const text = findText(bytes);
  try {
    return text === undefined ? refuseFile('file.text', 'The body is not UTF-8 text.') : parseJsonRows(parseJson(text));
  } catch {
    return refuseFile('file.json', 'The body is not JSON.');
  }
}

const refuseFile = (code: string, detail: string): ParsedFile => ({
  rows: [],
  errors: [{ row: 0, column: null, code, detail }],
  count: 0,
});

/** A problem document with a list, which an error's details cannot contain. */
function refuse(errors: readonly RowError[], requestId: string): ApiAnswer {
  const refusal = new PayError('payout.invalid', { error_count: errors.length });
  const body = { ...renderProblem(refusal), errors: errors.slice(0, MOST_ERRORS), request_id: requestId };
  return {
    status: refusal.status,
    body: JSON.stringify(body),
    contentType: 'application/problem+json',
    code: refusal.code,
  };
}

const get =
  ({ db }: PayoutsApp): Operation =>
  async (call) => ({ body: renderPayout(await getPayout(db, idOf(call), keyOf(call))) });

const list =
  ({ db }: PayoutsApp): Operation =>
  async (call) => {
    const limit = Number.parseInt(call.query.limit!, 10);
    const found = await listPayoutsOf(db, {
      keyId: keyOf(call),
      state: call.query.state as PayoutState | undefined,
      before: call.query.before,
      limit: limit + 1,
    });
    const payouts = found.slice(0, limit);
    const next = found.length > limit ? payouts.at(-1)!.payoutId : null;
    return { body: { payouts: payouts.map((payout) => renderPayout(payout)), next_before: next } };
  };

const confirm =
  ({ db, sendRules }: PayoutsApp): Operation =>
  async (call) => {
    const { count, total } = call.body as unknown as { count: JsonNumber; total: string };
    const payout = await confirmPayout(db, {
      ...wantedBy(call),
      count: Number.parseInt(count.source, 10),
      total: parseUsdc(total, MAX_TOTAL),
      approvalThreshold: sendRules.approvalThreshold,
    });
    return { body: renderPayout(payout) };
  };

const cancel =
  ({ db }: PayoutsApp): Operation =>
  async (call) => ({ body: renderPayout(await cancelPayout(db, wantedBy(call))) });

const listItems =
  ({ db }: PayoutsApp): Operation =>
  async (call) => {
    const { payoutId } = await getPayout(db, idOf(call), keyOf(call));
    const limit = Number.parseInt(call.query.limit!, 10);
    const after = Number.parseInt(call.query.after!, 10);
    const found = await readItems(db, {
      payoutId,
      state: call.query.state as ItemState | undefined,
      after,
      limit: limit + 1,
    });
    const items = found.slice(0, limit);
    return { body: { items: items.map(renderItem), next_after: found.length > limit ? items.at(-1)!.row : null } };
  };

const exportItems =
  ({ db }: PayoutsApp): Operation =>
  async (call) => {
    const { payoutId } = await getPayout(db, idOf(call), keyOf(call));
    const headers = { 'Content-Disposition': 'attachment; filename="payout.csv"' };
    return { body: null, contentType: 'text/csv; charset=utf-8', pieces: printItems(db, payoutId), headers };
  };

/** The payout operations, with a key of the scope `payouts`. Keyed by the document's operation ids. */
export const payoutOperations = (app: PayoutsApp) => ({
  create_payout: create(app),
  list_payouts: list(app),
  get_payout: get(app),
  confirm_payout: confirm(app),
  cancel_payout: cancel(app),
  list_payout_items: listItems(app),
  export_payout_items: exportItems(app),
});
