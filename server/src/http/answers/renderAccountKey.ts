import { formatUsdc } from '../../core/money.ts';
import type { AccountKey } from '../../customers/keys/accountKeys.ts';

const renderLimit = (amount: bigint | null): string | null => (amount === null ? null : formatUsdc(amount));

export const renderAccountKey = ({ limits, ...key }: AccountKey) => ({
  key_id: key.keyId,
  user_id: key.userId,
  name: key.name,
  scopes: key.scopes,
  state: key.state,
  limits: {
    payment: renderLimit(limits.payment),
    day: renderLimit(limits.day),
    month: renderLimit(limits.month),
  },
  addresses: key.addresses,
  expires_at: key.expiresAt?.toISOString() ?? null,
  created_at: key.createdAt.toISOString(),
  last_used_at: key.lastUsedAt?.toISOString() ?? null,
});
