/** The part of the others among which the long ones are spread. After it no long one starts. */
const SPREAD_OVER = 0.8;

/** Both lists in one, each in its order: long ones at even distances, beginning with one. */
export function spread<Item>(long: readonly Item[], others: readonly Item[]): Item[] {
  const distance = (others.length * SPREAD_OVER) / Math.max(long.length, 1);
  const placeOf = (nth: number) => Math.floor(nth * distance);
  return [
    ...long.flatMap((item, nth) => [item, ...others.slice(placeOf(nth), placeOf(nth + 1))]),
    ...others.slice(placeOf(long.length)),
  ];
}
