import { afterEach, describe, expect, it } from 'vitest';
import { eventually } from '../../../../test/support/eventually.ts';
import { openPasses, probePasses } from './probes.ts';
import { type Dependency, keepProbing, type Probe, type Probing } from './readiness.ts';

let probing: Probing | undefined;
afterEach(() => probing?.stop());

const probe = (name: string, see: () => Promise<readonly Dependency[]>, more: Partial<Probe> = {}): Probe => ({
  names: [name],
  run: see,
  ...more,
});
const well = (name: string) => async (): Promise<readonly Dependency[]> => [{ name, status: 'ok' }];
const never = () => new Promise<never>(() => {});
const statusesOf = async () => {
  const { status, dependencies } = await probing!.read();
  return [status, ...dependencies.map((one) => `${one.name} ${one.status}`)];
};

describe('a process', () => {
  it('is ready when everything is healthy, degraded without an optional dependency, down without a required one', async () => {
    let vital = true;
    let other = true;
    const see = (name: string, isThere: () => boolean) => async (): Promise<readonly Dependency[]> => {
      if (!isThere()) throw new Error('connect ECONNREFUSED');
      return [{ name, status: 'ok' }];
    };
    probing = keepProbing([
      probe(
        'database',
        see('database', () => vital),
        { isVital: true },
      ),
      probe(
        'signer',
        see('signer', () => other),
      ),
    ]);
    expect(await statusesOf()).toEqual(['ready', 'database ok', 'signer ok']);
    other = false;
    expect(await statusesOf()).toEqual(['degraded', 'database ok', 'signer down']);
    expect((await probing.read()).dependencies[1]!.says).toBe('connect ECONNREFUSED');
    vital = false;
    expect(await statusesOf()).toEqual(['down', 'database down', 'signer down']);
  });

  it('answers without waiting for a silent dependency, which is down when its time is over', async () => {
    probing = keepProbing([probe('database', well('database')), probe('kyc', never)], { timeoutMs: 200 });
    await eventually(async () => expect(await statusesOf()).toEqual(['degraded', 'database ok', 'kyc down']));
    expect((await probing.read()).dependencies[1]!.says).toBe('did not answer within 200 ms');
  });

  it('has an unknown dependency while its source is unavailable', async () => {
    probing = keepProbing([probe('worker', () => Promise.reject(new Error('no database')), { isHearsay: true })]);
    expect(await statusesOf()).toEqual(['degraded', 'worker unknown']);
  });

  it('reports a dependency when it changes, and not at every probe', async () => {
    let isThere = true;
    const reported: string[] = [];
    const see = async (): Promise<readonly Dependency[]> => [{ name: 'kyc', status: isThere ? 'ok' : 'down' }];
    probing = keepProbing([probe('kyc', see)], {
      onChange: ({ status }, before) => reported.push(`${before} ${status}`),
    });
    for (const next of [true, false, false, true, true]) {
      isThere = next;
      await probing.read();
    }
    expect(reported).toEqual(['ok down', 'down ok']);
  });

  it('probes outside parties at their own interval, however often /readyz is read', async () => {
    let asked = 0;
    const see = async (): Promise<readonly Dependency[]> => {
      asked++;
      return [{ name: 'issuer', status: 'ok' }];
    };
    probing = keepProbing([probe('issuer', see, { everyMs: 60_000 })]);
    for (let i = 0; i < 20; i++) await probing.read();
    expect(asked).toBe(1);
  });
});

it('whose worker hangs is down: its last pass ages, although it is alive', async () => {
  const passes = openPasses();
  passes.note('track ETH');
  passes.note('settle ETH', Date.now() - 3_000_000);
  probing = keepProbing([probePasses(passes)]);
  expect(await statusesOf()).toEqual(['ready', 'last pass ok']);
  passes.note('track ETH', Date.now() - 90_000);
  expect(await statusesOf()).toEqual(['down', 'last pass down']);
  expect((await probing.read()).dependencies[0]!.says).toMatch(/^not finished for 9\d s: track ETH$/);
});
