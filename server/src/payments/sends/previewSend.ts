import type { ErrorDetails } from '../../core/errors.ts';
import { newId } from '../../core/ids.ts';
import { type LimitState, type LimitsText, parseLimits } from '../../customers/limits/readLimits.ts';
import type { Queryable } from '../../db/database.ts';
import { type Screening, screenSend } from '../destinations/screenDestinations.ts';
import { encodeRules, encodeSend, toRefusal } from './acceptSends.ts';
import type { Sends } from './openSends.ts';
import type { SendRules, SendToAddress } from './sendCommand.ts';
import { decideScreened } from './sendToAddress.ts';

export interface PreviewSendApp {
  readonly db: Queryable;
  readonly sends: Pick<Sends, 'mustAsk'>;
  readonly sendRules: SendRules;
  readonly destinations: Screening;
}

/** The effect that a payment to an address would have now. */
interface SendPreview {
  readonly available: bigint;
  readonly limits: readonly LimitState[];
  readonly approvalsNeeded: number;
  readonly notBefore: Date | null;
}

interface PreviewRow {
  readonly o_outcome: string;
  readonly o_details: unknown;
  readonly o_approvals_needed: number;
  readonly o_not_before: Date | null;
  readonly o_available: bigint;
  readonly o_limits: LimitsText;
}

/**
 * Throws the refusal that the payment would get: the same statement decides and is rolled back. Nothing is held or
 * paid.
 */
export async function previewSend(
  app: PreviewSendApp,
  request: SendToAddress & { readonly payerId: string },
): Promise<SendPreview> {
  const screen = (asks: readonly ('screen' | 'token')[]) => screenSend(app.destinations, request, asks);
  const { outcome, row } = await decideScreened(app.sends, request, screen, async (asked) => {
    const found = await decide(app, asked);
    return { outcome: found.o_outcome, row: found };
  });
  if (outcome === 'refused') throw toRefusal(row.o_details as { code: string; details: ErrorDetails });
  if (outcome !== 'accepted') throw new Error(`a preview without a key was answered ${outcome}`);
  return {
    available: row.o_available,
    limits: parseLimits(row.o_limits),
    approvalsNeeded: row.o_approvals_needed,
    notBefore: row.o_not_before,
  };
}

async function decide({ db, sendRules }: PreviewSendApp, request: SendToAddress): Promise<PreviewRow> {
  const command = { paymentId: newId(), request, hash: undefined };
  const [row] = await db.query<PreviewRow>('SELECT * FROM preview_send($1, $2)', [
    encodeRules(sendRules),
    JSON.stringify(encodeSend(command, false)),
  ]);
  return row!;
}
