import { formatUsdc } from '../../core/money.ts';
import type { PasskeyState } from '../../customers/passkeys/passkeys.ts';

export const renderPasskeys = ({ userId, passkeys, askAbove, removalDueAt }: PasskeyState) => ({
  user_id: userId,
  ask_above: askAbove === null ? null : formatUsdc(askAbove),
  passkeys: passkeys.map((one) => ({
    passkey_id: one.passkeyId,
    name: one.name,
    backed_up: one.backedUp,
    created_at: one.createdAt.toISOString(),
    last_used_at: one.lastUsedAt?.toISOString() ?? null,
  })),
  removal_due_at: removalDueAt?.toISOString() ?? null,
});
