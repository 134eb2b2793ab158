/** What the Backend API shows each person of their own payments: every page. */
import type { Outside } from './check.ts';

export interface Listed {
  readonly id: string;
  /** In millionths. */
  readonly amount: number;
  readonly state: string;
}

interface Page {
  readonly transactions: readonly {
    readonly transaction_id: string;
    readonly amount: string;
    readonly state: string;
  }[];
  readonly next_cursor: string | null;
}

/** By username. */
export async function readHistories({ backendUrl, people }: Outside): Promise<Map<string, Listed[]>> {
  const histories = new Map<string, Listed[]>();
  for (const { username, bearer } of people) {
    const listed: Listed[] = [];
    let cursor: string | null = '';
    do {
      const query: string = `limit=200${cursor ? `&cursor=${encodeURIComponent(cursor)}` : ''}`;
      const url = `${backendUrl}/api/v1/latest_transactions_by_username/${username}?${query}`;
      const answer = await fetch(url, { headers: { authorization: `Bearer ${bearer}` } });
      if (!answer.ok) throw new Error(`${url}: ${answer.status} ${await answer.text()}`);
      const page = (await answer.json()) as Page;
      for (const { transaction_id: id, amount, state } of page.transactions)
        listed.push({ id, amount: Math.round(Number(amount) * 1_000_000), state });
      cursor = page.next_cursor;
    } while (cursor !== null);
    histories.set(username, listed);
  }
  return histories;
}
