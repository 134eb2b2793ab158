import type { IncomingHttpHeaders } from 'node:http';
import { PayError } from '../../core/errors.ts';
import { type Mode, parseBearer } from '../backend/authorize.ts';

/**
 * In the sandbox the Web3 API is bare, as the interface says. In production it takes service keys and nothing else;
 * until the first one can be made, every call is refused.
 */
export async function authorize(mode: Mode, call: { readonly headers: IncomingHttpHeaders }): Promise<undefined> {
  const header = call.headers.authorization;
  if (header !== undefined) {
    parseBearer(header);
    throw new PayError('auth.invalid', { reason: 'unknown' });
  }
  if (mode === 'production') throw new PayError('auth.required');
}
