/** Every call that a service may make, with a key of each scope: exactly one scope is right. */
import { randomUUID } from 'node:crypto';
import type { GoodCall } from './goodCalls.ts';
import { makeCall } from './listCases.ts';
import type { Described } from './listOperations.ts';
import type { NegativesWorld } from './openWorld.ts';
import { ask } from './runCases.ts';

const SCOPES = ['read', 'send', 'events', 'webhooks', 'payouts'] as const;

/** Undefined: no key works. */
function scopeOf({ api, id, path }: Described): (typeof SCOPES)[number] | undefined {
  if (api === 'web3') return id.startsWith('send') ? 'send' : 'read';
  if (id === 'list_events') return 'events';
  return (['webhooks', 'payouts'] as const).find((scope) => path.startsWith(`/api/v1/${scope}`));
}

/** Faults, and how many calls were made. None of them changes anything, because their objects do not exist. */
export async function runScopes(
  world: NegativesWorld,
  calls: readonly GoodCall[],
): Promise<{ readonly faults: string[]; readonly tried: number }> {
  const faults: string[] = [];
  let tried = 0;
  for (const scope of SCOPES) {
    const may = scope === 'send' || scope === 'payouts' ? ['--any-wallet'] : [];
    const said = await world.operate('key', 'create', randomUUID(), '--scope', scope, ...may);
    const headers = { authorization: `Bearer ${said.split('\n')[0]}` };
    for (const good of calls.filter(({ described }) => scopeOf(described) !== undefined)) {
      const { described } = good;
      const params = Object.fromEntries(Object.keys(good.params).map((name) => [name, randomUUID()]));
      const spoilt = { params, headers, ...(described.body && { text: '{' }) };
      const { status, text, fault } = await ask(world, makeCall({ ...good, headers }, world, spoilt));
      const isRight = scopeOf(described) === scope ? ![401, 403].includes(status) : status === 403 && isScope(text);
      if (!isRight || fault) faults.push(`${described.id} with the scope ${scope}: ${status} ${fault ?? text}`);
      tried++;
    }
  }
  return { faults, tried };
}

const isScope = (text: string): boolean => (JSON.parse(text) as { code?: string }).code === 'auth.scope';
