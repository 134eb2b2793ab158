/**
 * One test per attack, against real processes in production mode with a chain. Attacks on TLS and on the sandbox run
 * against those. Prints a table: attack, expected answer, actual answer.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join as joinPath } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openDatabase } from '../../server/src/db/database.ts';
import { type Attack, fund, join, type World } from '../support/attacks.ts';
import { SEPOLIA_ID, startTestChain } from '../support/chain/chain.ts';
import { type Recorder, recordStatements } from '../support/database/recordStatements.ts';
import { createAuthority } from '../support/http/certificate.ts';
import { operate } from '../support/operate.ts';
import { startProduction } from '../support/production.ts';
import { startTestServer } from '../support/server.ts';
import { anothersId, kycByEmail, lookAlikeNames, noCredential, timing } from './callers.ts';
import { addressPoisoning, fakeDeposit } from './chain.ts';
import { brokenConnections, flood, hiddenPaths, oddTokens, rebinding } from './connections.ts';
import { approvalByOne, keyBySql, leakedKey, leakedKeyInBulk, replayedRefresh } from './credentials.ts';
import { amounts, balanceRace, replay } from './money.ts';
import { forgedTokens, jwksFlood, ssrf, tokenReplay } from './tokens.ts';
import { heldAnswers } from './waiting.ts';
import { foreignPages, logInjection, pollution, slowloris, smuggling, startSlowly } from './wire.ts';

const attacks: readonly Attack[] = [
  noCredential,
  anothersId,
  lookAlikeNames,
  addressPoisoning,
  balanceRace,
  replay,
  amounts,
  fakeDeposit,
  ssrf,
  kycByEmail,
  forgedTokens,
  jwksFlood,
  tokenReplay,
  slowloris,
  pollution,
  smuggling,
  foreignPages,
  logInjection,
  brokenConnections,
  flood,
  hiddenPaths,
  rebinding,
  oddTokens,
  heldAnswers,
  timing,
  leakedKeyInBulk,
  leakedKey,
  replayedRefresh,
  approvalByOne,
  keyBySql,
];

let world: World;
let folder: string;
let recorder: Recorder;

/** A production server that terminates TLS itself, in this process. */
async function startTls(): Promise<World['tls']> {
  const authority = createAuthority();
  const own = authority.issue();
  const [certFile, keyFile] = [joinPath(folder, 'cert.pem'), joinPath(folder, 'key.pem')];
  await Promise.all([writeFile(certFile, own.cert), writeFile(keyFile, own.key)]);
  const server = await startTestServer({
    FLORIN_MODE: 'production',
    FLORIN_OIDC_ISSUERS: '[{"issuer":"https://login.example.com","audience":"florin"}]',
    FLORIN_TLS_CERT_FILE: certFile,
    FLORIN_TLS_KEY_FILE: keyFile,
  });
  return { ...server, authority: authority.cert };
}

beforeAll(async () => {
  folder = await mkdtemp(joinPath(tmpdir(), 'florin-attacks-'));
  const chain = await startTestChain(SEPOLIA_ID);
  const reach = async (url: string, program: string) => {
    if (program !== 'server') return url;
    recorder = await recordStatements(url);
    return recorder.url;
  };
  const [florin, sandbox, tls] = await Promise.all([
    startProduction(
      { FLORIN_RATE_LIMITS: 'address=100000, login=1000, user=10000', FLORIN_LOG_LEVEL: 'debug' },
      { chain, reach },
    ),
    startTestServer(),
    startTls(),
  ]);
  const db = openDatabase(florin.databaseUrl);
  const slow = startSlowly(florin, tls);
  const [mallory, victim] = [await join(florin, 'mallory'), await join(florin, 'victim_shop')];
  for (const person of [mallory, victim]) await fund({ chain, db }, person);
  const scopes = ['--scope', 'read', '--scope', 'send'];
  const printed = await operate(db, 'key', 'create', 'robot', '--any-wallet', ...scopes);
  const service = { authorization: `Bearer ${/fsk_\S+/.exec(printed)![0]}` };
  world = { florin, sandbox, tls, db, recorder, chain, mallory, victim, service, slow };
});
afterAll(async () => {
  const { db, florin, sandbox, tls, chain } = world;
  await db.close();
  await Promise.all([florin.stop(), sandbox.stop(), tls.stop()]);
  await Promise.all([recorder.remove(), chain.stop(), rm(folder, { recursive: true })]);
});

const rows: string[] = [];
afterAll(() => console.log(`The attack list, ${rows.length} rows:\n${rows.join('\n')}`));

it.each(attacks)('$attack', async ({ attack, wanted, probe }) => {
  const got = await probe(world);
  rows.push(`${got === wanted ? 'ok ' : 'NOT'} ${attack}\n      wanted  ${wanted}\n      got     ${got}`);
  expect(got).toBe(wanted);
});
