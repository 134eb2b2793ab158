import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Api, createApi } from '../../server/src/http/contract/createApi.ts';
import type { Operation } from '../../server/src/http/contract/operation.ts';
import { readDocument } from '../../server/src/http/contract/readDocument.ts';
import { readCorpus, replayCorpus } from '../support/http/replay.ts';

/** Every operation of a document accepts its input and does nothing. */
function createIdleApi(name: 'web3' | 'backend'): Api {
  const document = readDocument(name);
  const idle: Operation = async () => ({ body: {} });
  const ids = Object.values(document.paths).flatMap((methods) => Object.values(methods).map((o) => o.operationId));
  const operations = Object.fromEntries(ids.map((id) => [id, idle]));
  return createApi({ name, document, operations, items: name === 'web3' ? 'full' : 'brief', logger: false });
}

const apis = [createIdleApi('web3'), createIdleApi('backend')];
let urls: string[] = [];

beforeAll(async () => {
  urls = await Promise.all(apis.map((api) => api.listen({ host: '127.0.0.1', port: 0 })));
});
afterAll(() => Promise.all(apis.map((api) => api.close())));

test('answers every recorded case as the reference did', async () => {
  const [web3Url, backendUrl] = urls as [string, string];
  const oddities: string[] = [];
  const replay = await replayCorpus({
    web3Url,
    backendUrl,
    inspect: (recorded, { status, headers, text }) => {
      // Stricter than the reference: a path with escaped slashes or control characters reaches no operation.
      const isHidden = status === 400 && /%(2f|0[0a])/i.test(recorded.path);
      const isJson = text !== '' && status < 500 && !isHidden;
      if (isJson && headers['content-type'] !== 'application/json') oddities.push(`${recorded.id}: content type`);
      if (!headers['x-request-id']) oddities.push(`${recorded.id}: no request id`);
      if (status === 422 && recorded.api === 'backend' && /"(input|ctx)":/.test(text)) {
        oddities.push(`${recorded.id}: more than loc, msg and type`);
      }
    },
  });
  expect(replay.failures).toEqual([]);
  expect(oddities).toEqual([]);
  // A difference is allowed only where the corpus says so: our strict `amount`, or a crash of the reference.
  const excused = readCorpus().filter((recorded) => recorded.lax || recorded.quirk || recorded.strict_status).length;
  expect(replay.cases).toBe(1433);
  expect(replay.exact).toBeGreaterThanOrEqual(replay.cases - excused);
  console.log(`${replay.exact} exact, ${replay.byStrictness} by strictness, ${replay.byQuirk} by quirk`);
});
