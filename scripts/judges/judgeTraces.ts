import { eventually } from '../../test/support/eventually.ts';
import type { Judge } from './judge.ts';
import { OTLP } from './packages.ts';
import { useSandbox } from './useSandbox.ts';

type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

interface MessageType {
  fromObject(object: object): object;
  verify(message: object): string | null;
  encode(message: object): { finish(): Uint8Array };
  decode(bytes: Uint8Array): object;
  toObject(message: object, options: object): Json;
}

interface Root {
  readonly default: {
    readonly opentelemetry: {
      readonly proto: { readonly collector: { readonly trace: { readonly v1: Record<string, MessageType> } } };
    };
  };
}

/** The traces of a sandbox, read by OpenTelemetry's own decoder of the protocol, which must know every member. */
export const judgeTraces: Judge = async (court) => {
  const { versionOf, load } = await court.install('otlp', OTLP);
  const root = await load<Root>('@opentelemetry/otlp-transformer/build/src/generated/root.js');
  const Request = root.default.opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest!;
  const sandbox = await useSandbox();
  await fetch(`${sandbox.state.backend_url}/api/v1/usernames/alice`);
  await eventually(() => {
    if (sandbox.exported.length === 0) throw new Error('no trace has arrived');
  });
  const findings = new Set<string>();
  let spans = 0;
  for (const body of sandbox.exported) {
    const given = JSON.parse(body) as Json;
    const message = Request.fromObject(toBytes(given) as object);
    const fault = Request.verify(message);
    if (fault !== null) findings.add(fault);
    const read = Request.toObject(Request.decode(Request.encode(message).finish()), { longs: String, enums: Number });
    for (const place of listUnread(given, read)) findings.add(`${place} is not a member of the protocol`);
    spans += countSpans(given);
  }
  const about = 'the traces that a sandbox exports as OTLP/HTTP with JSON; every member is known';
  const version = versionOf('@opentelemetry/otlp-transformer');
  return [{ judge: 'otlp-transformer', version, about, findings: [...findings], figure: `${spans} spans` }];
};

/** In JSON, ids are hexadecimal; the decoder expects bytes. */
function toBytes(node: unknown, name = ''): unknown {
  if (typeof node === 'string') return /^(trace|span|parentSpan)Id$/.test(name) ? Buffer.from(node, 'hex') : node;
  if (Array.isArray(node)) return node.map((one) => toBytes(one));
  if (node === null || typeof node !== 'object') return node;
  return Object.fromEntries(Object.entries(node).map(([key, member]) => [key, toBytes(member, key)]));
}

/** Members that the decoder has not read. */
function listUnread(given: Json, read: Json | undefined, place = 'the request'): string[] {
  if (given === null || typeof given !== 'object') return [];
  const members = read as Readonly<Record<string, Json>> | undefined;
  return Object.entries(given).flatMap(([name, member]) => {
    // An empty object or list is not sent.
    const isEmpty = member !== null && typeof member === 'object' && Object.keys(member).length === 0;
    if (members?.[name] === undefined) return isEmpty ? [] : [`${place}.${name}`];
    return listUnread(member, members[name], Array.isArray(given) ? place : `${place}.${name}`);
  });
}

const countSpans = (node: Json): number =>
  node === null || typeof node !== 'object'
    ? 0
    : Object.entries(node).reduce(
        (sum, [name, one]) => sum + (name === 'spans' ? (one as readonly Json[]).length : countSpans(one)),
        0,
      );
