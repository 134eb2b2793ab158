import type { NameLimit } from '../../../server/src/http/calls/limitNames.ts';

/** For operations that a test serves without rate limits. */
export const unlimitedNames: NameLimit = {
  count: async () => {},
  around: (_call, _userId, { pay }) => pay(),
};
