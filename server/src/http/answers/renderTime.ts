const MAX_KEPT = 64;
const kept = new Map<number, string>();

/** RFC 3339. Texts are kept, since payments of one batch share their time and printing it took a third of a payment. */
export function renderTime(ms: number): string {
  const known = kept.get(ms);
  if (known !== undefined) return known;
  const text = new Date(ms).toISOString();
  if (kept.size >= MAX_KEPT) kept.clear();
  kept.set(ms, text);
  return text;
}
