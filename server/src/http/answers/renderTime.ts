const MAX_KEPT = 64;
const kept = new Map<number, string>();

/** RFC 3339. Payments of a batch and wallets at a block share their times: printing one took a third of its payment. */
export function renderTime(ms: number): string {
  const known = kept.get(ms);
  if (known !== undefined) return known;
  const text = new Date(ms).toISOString();
  if (kept.size >= MAX_KEPT) kept.clear();
  kept.set(ms, text);
  return text;
}
