import { createApi } from '../../../server/src/http/contract/createApi.ts';
import type { Operation } from '../../../server/src/http/contract/operation.ts';
import { readDocument } from '../../../server/src/http/contract/readDocument.ts';

export interface ServedOperations {
  readonly url: string;
  close(): Promise<void>;
}

/** Some operations of one API on a real socket. */
export async function serveOperations(
  name: 'backend' | 'web3',
  operations: Readonly<Record<string, Operation>>,
): Promise<ServedOperations> {
  const api = createApi({
    name,
    document: readDocument(name),
    operations,
    partial: true,
    items: name === 'backend' ? 'brief' : 'full',
    // Tests name their caller in a header; without it the call has no credential, as in the sandbox.
    authorize: async ({ headers }) => (headers['x-test-user'] ? { userId: headers['x-test-user'] } : undefined),
    logger: false,
  });
  return { url: await api.listen({ host: '127.0.0.1', port: 0 }), close: () => api.close() };
}
