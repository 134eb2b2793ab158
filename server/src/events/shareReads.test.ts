import { expect, it } from 'vitest';
import { shareReads } from './shareReads.ts';

function openReads(most: number) {
  const begun: { readonly id: string; finish(value: string): void; fail(error: Error): void }[] = [];
  const read = shareReads((id) => new Promise<string>((finish, fail) => begun.push({ id, finish, fail })), most);
  return { begun, read };
}
const turn = () => new Promise(setImmediate);

it('shares a read that has not begun, and starts another one for later callers', async () => {
  const { begun, read } = openReads(1);
  const first = read('a');
  await turn();
  const later = [read('a'), read('a'), read('a')];
  await turn();
  expect(begun).toHaveLength(1);
  begun[0]!.finish('old');
  await turn();
  expect(begun).toHaveLength(2);
  begun[1]!.finish('new');
  expect([await first, ...(await Promise.all(later))]).toEqual(['old', 'new', 'new', 'new']);
});

it('runs a limited number concurrently, in order, and continues after a failure', async () => {
  const { begun, read } = openReads(2);
  const reads = ['a', 'b', 'c', 'd'].map((id) => read(id).catch((error: Error) => error.message));
  await turn();
  expect(begun.map(({ id }) => id)).toEqual(['a', 'b']);
  begun[0]!.fail(new Error('away'));
  await turn();
  expect(begun.map(({ id }) => id)).toEqual(['a', 'b', 'c']);
  for (const one of begun.slice(1)) one.finish(one.id);
  await turn();
  begun[3]!.finish('d');
  expect(await Promise.all(reads)).toEqual(['away', 'b', 'c', 'd']);
});
