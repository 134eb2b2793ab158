import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { spread } from './spread.ts';

const PROJECTS = ['unit', 'PostgreSQL 18', 'PostgreSQL 17', 'PostgreSQL 15'];
/** Stories are short files that take minutes, half of which they spend waiting. */
const LONG_FOLDERS = /^test\/(stories|attacks|browser)\//;

/**
 * The quickest project runs first, because it fails soonest. Within a project, stories are spread among the other
 * tests, longest first: next to each other they leave the processor idle, and a story that starts last delays the end
 * of the run.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(specs: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(specs);
    const isLong = ({ moduleId }: TestSpecification) => LONG_FOLDERS.test(relative(this.ctx.config.root, moduleId));
    const names = new Set([...PROJECTS, ...sorted.map(({ project }) => project.name)]);
    return [...names].flatMap((name) => {
      const ofProject = sorted.filter(({ project }) => project.name === name);
      return spread(
        ofProject.filter(isLong),
        ofProject.filter((spec) => !isLong(spec)),
      );
    });
  }
}
