/** The examples of a served OpenAPI document, as calls. */

export interface ServedDocument {
  readonly servers: { readonly url: string }[];
  readonly paths: Record<string, Record<string, ServedOperation>>;
}
interface ServedOperation {
  readonly operationId: string;
  readonly security?: readonly object[];
  readonly parameters?: readonly { name: string; in: string; required: boolean; example?: string | number }[];
  readonly requestBody?: { readonly content: Record<string, { examples: Record<string, { value: unknown }> }> };
  readonly 'x-internal'?: boolean;
}

/** The requests that "Test Request" on the reference page sends, with the access token where an operation needs one. */
export function listExamples(
  { paths }: ServedDocument,
  accessToken: string,
): [string, { path: string; init: RequestInit }][] {
  const all = Object.entries(paths).flatMap(([template, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ template, method, operation })),
  );
  // Calls that end the session come last.
  const last = ({ operation }: (typeof all)[number]) => (/session/.test(operation.operationId) ? 1 : 0);
  return all
    .filter(({ operation }) => !operation['x-internal'])
    .sort((a, b) => last(a) - last(b))
    .map(({ template, method, operation }) => {
      const { operationId, parameters = [], requestBody, security } = operation;
      const given = parameters.filter(({ example }) => example !== undefined);
      const path = given
        .filter((one) => one.in === 'path')
        .reduce((done, { name, example }) => done.replace(`{${name}}`, String(example)), template);
      const query = new URLSearchParams(
        given
          .filter((one) => one.in === 'query' && one.required)
          .map(({ name, example }): [string, string] => [name, String(example)]),
      );
      const needsToken = security?.every((way) => Object.keys(way).length > 0);
      const body = Object.values(requestBody?.content['application/json']?.examples ?? {})[0]?.value;
      const init = {
        method: method.toUpperCase(),
        headers: {
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...(needsToken && { authorization: `Bearer ${accessToken}` }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      };
      return [operationId, { path: `${path}${query.size > 0 ? `?${query}` : ''}`, init }];
    });
}

/** The status of an answer that does not end by itself. */
export async function openStream(url: string, init: RequestInit): Promise<number> {
  const { status, body } = await fetch(url, init);
  await body?.cancel();
  return status;
}
