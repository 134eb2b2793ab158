/** The long items are spread over this part of the others. No long item comes after it. */
const SPREAD_OVER = 0.8;

/** Merges both lists and keeps the order of each: long items at even distances, beginning with one. */
export function spread<Item>(long: readonly Item[], others: readonly Item[]): Item[] {
  const distance = (others.length * SPREAD_OVER) / Math.max(long.length, 1);
  const placeOf = (nth: number) => Math.floor(nth * distance);
  return [
    ...long.flatMap((item, nth) => [item, ...others.slice(placeOf(nth), placeOf(nth + 1))]),
    ...others.slice(placeOf(long.length)),
  ];
}
