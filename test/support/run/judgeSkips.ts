import { ALLOWED_SKIPS } from './allowedSkips.ts';

interface Skipped {
  readonly file: string;
  readonly name: string;
}

interface Judged {
  /** One line for each reason. */
  readonly lines: readonly string[];
  /** Skips that are not allowed; empty unless `strict`. */
  readonly faults: readonly string[];
}

/** `strict`: the machine lacks nothing, so only a skip without `lacks` is allowed. */
export function judgeSkips(skipped: readonly Skipped[], strict: boolean): Judged {
  const counts = new Map<string, number>();
  const faults: string[] = [];
  for (const { file, name } of skipped) {
    const allowed = ALLOWED_SKIPS.find((one) => one.file === file && (!one.name || name.includes(one.name)));
    const reason = allowed ? `${file}: ${allowed.reason}` : `${file}: no reason is named in allowedSkips.ts`;
    counts.set(reason, (counts.get(reason) ?? 0) + 1);
    if (strict && (!allowed || allowed.lacks)) faults.push(`${file} > ${name}`);
  }
  return { lines: [...counts].map(([reason, count]) => `${count} skipped in ${reason}`), faults };
}
