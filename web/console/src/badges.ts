/** Beside the places of the menu: how much waits there for a person. */
import type { Home } from './contract/service.ts';
import { SELDOM_MS, useRead } from './reads.ts';

const HOME_PATH = '/api/home?span=day';

export function useBadges(): Readonly<Record<string, number>> {
  const { data } = useRead<Home>(HOME_PATH, SELDOM_MS);
  if (!data) return {};
  const { sends, payouts, refunds, corrections, transfers } = data.waiting;
  return {
    '/approvals': sends + payouts + refunds + corrections + transfers,
    '/stuck': data.open.find(({ state }) => state === 'STUCK')?.count ?? 0,
  };
}
