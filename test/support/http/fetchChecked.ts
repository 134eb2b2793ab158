import { readDocument } from '../../../server/src/http/contract/readDocument.ts';
import { createJudge } from './createJudge.ts';

const judges = [createJudge(readDocument('web3')), createJudge(readDocument('backend'))];

/**
 * `fetch` for tests: an answer of one of our operations that does not match its OpenAPI document fails the test. Calls
 * to other addresses are not checked.
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
