import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { openApplicants } from './applicants.ts';

const folder = mkdtempSync(join(tmpdir(), 'florin-applicants-'));
afterAll(() => rmSync(folder, { recursive: true }));

it('a process that starts after any change has the same records', () => {
  const file = join(folder, 'applicants.json');
  const applicants = openApplicants(file);
  const compare = () => expect(openApplicants(file).list()).toEqual(applicants.list());
  const one = applicants.create('one', 'level');
  compare();
  const two = applicants.create('two', 'level');
  compare();
  applicants.review(one, 'pending');
  compare();
  applicants.review(one, 'completed', { reviewAnswer: 'GREEN' });
  compare();
  applicants.remove(one);
  compare();
  expect(applicants.list()).toEqual([two]);
  applicants.remove(two);
  compare();
  expect(openApplicants(file).list()).toEqual([]);
});
