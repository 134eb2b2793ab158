/** Samples of one process, taken now and then. */
interface Sample {
  readonly rssMb: number;
}

/** Fewer samples show nothing about growth. */
const FEWEST = 12;
/** The normal growth of a heap between two garbage collections. */
const WOBBLE = 1.25;
const WOBBLE_MB = 30;

const mean = (samples: readonly Sample[]): number =>
  samples.reduce((sum, { rssMb }) => sum + rssMb, 0) / samples.length;

/**
 * Returns why the memory does not look flat; undefined if it does, or if there are too few samples. The first quarter
 * is warming up; the second is compared with the last.
 */
export function findGrowth(samples: readonly Sample[]): string | undefined {
  if (samples.length < FEWEST) return undefined;
  const quarter = Math.floor(samples.length / 4);
  const early = mean(samples.slice(quarter, 2 * quarter));
  const late = mean(samples.slice(-quarter));
  if (late <= early * WOBBLE + WOBBLE_MB) return undefined;
  return `the memory grows: ${Math.round(early)} MB in the second quarter, ${Math.round(late)} MB in the last`;
}
