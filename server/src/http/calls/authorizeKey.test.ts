/** A service key does what its scope allows, for the clients that it is bound to, and nothing else. */
import { describe, expect, it } from 'vitest';
import { PayError } from '../../core/errors.ts';
import type { Scope, ServiceCaller, ServiceCallers } from '../../customers/keys/serviceKeys.ts';
import type { Callers } from '../../customers/sessions/openCallers.ts';
import { authorize as authorizeBackend } from '../backend/authorize.ts';
import { readDocument } from '../contract/readDocument.ts';
import { authorize as authorizeWeb3 } from '../web3/authorize.ts';
import { refuseOtherClients } from './authorizeKey.ts';

const SCOPES: readonly Scope[] = ['read', 'send', 'events', 'webhooks', 'payouts', 'notes'];
const [KEY, ADDRESS, CERTIFICATE] = ['fsk_key', '192.0.2.1', 'c'.repeat(64)] as const;

/** The paths of an API, by operation. */
const listPaths = (api: 'web3' | 'backend') =>
  Object.entries(readDocument(api).paths).flatMap(([path, methods]) =>
    Object.values(methods).map(({ operationId, security }) => ({ operationId, path, security })),
  );
const [web3, backend] = [listPaths('web3'), listPaths('backend')];

const callersOf = (scopes: readonly Scope[], more: Partial<ServiceCaller> = {}): ServiceCallers => {
  const caller = { keyId: 'k', scopes, certificate: null, clients: null, ...more };
  return {
    get: async () => caller,
    recall: () => ({ ...caller, confirm: async () => caller }),
    getAccount: async () => {
      throw new PayError('auth.invalid', { reason: 'unknown' });
    },
    watch: () => () => {},
  };
};
const callOf = (operationId: string) => ({
  headers: { authorization: `Bearer ${KEY}` },
  operationId,
  certificate: undefined,
  address: ADDRESS,
});
const answer = async (work: () => unknown): Promise<string> => {
  try {
    await work();
    return 'accepted';
  } catch (error) {
    return (error as PayError).code;
  }
};
/** The scopes with which the call is accepted, in both modes; the other ones get the answer `refused`. */
async function findScopes(
  call: (serviceCallers: ServiceCallers, mode: 'sandbox' | 'production') => unknown,
  refused: string,
) {
  const found: Scope[] = [];
  for (const scope of SCOPES) {
    const answers = await Promise.all(
      (['sandbox', 'production'] as const).map((mode) => answer(() => call(callersOf([scope]), mode))),
    );
    if (answers.every((one) => one === 'accepted')) found.push(scope);
    else expect([scope, ...answers]).toEqual([scope, refused, refused]);
  }
  return found;
}

describe('a key', () => {
  it('of the Web3 API sends with the scope send, and does everything else with the scope read', async () => {
    expect(web3.length).toBeGreaterThan(2);
    for (const { operationId } of web3) {
      const scopes = await findScopes(
        (serviceCallers, mode) => authorizeWeb3({ serviceCallers, mode }, callOf(operationId)),
        'auth.scope',
      );
      expect([operationId, scopes]).toEqual([operationId, [operationId.startsWith('send') ? 'send' : 'read']]);
    }
  });

  it('of the Backend API reads events, or has webhooks or payouts, as its scope says', async () => {
    const callers = {
      get: async () => Promise.reject(new PayError('auth.invalid', { reason: 'unknown' })),
    } as unknown as Callers;
    const byKey = backend.filter(({ security }) => JSON.stringify(security).includes('serviceKey'));
    expect(byKey.length).toBeGreaterThan(15);
    for (const { operationId, path } of byKey) {
      const scopes = await findScopes(
        (serviceCallers, mode) => authorizeBackend({ callers, serviceCallers, mode }, callOf(operationId)),
        'auth.scope',
      );
      const expected =
        (['webhooks', 'payouts'] as const).find((scope) => path.startsWith(`/api/v1/${scope}`)) ?? 'events';
      expect([operationId, scopes]).toEqual([operationId, [expected]]);
    }
  });

  it('is no login', async () => {
    const callers = {
      get: async () => Promise.reject(new PayError('auth.invalid', { reason: 'unknown' })),
    } as unknown as Callers;
    const ofPeople = backend.filter(({ security }) =>
      /^\[\{"bearer":\[\]\}(,\{"accountKey":\[\]\})?\]$/.test(JSON.stringify(security)),
    );
    expect(ofPeople.length).toBeGreaterThan(10);
    for (const { operationId } of ofPeople) {
      const call = () =>
        authorizeBackend({ callers, serviceCallers: callersOf(SCOPES), mode: 'sandbox' }, callOf(operationId));
      expect([operationId, await answer(call)]).toEqual([operationId, 'auth.invalid']);
    }
  });

  it.each<
    [what: string, rules: Partial<ServiceCaller>, shown: { certificate?: string; address?: string }, said: string]
  >([
    ['no rules', {}, {}, 'accepted'],
    ['its certificate', { certificate: CERTIFICATE }, { certificate: CERTIFICATE }, 'accepted'],
    ['another certificate', { certificate: CERTIFICATE }, { certificate: 'd'.repeat(64) }, 'certificate'],
    ['no certificate', { certificate: CERTIFICATE }, {}, 'certificate'],
    ['a certificate that it does not need', {}, { certificate: CERTIFICATE }, 'accepted'],
    ['its address', { clients: ['192.0.2.0/24'] }, {}, 'accepted'],
    ['an address of its second range', { clients: ['10.0.0.0/8', '192.0.2.1/32'] }, {}, 'accepted'],
    ['another address', { clients: ['192.0.3.0/24'] }, {}, 'address'],
    ['no range', { clients: [] }, {}, 'address'],
    ['its address without its certificate', { clients: ['192.0.2.0/24'], certificate: CERTIFICATE }, {}, 'certificate'],
  ])('is accepted for its clients only: %s', (_, rules, shown, said) => {
    const caller: ServiceCaller = { keyId: 'k', scopes: [], certificate: null, clients: null, ...rules };
    try {
      refuseOtherClients(caller, { certificate: undefined, address: ADDRESS, ...shown });
      expect('accepted').toBe(said);
    } catch (error) {
      if (!(error instanceof PayError)) throw error;
      expect(error.details.reason).toBe(said);
    }
  });
});
