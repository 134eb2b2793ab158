/**
 * One of the versions that `bench/against.ts` compares: its own PostgreSQL, people with money and compiled servers of both
 * modes. `against.ts` copies this file into the other version's checkout, so it uses only what both have. Sends its parent
 * a `Peer` and, when it gets any message, recomputes the books and ends.
 */
import { readFileSync } from 'node:fs';
import { createPeople, openWorld, proveBooks } from '../support/ledgerWorld.ts';
import { logIn } from '../support/logIn.ts';
import { compileServer, prepareServers } from '../support/startBuiltServer.ts';
import type { Load } from './p2pLoad.ts';

export interface Peer {
  readonly modes: readonly {
    readonly mode: 'sandbox' | 'production';
    readonly url: string;
    readonly people: Load['people'];
  }[];
  /** The process id of the first process of PostgreSQL. */
  readonly postmaster: number;
}

const PEOPLE = Number(process.argv[2]);
const RATE_LIMITS = 'address=10000000, login=30, user=300, key=6000, kyc=10';

await compileServer();
const world = await openWorld();
const [modes, stops, books] = [
  [] as Peer['modes'][number][],
  [] as (() => Promise<void>)[],
  [] as (() => Promise<void>)[],
];
let postmaster = Number.NaN;
for (const mode of ['sandbox', 'production'] as const) {
  const { databaseUrl, db } = await world.createDatabase(`florin_${mode}`);
  const isSandbox = mode === 'sandbox';
  const people = await createPeople(db, PEOPLE, isSandbox ? 'florin-sandbox' : 'bench');
  const servers = await prepareServers(mode, databaseUrl, db, isSandbox ? undefined : RATE_LIMITS);
  const server = await servers.start();
  stops.push(server.stop, async () => servers.remove());
  books.push(() => proveBooks(db));
  modes.push({ mode, url: server.backendUrl, people: isSandbox ? people : await logIn(db, people) });
  const [backend] = await db.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  postmaster = Number(readFileSync(`/proc/${backend!.pid}/stat`, 'utf8').split(') ').at(-1)!.split(' ')[1]);
}
process.once('message', async () => {
  for (const stop of stops) await stop();
  for (const prove of books) await prove();
  await world.stop();
  process.exit(0);
});
process.once('disconnect', () => process.exit(1));
process.send!({ modes, postmaster } satisfies Peer);
