/** No one can call about their own money without a credential, not even in the sandbox. */
import { describe, expect, it } from 'vitest';
import type { PayError } from '../../core/errors.ts';
import type { ServiceCallers } from '../../customers/keys/serviceKeys.ts';
import type { Callers } from '../../customers/sessions/openCallers.ts';
import { readDocument } from '../contract/readDocument.ts';
import { authorize, type Mode } from './authorize.ts';

const operations = Object.values(readDocument('backend').paths).flatMap((methods) => Object.values(methods));
/** An account key is an alternative to the credentials that decide here. */
const withoutAccountKeys = (security: unknown) =>
  (security as readonly object[] | undefined)?.filter((one) => !('accountKey' in one));
const needing = (security: unknown) =>
  operations
    .filter((one) => JSON.stringify(withoutAccountKeys(one.security)) === JSON.stringify(security))
    .map((one) => one.operationId);

const app = (mode: Mode) => ({ mode, callers: {} as Callers, serviceCallers: {} as ServiceCallers });

function callBare(mode: Mode, operationId: string): string {
  try {
    // Without a credential, no lookup is made.
    return String(authorize(app(mode), { headers: {}, operationId, certificate: undefined, address: '192.0.2.1' }));
  } catch (error) {
    return (error as PayError).code;
  }
}

describe('a call without a credential', () => {
  // These two give the same answer themselves, after they have checked their input.
  const later = ['list_sessions', 'revoke_session'];

  it('is refused in both modes where the document requires one', () => {
    const own = [...needing([{ bearer: [] }]), ...needing([{ bearer: [] }, { serviceKey: [] }])].filter(
      (id) => !later.includes(id),
    );
    expect(own).toEqual(expect.arrayContaining(['read_me', 'list_events', 'stream_events']));
    for (const id of own)
      expect([id, callBare('sandbox', id), callBare('production', id)]).toEqual([id, 'auth.required', 'auth.required']);
  });

  it('is accepted in the sandbox, and only there, where the document makes it optional', () => {
    const open = needing([{}, { bearer: [] }]);
    expect(open).toContain('send_usdc');
    for (const id of open)
      expect([id, callBare('sandbox', id), callBare('production', id)]).toEqual([id, 'undefined', 'auth.required']);
  });

  it('is accepted in both modes where it carries another proof', () => {
    const proven = needing([]);
    expect(proven).toContain('login');
    for (const id of proven)
      expect([id, callBare('sandbox', id), callBare('production', id)]).toEqual([id, 'undefined', 'undefined']);
  });
});
