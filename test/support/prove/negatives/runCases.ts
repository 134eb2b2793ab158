import { readDocument } from '../../../../server/src/http/contract/readDocument.ts';
import { createJudge } from '../../http/createJudge.ts';
import { compareDigests, digestTables } from './digestTables.ts';
import type { Case, RawCall } from './listCases.ts';
import type { NegativesWorld } from './openWorld.ts';

const judges = {
  web3: createJudge(readDocument('web3')),
  backend: createJudge(readDocument('backend')),
};

export interface Said {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** An answer that does not match the document is a fault, whatever its status. */
export async function ask(
  world: NegativesWorld,
  { base, method, path, headers, body }: RawCall,
): Promise<Said & { readonly fault?: string }> {
  const response = await fetch(base + path, { method, headers, ...(body !== undefined && { body: body as string }) });
  // A stream does not end.
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream');
  const text = isStream ? '' : await response.text();
  if (isStream) await response.body?.cancel();
  const said = { status: response.status, headers: response.headers, text };
  const judge = judges[base === world.florin.web3Url ? 'web3' : 'backend'];
  const fault = isStream ? undefined : judge.findFault(method, path.split('?')[0]!, said);
  return fault === undefined ? said : { ...said, fault };
}

/** Returns the fault of the answer to a case; undefined if there is none. */
async function findFault(world: NegativesWorld, { call, expected, code }: Case): Promise<string | undefined> {
  const { status, text, fault } = await ask(world, call);
  if (fault !== undefined) return `${status}: ${fault}`;
  const isRight =
    expected === 'answered'
      ? status < 500
      : expected === 'refused'
        ? status >= 400 && status < 500
        : expected.includes(status);
  if (!isRight) return `answered ${status} ${text.slice(0, 200)}`;
  if (code !== undefined && (JSON.parse(text) as { code?: string }).code !== code)
    return `answered ${text.slice(0, 200)}`;
  return undefined;
}

const SIDE_BY_SIDE = 8;

/** Faults of all cases. Nothing in the database may change; if something has, this finds the cases that changed it. */
export async function runCases(world: NegativesWorld, cases: readonly Case[]): Promise<string[]> {
  const before = await digestTables(world.admin);
  const faults: string[] = [];
  const left = [...cases];
  await Promise.all(
    Array.from({ length: SIDE_BY_SIDE }, async () => {
      for (let next = left.shift(); next; next = left.shift()) {
        const fault = await findFault(world, next).catch(String);
        if (fault !== undefined) faults.push(`${next.operation}: ${next.what}: ${fault}`);
      }
    }),
  );
  const changed = compareDigests(before, await digestTables(world.admin));
  if (changed.length > 0) faults.push(...(await findChanging(world, cases, changed)));
  return faults;
}

async function findChanging(
  world: NegativesWorld,
  cases: readonly Case[],
  changed: readonly string[],
): Promise<string[]> {
  const found: string[] = [];
  let before = await digestTables(world.admin);
  for (const operation of new Set(cases.map((one) => one.operation))) {
    for (const one of cases.filter((some) => some.operation === operation))
      await findFault(world, one).catch(() => undefined);
    const after = await digestTables(world.admin);
    const tables = compareDigests(before, after);
    if (tables.length > 0) found.push(`${operation}: a refused call has changed ${tables.join(', ')}`);
    before = after;
  }
  return found.length > 0 ? found : [`refused calls have changed ${changed.join(', ')}, and not again when repeated`];
}
