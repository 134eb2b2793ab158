import { relative } from 'node:path';
import type { Reporter, TestModule } from 'vitest/node';
import { judgeSkips } from './judgeSkips.ts';

/** Prints what was skipped and why. With FLORIN_NO_SKIPS, a skip that `allowedSkips.ts` does not allow fails the run. */
export const createSkipReporter = (root: string): Reporter => ({
  onTestRunEnd(modules: readonly TestModule[]) {
    const skipped = modules.flatMap((module) =>
      [...module.children.allTests('skipped')].map((test) => ({
        file: relative(root, module.moduleId),
        name: test.fullName,
      })),
    );
    const { lines, faults } = judgeSkips(skipped, Boolean(process.env.FLORIN_NO_SKIPS));
    for (const line of lines) console.log(line);
    if (faults.length === 0) return;
    console.error(`FLORIN_NO_SKIPS is set, and these tests were skipped:\n${faults.join('\n')}`);
    process.exitCode = 1;
  },
});
