import type { NameQuota } from '../../../server/src/http/calls/createCallLimits.ts';

/** For operations that a test serves without rate limits. */
export const unlimitedNames: NameQuota = { left: () => 1, spend: () => undefined };
