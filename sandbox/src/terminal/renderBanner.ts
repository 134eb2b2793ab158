import { randomBytes } from 'node:crypto';
import type { Options } from '../readOptions.ts';
import { filesOf } from '../rememberState.ts';
import { PEOPLE } from '../seedPeople.ts';
import { type SandboxState, shorten } from '../startSandbox.ts';

/**
 * Renders what the sandbox runs and where, the people and their balances, and the first calls to try, ready to paste.
 * No line is longer than 80 characters, unless a folder has a long name: a terminal would wrap it, and a wrapped id
 * cannot be copied.
 */
export function renderBanner(
  state: SandboxState,
  balances: ReadonlyMap<string, string>,
  options: Options,
  elapsedMs: number,
): string {
  const { wallet_url, console_url, web3_url, backend_url, issuer_url, kyc_url, circle_url, ops_url, users } = state;
  const files = filesOf(options.dataDir);
  const database = new URL(state.database_url);
  const alice = users.find((user) => user.email === PEOPLE[0]!.email) ?? users[0]!;
  const bob = users.find((user) => user.email === PEOPLE[1]!.email) ?? users[1]!;
  // New at each start: with yesterday's key, the first payment of today would only repeat yesterday's answer.
  const key = `first-payment-${randomBytes(4).toString('hex')}`;
  return `
Florin's sandbox is ready, after ${(elapsedMs / 1000).toFixed(1)} s.

${renderTable([
  ['Wallet', wallet_url, 'log in as anyone with one click'],
  ['', wallet_url.replace('127.0.0.1', 'localhost'), 'the same, for a second person'],
  ['', wallet_url.replace('127.0.0.1', 'wallet.localhost'), 'the same, with passkeys'],
  ...(console_url ? [['Console', console_url, 'operators, with one click']] : []),
  ['Web3 API', web3_url, 'reference at /docs'],
  ['Backend API', backend_url, 'reference at /docs'],
  ['Issuer', issuer_url, 'logs in any e-mail address'],
  ['KYC page', kyc_url, 'approve or reject identity checks'],
  ...(circle_url ? [['Circle', circle_url, 'holds the keys of wallets']] : []),
  ['Operations', ops_url, '/readyz, /metrics'],
  ['PostgreSQL', database.host, options.databaseUrl ? 'yours' : `database ${database.pathname.slice(1)}`],
])}

${renderTable([
  ['For scripts', shorten(options, files.sandbox)],
  ['Log', shorten(options, files.serverLog)],
])}

People, and what they have now (NAME@florin.example)
${renderTable(
  users.map((user) => [
    user.username,
    user.user_id,
    `${balances.get(user.user_id) ?? '0'} USDC`,
    `KYC ${PEOPLE.find(({ email }) => email === user.email)?.kycStatus ?? ''}`,
  ]),
)}

A first payment, from ${alice.username} to ${bob.username}; the same key never pays twice
  curl -s -X POST ${backend_url}/api/v1/send_usdc \\
    -H 'Content-Type: application/json' \\
    -H 'Idempotency-Key: ${key}' \\
    -d '{"sender_user_id":"${alice.user_id}",
         "receiver_username":"${bob.username}","amount":1.5}'

An ID token for any e-mail address, and a login with it
  ID_TOKEN=$(curl -s "${issuer_url}/id_token?email=dave@example.com")
  curl -s -X POST ${backend_url}/api/v1/login \\
    -H 'Content-Type: application/json' -d "{\\"id_token\\":\\"$ID_TOKEN\\"}"

${console_url ? renderConsoleLogins(console_url) : ''}Commands of florin act as florin_admin. To act as another operator:
  ./florin payment waiting --env-file ${shorten(options, files.riskEnv)}

Ctrl-C stops everything; npm start continues where it stopped;
npm start -- --fresh begins again.
`;
}

/** One click each. */
const renderConsoleLogins = (url: string): string => `The operator console, as support, risk or admin
${['support', 'risk', 'admin'].map((role) => `  ${url}/session/login?as=florin_${role}`).join('\n')}

`;

function renderTable(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  return rows
    .map((row) => `  ${row.map((cell, column) => cell.padEnd(widths[column]!)).join('  ')}`.trimEnd())
    .join('\n');
}
