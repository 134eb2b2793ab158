import { getSchema, type OpenApiDocument, type Schema } from '../../contract/openapi.ts';
import { escapeHtml } from '../escapeHtml.ts';

/** Deeper members are in the OpenAPI document; a page with all of them repeats itself. */
const DEPTH = 3;

interface Member {
  readonly name: string;
  readonly schema: Schema;
  readonly isRequired: boolean;
}

/** The members of an object, of all parts of an `allOf`, or of the items of an array. */
function listMembers(document: OpenApiDocument, given: Schema): Member[] {
  const schema = getSchema(document, given);
  if (schema.items) return listMembers(document, schema.items);
  const parts = [...((schema.allOf as Schema[] | undefined) ?? []), ...(schema.anyOf ?? [])];
  const members = new Map<string, Member>();
  for (const part of parts) for (const one of listMembers(document, part)) members.set(one.name, one);
  for (const [name, member] of Object.entries(schema.properties ?? {}))
    members.set(name, { name, schema: member, isRequired: schema.required?.includes(name) ?? false });
  return [...members.values()];
}

/** `string`, `integer or null`, `list of strings`; values of a closed list. */
function describeType(document: OpenApiDocument, given: Schema): string {
  const schema = getSchema(document, given);
  if (schema.enum) return schema.enum.map((value) => `<code>${escapeHtml(String(value))}</code>`).join(', ');
  if (schema.const !== undefined) return `<code>${escapeHtml(JSON.stringify(schema.const))}</code>`;
  if (schema.anyOf) return [...new Set(schema.anyOf.map((one) => describeType(document, one)))].join(' or ');
  if (schema.items) return `list: ${describeType(document, schema.items)}`;
  const format = schema.format ? ` (${escapeHtml(schema.format)})` : '';
  return `${schema.type ?? ((schema.properties ?? schema.allOf) ? 'object' : 'any')}${format}`;
}

const renderText = (text: unknown): string =>
  escapeHtml(String(text ?? '')).replace(/`([^`]+)`/g, (_, code: string) => `<code>${code}</code>`);

/** A line of a list: a member or a parameter, what it is, and its own members. */
export function renderMember(document: OpenApiDocument, { name, schema, isRequired }: Member, depth = 1): string {
  const inner = depth < DEPTH ? renderMembers(document, schema, depth + 1) : '';
  const about = schema.description ?? getSchema(document, schema).description;
  return `<li><code>${escapeHtml(name)}</code> <small>${describeType(document, schema)}${isRequired ? ', required' : ''}</small>${
    about ? ` <span>${renderText(about)}</span>` : ''
  }${inner}</li>`;
}

export function renderMembers(document: OpenApiDocument, schema: Schema, depth = 1): string {
  const members = listMembers(document, schema);
  if (members.length === 0) return '';
  return `<ul class="members">${members.map((one) => renderMember(document, one, depth)).join('')}</ul>`;
}
