import { getBodySchema, type MediaType, type OpenApiDocument, type OperationObject } from '../../contract/openapi.ts';
import { escapeHtml } from '../escapeHtml.ts';
import { renderMember, renderMembers } from './renderSchema.ts';

interface Call {
  readonly method: string;
  readonly path: string;
  readonly operation: OperationObject;
  /** In front of the path in examples. */
  readonly base: string;
}

const renderCode = (label: string, text: string): string =>
  `<div class="code" data-language="${label}"><pre tabindex="0"><code>${escapeHtml(text)}\n</code></pre></div>`;

const findExample = (media: MediaType | undefined): unknown => Object.values(media?.examples ?? {})[0]?.value;

/** A command that makes the call with the values of its examples. */
function renderCommand({ method, path, operation, base }: Call): string {
  const parameters = operation.parameters ?? [];
  const filled = path.replace(/\{(\w+)\}/g, (whole, name: string) =>
    String(parameters.find((one) => one.in === 'path' && one.name === name)?.example ?? whole),
  );
  const body = findExample(operation.requestBody?.content['application/json']);
  const needsToken = ((operation as { security?: object[] }).security ?? []).some((one) => 'bearer' in one);
  const needsKey = parameters.some(({ name }) => name === 'Idempotency-Key');
  return [
    `curl ${method === 'GET' ? '' : `-X ${method} `}'${base}${filled}'`,
    ...(needsToken ? ["  -H 'Authorization: Bearer …'"] : []),
    ...(needsKey ? ["  -H 'Idempotency-Key: …'"] : []),
    ...(body === undefined
      ? []
      : ["  -H 'Content-Type: application/json'", `  -d '${JSON.stringify(body).replaceAll("'", "'\\''")}'`]),
  ].join(' \\\n');
}

/** What to send, and what comes back: an example of both, and every member. */
export function renderCall(document: OpenApiDocument, call: Call): string {
  const { operation } = call;
  const body = getBodySchema(document, operation);
  const [status, answer] = Object.entries(operation.responses).find(([code]) => code.startsWith('2')) ?? [];
  const media = answer?.content?.['application/json'];
  const example = findExample(media);
  const parameters = (operation.parameters ?? []).map((one) =>
    renderMember(document, {
      name: one.name,
      schema: { ...one.schema, description: one.description },
      isRequired: one.required === true,
    }),
  );
  return [
    renderCode('Shell', renderCommand(call)),
    parameters.length > 0 ? `<h4>Parameters</h4><ul class="members">${parameters.join('')}</ul>` : '',
    body ? `<h4>Body</h4>${renderMembers(document, body)}` : '',
    status ? `<h4>Answer ${escapeHtml(status)}</h4>` : '',
    example === undefined ? '' : renderCode('JSON', JSON.stringify(example, null, 2)),
    media ? renderMembers(document, media.schema) : '',
  ].join('\n');
}
