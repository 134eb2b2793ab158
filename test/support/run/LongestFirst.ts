import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { spread } from './spread.ts';

const PROJECTS = ['unit', 'PostgreSQL 18', 'PostgreSQL 17', 'PostgreSQL 15'];
/** Stories take minutes in few lines, and wait half of that time. */
const LONG_FOLDERS = /^test\/(stories|attacks|browser)\//;

/**
 * The quickest project first, because it fails soonest. Within a project, stories are spread among the others, longest
 * first: side by side they leave the processor idle, and one that starts last keeps everyone waiting.
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
