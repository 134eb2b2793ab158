import { readDocument } from '../../../server/src/http/contract/readDocument.ts';
import { createJudge } from './createJudge.ts';

const judges = [createJudge(readDocument('web3')), createJudge(readDocument('backend'))];

/**
 * `fetch` for tests: an answer of one of our operations that is not what its OpenAPI document says fails the test. Other
 * addresses are asked as they are.
 */
export async function fetchChecked(url: string, init: RequestInit = {}): Promise<Response> {
  const response = await fetch(url, init);
  const { pathname } = new URL(url);
  const method = init.method ?? 'GET';
  const { status, headers } = response;
  const text = await response.clone().text();
  for (const judge of judges) {
    const fault = judge.findFault(method, pathname, { status, headers, text });
    if (fault !== undefined) {
      throw new Error(
        `${method} ${pathname} answered ${status} against the document: ${fault}\n${text.slice(0, 2_000)}`,
      );
    }
  }
  return response;
}
