/** The calls of the Backend API that `florin payout` makes. */
import { CommandFault } from '../../program/faults.ts';

interface Sum {
  readonly count: number;
  readonly total: string;
}

interface Said {
  readonly code: string;
  readonly detail: string;
}

/** The members of a payout that are shown. */
export interface Shown extends Sum {
  readonly payout_id: string;
  readonly state: string;
  readonly fees: string;
  readonly paid_before: Sum;
  readonly totals: readonly (Sum & { readonly blockchain: string; readonly to: string })[];
  readonly rows: Readonly<Record<'ready' | 'sent' | 'paid' | 'failed' | 'cancelled', Sum>>;
  readonly rule: string;
  readonly waiting_for: Said | null;
  readonly warnings: readonly Said[];
  readonly file: { readonly sha256: string };
}

interface Faulty {
  readonly error_count: number;
  readonly errors: readonly (Said & { readonly row: number; readonly column: string | null })[];
}

export type Asked = Shown | Faulty;

const ATTEMPTS = 10;
const PAUSE_MS = 500;
const PATIENCE_MS = 60_000;

/** Retries calls that got no answer: all of these calls are safe to repeat. */
export function askApi(url: string, key: string) {
  async function ask(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = { authorization: `Bearer ${key}`, ...init.headers };
    for (let attempt = 1; ; attempt++) {
      try {
        const answer = await fetch(`${url}/api/v1/payouts${path}`, {
          ...init,
          headers,
          signal: AbortSignal.timeout(PATIENCE_MS),
        });
        if (![429, 502, 503, 504].includes(answer.status) || attempt >= ATTEMPTS) return answer;
        await answer.body?.cancel();
      } catch (error) {
        if (attempt >= ATTEMPTS) throw new CommandFault(`${url} does not answer: ${(error as Error).message}`);
      }
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS * attempt));
    }
  }

  async function read<Body>(answer: Response): Promise<Body> {
    const body = (await answer.json()) as Body & { detail?: unknown };
    if (answer.ok) return body;
    const said = typeof body.detail === 'string' ? body.detail : JSON.stringify(body.detail);
    throw new CommandFault(`${url} answered ${answer.status}: ${said}`);
  }

  return {
    async check(file: Buffer, { payer, rule }: { payer: string | undefined; rule: string }): Promise<Asked> {
      const query = new URLSearchParams({ on_shortage: rule, ...(payer !== undefined && { payer }) });
      const headers = { 'content-type': 'text/csv' };
      const answer = await ask(`?${query}`, { method: 'POST', headers, body: new Uint8Array(file) });
      if (answer.status !== 422) return read<Shown>(answer);
      const faulty = (await answer.json()) as Partial<Faulty>;
      if (!faulty.errors) throw new CommandFault(`${url} answered 422: ${JSON.stringify(faulty)}`);
      return faulty as Faulty;
    },
    get: async (id: string): Promise<Shown> => read(await ask(`/${id}`)),
    async confirm(id: string, body: Sum): Promise<Shown> {
      const headers = { 'content-type': 'application/json' };
      return read(await ask(`/${id}/confirm`, { method: 'POST', headers, body: JSON.stringify(body) }));
    },
    async csv(id: string): Promise<string> {
      const answer = await ask(`/${id}/items.csv`);
      return answer.ok ? answer.text() : read(answer);
    },
  };
}
