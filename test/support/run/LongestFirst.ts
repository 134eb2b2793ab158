import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const PROJECTS = ['unit', 'PostgreSQL 18', 'PostgreSQL 17', 'PostgreSQL 15'];
/** Stories take minutes in few lines. A worker that starts one last keeps everyone waiting. */
const LONG_FOLDERS = /^test\/(stories|attacks|browser)\//;

/** The quickest project first, because it fails soonest; within a project, the longest tests first. */
export class LongestFirst extends BaseSequencer {
  override async sort(specs: TestSpecification[]): Promise<TestSpecification[]> {
    const rankOf = ({ project, moduleId }: TestSpecification): number =>
      PROJECTS.indexOf(project.name) * 2 + (LONG_FOLDERS.test(relative(this.ctx.config.root, moduleId)) ? 0 : 1);
    return (await super.sort(specs)).toSorted((a, b) => rankOf(a) - rankOf(b));
  }
}
