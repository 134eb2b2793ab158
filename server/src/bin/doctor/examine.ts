import { remoteSigner } from '../../adapters/signer/remoteSigner.ts';
import type { NetworkConfig } from '../config/chains.ts';
import { loadEnvironment } from '../config/config.ts';
import { findSeedFileFaults } from '../config/faults/seedFileFaults.ts';
import { type Role, readParts } from '../config/parts.ts';
import { checkDatabase, checkPauses } from './checkDatabase.ts';
import { checkGas } from './checkGas.ts';
import { checkNetworks, checkWatchers } from './checkNetworks.ts';
import { checkPatroni } from './checkPatroni.ts';
import { checkProviders } from './checkProviders.ts';
import { checkStandbys } from './checkStandbys.ts';
import { AREAS, describeError, type Finding, fault, ok, warning } from './finding.ts';

/** Examines this environment as far as possible, even if parts of it are wrong. */
export async function examine(
  asked: Role | undefined,
  env = loadEnvironment(),
): Promise<{ readonly role: Role; readonly findings: Finding[] }> {
  const parts = readParts(env, asked);
  const { role, isGuessed, mode, faults, databaseUrl, databaseReadUrl, chains } = parts;
  const configuration: Finding[] =
    faults.length === 0
      ? [ok('configuration', `${mode}, as ${role}`)]
      : faults.map((says) =>
          fault('configuration', says, 'set it in the environment or the --env-file (.env.example)'),
        );
  const database = databaseUrl
    ? checkDatabase({ url: databaseUrl, mode, role, isGuessed }, async (db) =>
        role === 'signer'
          ? []
          : [
              ...(await checkWatchers(db, chains ?? [])),
              ...(await checkGas(db, chains ?? [])),
              ...(await checkPauses(db)),
            ],
      )
    : [];
  const found = await Promise.all([
    configuration,
    database,
    databaseUrl && databaseReadUrl ? checkStandbys(databaseUrl, databaseReadUrl) : [],
    databaseUrl ? checkPatroni(databaseUrl) : [],
    checkSigner(parts),
    checkProviders(parts.providers),
    chains === undefined ? [] : role === 'signer' ? checkNames(chains) : checkNetworks(chains),
  ]);
  const order = (one: Finding) => AREAS.indexOf(one.area);
  return { role, findings: found.flat().toSorted((one, other) => order(one) - order(other)) };
}

/** The signer identifies chains only by their ids and calls no node. */
const checkNames = (chains: readonly NetworkConfig[]): Finding[] =>
  chains.length === 0
    ? [
        warning(
          'networks',
          'FLORIN_CHAINS names no blockchain: the signer signs nothing',
          'use the same FLORIN_CHAINS as the worker',
        ),
      ]
    : [ok('networks', `signs for ${chains.map(({ blockchain }) => blockchain).join(', ')}`)];

async function checkSigner({ signer, seed }: ReturnType<typeof readParts>): Promise<Finding[]> {
  if (seed) {
    const faults = await findSeedFileFaults(seed.file, seed.secret);
    if (faults.length === 0) return [ok('signer', `${seed.file} opens with its secret`)];
    return faults.map(({ says, fix, isWarning }) => (isWarning ? warning : fault)('signer', says, fix));
  }
  if (!signer) return [];
  const client = remoteSigner({ ...signer, timeoutMs: 3_000 });
  try {
    const answer = await client.check();
    const where = signer.urls.join(', ');
    if (answer.outcome === 'accepted') return [ok('signer', `answers at ${where}`)];
    if (answer.outcome === 'rejected')
      return [
        fault(
          'signer',
          `the signer at ${where} refuses us: ${answer.reason}`,
          'FLORIN_SIGNER_TOKEN must be one of its FLORIN_SIGNER_TOKENS',
        ),
      ];
    return [
      fault(
        'signer',
        `the signer at ${where} does not answer: ${describeError(answer.cause)}; sends wait, and new people get their wallet later`,
        'florin signer --env-file signer.env (docs/operating/signer.md)',
      ),
    ];
  } finally {
    client.close();
  }
}
