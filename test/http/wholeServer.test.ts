/** The recorded corpus against the whole server with its database: accepted input causes no internal error. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { replayCorpus } from '../support/http/replay.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

let florin: TestServer;
beforeAll(async () => {
  florin = await startTestServer();
});
afterAll(() => florin.stop());

it('answers every recorded case as the reference did, and logs no defect', async () => {
  const { failures, cases } = await replayCorpus({ web3Url: florin.web3Url, backendUrl: florin.backendUrl });
  expect(failures).toEqual([]);
  expect(cases).toBe(1433);
  expect(florin.logLines.filter((line) => /"level":"(error|fatal)"/.test(line))).toEqual([]);
});
