import { remoteSigner } from '../../adapters/signer/remoteSigner.ts';
import type { NetworkConfig } from '../config/chains.ts';
import { loadEnvironment } from '../config/config.ts';
import { findSeedFileFaults } from '../config/faults/seedFileFaults.ts';
import { type Role, readParts } from '../config/parts.ts';
import { expiryOf, readTls, type TlsFiles } from '../config/tlsFiles.ts';
import { renderTime } from '../program/render.ts';
import { checkDatabase, checkPauses } from './checkDatabase.ts';
import { checkDuties } from './checkDuties.ts';
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
      : faults.map((says) => fault('configuration', says, findPlace(says)));
  const database = databaseUrl
    ? checkDatabase({ url: databaseUrl, mode, role, isGuessed }, async (db) =>
        role === 'signer' || role === 'console'
          ? []
          : [
              ...(await checkWatchers(db, chains ?? [])),
              ...(await checkGas(db, chains ?? [])),
              ...(await checkPauses(db)),
              ...(await checkDuties(db)),
            ],
      )
    : [];
  const found = await Promise.all([
    configuration,
    database,
    databaseUrl && databaseReadUrl ? checkStandbys(databaseUrl, databaseReadUrl) : [],
    databaseUrl ? checkPatroni(databaseUrl) : [],
    checkCertificate(parts.tlsFiles),
    checkSigner(parts),
    checkProviders(parts.providers),
    chains === undefined ? [] : role === 'signer' ? checkNames(chains) : checkNetworks(chains),
  ]);
  const order = (one: Finding) => AREAS.indexOf(one.area);
  return { role, findings: found.flat().toSorted((one, other) => order(one) - order(other)) };
}

/** Faults of the TLS files are not about the variable that names them. */
const findPlace = (says: string): string =>
  /^FLORIN_(?:TLS_\w+|WEB3_CLIENT_CA)_FILE(?:: | holds| and| is not the key)/.test(says)
    ? 'renew or correct the file; a running server reads it within ten seconds (docs/tls.md)'
    : 'set it in the environment or the --env-file (.env.example)';

const ENDS_SOON_DAYS = 14;

/** A certificate that has expired, or cannot be used, is a fault of the configuration. */
function checkCertificate(files: TlsFiles | undefined): Finding[] {
  const { identity } = files ? readTls(files) : {};
  if (!identity) return [];
  const end = new Date(expiryOf(identity) * 1000);
  const days = Math.floor((end.getTime() - Date.now()) / 86_400_000);
  const says = `the certificate ends in ${days} days, at ${renderTime(end)}`;
  return days < ENDS_SOON_DAYS
    ? [warning('configuration', says, 'renew FLORIN_TLS_CERT_FILE (docs/operating/secrets.md)')]
    : [ok('configuration', says)];
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
