import { expect, it } from 'vitest';
import { scrub } from './logger.ts';

/** Every kind of secret. A different `part` makes a different secret. */
const SECRETS: Readonly<Record<string, (part: string) => string>> = {
  'a JSON Web Token': (part) => `eyJhbGciOiJ${part}.eyJzdWIiOiJ${part}.c2ln${part}`,
  'an access token': (part) => `fla_${part.padEnd(43, 'A')}`,
  'a refresh token': (part) => `flr_${part.padEnd(43, 'A')}`,
  'a service key': (part) => `fsk_${part.padEnd(43, 'A')}`,
  'an app token of the sandbox': (part) => `sbx:${part}abcdefgh`,
  'an app token of production': (part) => `prd:${part}abcdefgh`,
  'a token for a browser': (part) => `_act-sbx-${part}`,
  'a bearer credential': (part) => `Bearer ${part}`,
  'a basic credential': (part) => `Basic ${part}`,
  'a database address': (part) => `postgres://florin:${part}@db.internal/florin`,
  'a provider key': (part) => `LIVE_API_KEY:${part}:secret`,
  'a provider test key': (part) => `TEST_API_KEY:${part}:secret`,
  'an email address': (part) => `${part}@example.com`,
};

it.each(Object.entries(SECRETS))('hides %s wherever it is in a line, and every other one after it', (_, render) => {
  const parts = ['firstpart', 'secondpart', 'thirdpart'];
  const line = scrub(`began ${parts.map(render).join(' and ')} ended`);
  for (const part of parts) expect(line).not.toContain(part);
  expect(line).toMatch(/^began .* and .* ended$/);
});

it('hides secrets of different kinds in one line', () => {
  const renders = Object.values(SECRETS);
  const line = scrub([...renders, ...renders].map((render, i) => render(`part${i}xyz`)).join(' '));
  expect(line).not.toMatch(/part\d+xyz/);
});
