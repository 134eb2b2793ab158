import type { SandboxUser } from './seedPeople.ts';
import { writePrivateFile } from './writePrivateFile.ts';

/** The example values of the OpenAPI documents and the guides. */
export const DOCUMENTED = {
  userId: '3f0c9a4e-7b1d-4c58-9e2a-6d5f0b8c1a27',
  email: 'alice@example.com',
  walletId: '5f2b7d1e-0000-4000-8000-000000000001',
  address: '0x1D3a5B7C9e0F2a4b6C8D0E1f3a5b7C9D1e3f5A7B',
  payment: '0c6f5c1e-3d5b-4b7e-9a51-0e7a3f6d2b18',
  endedPayment: '5d0f3b1e-8a72-4c1d-9f64-2b7a9c0e4d18',
  sessionId: '9a1d4b6e-2c3f-4e5a-8b7c-6d5e4f3a2b1c',
  idToken: 'eyJhbGciOiJSUzI1NiIsImtpZCI6ImsxIn0.eyJpc3MiOiJodHRwczovL2lzc3Vlci5leGFtcGxlIn0.c2lnbmF0dXJl',
  accessToken: 'fla_k3Fj9OliCfOlUC2vu9X8DyMHOkr4geyJqb6yHoVuwxk',
  refreshToken: 'flr_Zq7wN1cV5tYb8uJm2kLs0dXa4rPe6hGf3iOo9nBv7Tc',
} as const;

interface Login {
  readonly session_id: string;
  readonly refresh_token: string;
}

/**
 * The values that the server shows instead (`FLORIN_EXAMPLES_FILE`), so that the examples work: one of the seeded
 * people and their first deposit. The refresh token belongs to a session that nothing else uses, because trying it out
 * consumes it.
 */
export async function writeExamples(
  file: string,
  backendUrl: string,
  person: SandboxUser,
  /** Shell variables of the guides, such as `$ISSUER`. */
  places: Readonly<Record<`$${string}`, string>>,
): Promise<void> {
  const login = (await call(`${backendUrl}/api/v1/login`, { id_token: person.id_token })) as Login;
  const history = `/api/v1/latest_transactions_by_username/${person.username}?kind=deposit&limit=1`;
  const { transactions } = (await call(backendUrl + history)) as { transactions: { transaction_id: string }[] };
  const deposit = transactions[0]?.transaction_id ?? DOCUMENTED.payment;
  const shown: Record<keyof typeof DOCUMENTED, string> = {
    userId: person.user_id,
    email: person.email,
    walletId: person.wallet_id,
    address: person.address,
    payment: deposit,
    endedPayment: deposit,
    sessionId: login.session_id,
    idToken: person.id_token,
    accessToken: person.access_token,
    refreshToken: login.refresh_token,
  };
  const values = Object.entries(DOCUMENTED).map(([name, documented]) => [
    documented,
    shown[name as keyof typeof DOCUMENTED],
  ]);
  writePrivateFile(file, `${JSON.stringify({ ...Object.fromEntries(values), ...places }, null, 2)}\n`);
}

async function call(url: string, body?: unknown): Promise<unknown> {
  const answer = await fetch(url, {
    ...(body !== undefined && {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }),
    signal: AbortSignal.timeout(60_000),
  });
  if (answer.ok) return answer.json();
  throw new Error(`${new URL(url).pathname} answered ${answer.status}: ${await answer.text()}`);
}
