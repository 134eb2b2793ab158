import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { DOCUMENTED } from './writeExamples.ts';

it.each(Object.entries(DOCUMENTED))('the %s that the sandbox replaces is in a document', (_, value) => {
  const texts = ['web3', 'backend'].map((name) =>
    readFileSync(new URL(`../../openapi/${name}.json`, import.meta.url), 'utf8'),
  );
  expect(texts.some((text) => text.includes(`"${value}"`))).toBe(true);
});
