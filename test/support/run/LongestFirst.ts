import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { findUnitTests } from './findUnitTests.ts';
import { spread } from './spread.ts';

const PROJECTS = ['PostgreSQL 18', 'PostgreSQL 17', 'PostgreSQL 15'];
/** Stories are short files that take long, and spend half of that time waiting. The two others are short files that compute. */
const LONG = /^test\/(stories|attacks|browser|db\/privileges|payments\/clauses)\b/;

/**
 * Unit tests run first, because they fail soonest. Within a project, stories are spread among the other tests, longest
 * first: next to each other they leave the processor idle, and a story that starts last delays the end of the run.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(specs: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(specs);
    const { root } = this.ctx.config;
    const units = new Set(findUnitTests(root));
    const fileOf = ({ moduleId }: TestSpecification) => relative(root, moduleId);
    const isUnit = (spec: TestSpecification) => units.has(fileOf(spec));
    const isLong = (spec: TestSpecification) => LONG.test(fileOf(spec));
    const names = new Set([...PROJECTS, ...sorted.map(({ project }) => project.name)]);
    return [...names].flatMap((name) => {
      const ofProject = sorted.filter(({ project }) => project.name === name);
      const others = ofProject.filter((spec) => !isUnit(spec));
      return [
        ...ofProject.filter(isUnit),
        ...spread(
          others.filter(isLong),
          others.filter((spec) => !isLong(spec)),
        ),
      ];
    });
  }
}
