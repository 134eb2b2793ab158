import type { Options } from './readOptions.ts';
import { filesOf } from './rememberState.ts';
import { PEOPLE } from './seedPeople.ts';
import { type SandboxState, shorten } from './startSandbox.ts';

/** What runs, where, which people exist, and the first calls to try, ready to be pasted. */
export function renderBanner(state: SandboxState, options: Options, elapsedMs: number): string {
  const { web3_url, backend_url, issuer_url, kyc_url, ops_url, users } = state;
  const files = filesOf(options.dataDir);
  const database = new URL(state.database_url);
  const alice = users.find((user) => user.email === PEOPLE[0]!.email) ?? users[0]!;
  const bob = users.find((user) => user.email === PEOPLE[1]!.email) ?? users[1]!;
  const post = (path: string, body: string) =>
    `curl -s -X POST ${backend_url}${path} -H 'Content-Type: application/json' -d ${body}`;
  const idToken = `curl -s "${issuer_url}/id_token?email=dave@example.com"`;
  const payment = { sender_user_id: alice.user_id, receiver_username: bob.username, amount: 1.5 };
  return `
Florin's sandbox is ready, after ${(elapsedMs / 1000).toFixed(1)} s.

${renderTable([
  ['Web3 API', web3_url, `${web3_url}/docs`],
  ['Backend API', backend_url, `${backend_url}/docs`],
  ['Issuer', issuer_url, 'logs in any e-mail address, without a password'],
  ['KYC desk', kyc_url, 'where you decide whose identity check passes'],
  ['Operations', ops_url, `${ops_url}/readyz, ${ops_url}/metrics`],
  ['PostgreSQL', database.host, options.databaseUrl ? 'yours' : `database ${database.pathname.slice(1)}`],
  ['Data', shorten(options, options.dataDir), `${shorten(options, files.sandbox)} has all of this for scripts`],
  ['Log', shorten(options, files.serverLog), ''],
])}

People
${renderTable(users.map((user) => [user.username, PEOPLE.find(({ email }) => email === user.email)?.about ?? '', user.email, user.user_id]))}

A first payment, from ${alice.username} to ${bob.username}
  ${post('/api/v1/send_usdc', `'${JSON.stringify(payment)}'`)}

An ID token for any e-mail address, and a login with it
  ${idToken}
  ${post('/api/v1/login', `"{\\"id_token\\":\\"$(${idToken.replaceAll('"', "'")})\\"}"`)}

Ctrl-C stops everything; npm start goes on where it stopped; npm start -- --fresh begins again.
`;
}

function renderTable(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  return rows
    .map((row) => `  ${row.map((cell, column) => cell.padEnd(widths[column]!)).join('  ')}`.trimEnd())
    .join('\n');
}
