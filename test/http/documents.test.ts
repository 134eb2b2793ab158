/** Both documents, checked with third-party tools, and our own checker of answers, tested with wrong answers. */
import { createConfig, lintFromString } from '@redocly/openapi-core';
import openapiTS, { astToString } from 'openapi-typescript';
import ts from 'typescript';
import { beforeAll, describe, expect, it } from 'vitest';
import type { OpenApiDocument } from '../../server/src/http/contract/openapi.ts';
import { readDocument } from '../../server/src/http/contract/readDocument.ts';
import { describeServed } from '../../server/src/http/reference/describeServed.ts';
import { createJudge } from '../support/http/createJudge.ts';
import { onePart } from '../support/run/thorough.ts';

const served = (name: 'web3' | 'backend', isOpen: boolean): OpenApiDocument =>
  describeServed(readDocument(name), name, {
    isOpen,
    blockchains: ['ETH-SEPOLIA'],
    urls: isOpen ? { web3: 'http://127.0.0.1:8000', backend: 'http://127.0.0.1:8001' } : {},
    readExamples: () => ({}),
  });

/** What is served differs from what is checked in by a few fields, in the same way for both documents. */
const documents = (['web3', 'backend'] as const).flatMap((name) => [
  { name: `${name} as it is checked in`, document: readDocument(name) },
  ...onePart(
    [
      { name: `${name} of a sandbox`, document: served(name, true) },
      { name: `${name} of production`, document: served(name, false) },
    ],
    2,
  ),
]);

describe('an OpenAPI linter', () => {
  const lint = async (document: unknown) => {
    const config = await createConfig({ extends: ['recommended-strict'] });
    const problems = await lintFromString({ source: JSON.stringify(document), absoluteRef: 'openapi.json', config });
    return problems.map(({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer}`);
  };

  it.each(documents)('finds nothing in $name', async ({ document }) => {
    expect(await lint(document)).toEqual([]);
  });

  it('finds an injected fault', async () => {
    const text = JSON.stringify(readDocument('web3'));
    const broken = text.replace('"$ref":"#/components/schemas/Transaction"', '"$ref":"#/components/schemas/Nothing"');
    expect(await lint(JSON.parse(broken))).toContainEqual(expect.stringMatching(/no-unresolved-refs|unresolved/));
    const unnamed = structuredClone(readDocument('web3')) as { paths: Record<string, { post?: { summary?: string } }> };
    delete unnamed.paths['/wallet/send-usdc']!.post!.summary;
    expect(await lint(unnamed)).toEqual([expect.stringContaining('operation-summary')]);
  });
});

describe('client types generated from the documents', () => {
  let generated: [string, string][];
  beforeAll(async () => {
    generated = [];
    for (const name of ['web3', 'backend'] as const)
      generated.push([`/${name}.ts`, astToString(await openapiTS(JSON.stringify(served(name, false))))]);
  });

  /** The compiler's messages about a program that imports both. */
  function compile(use: string): string[] {
    const files = new Map([['/use.ts', use], ...generated]);
    const options: ts.CompilerOptions = {
      strict: true,
      noEmit: true,
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
      target: ts.ScriptTarget.ES2022,
      module: ts.ModuleKind.ESNext,
      moduleResolution: ts.ModuleResolutionKind.Bundler,
      types: [],
      // The types use nothing else, and checking the browser declarations takes seconds.
      lib: ['lib.es2022.d.ts'],
      skipLibCheck: true,
    };
    const host = ts.createCompilerHost(options);
    const { getSourceFile, fileExists, readFile } = host;
    host.getSourceFile = (name, language) =>
      files.has(name) ? ts.createSourceFile(name, files.get(name)!, language) : getSourceFile(name, language);
    host.fileExists = (name) => files.has(name) || fileExists(name);
    host.readFile = (name) => files.get(name) ?? readFile(name);
    const program = ts.createProgram([...files.keys()], options, host);
    return ts
      .getPreEmitDiagnostics(program)
      .map(({ file, messageText }) => `${file?.fileName} ${ts.flattenDiagnosticMessageText(messageText, '\n')}`);
  }

  it('compile, and know states, codes and both bodies of a status', () => {
    const use = `
      import type { components as Web3, paths as Web3Paths } from './web3';
      import type { components as Backend, paths } from './backend';
      type Sent = paths['/api/v1/send_usdc']['post']['responses'];
      export const paid = (answer: Sent[200]['content']['application/json']): 'COMPLETE' => answer.state;
      export const code: Backend['schemas']['Problem']['code'] = 'balance.insufficient';
      export const state: Web3['schemas']['TransactionState'] = 'STUCK';
      export function read(answer: Sent[422]['content']['application/json']): string {
        return 'code' in answer ? answer.code : (answer.detail?.[0]?.msg ?? '');
      }
      export const body: Web3Paths['/wallet/send-usdc']['post']['requestBody']['content']['application/json'] = {
        destination_address: '0x', amount: 1, blockchain: 'ETH-SEPOLIA',
      };
      export function name(party: Backend['schemas']['Party']): string | null {
        return 'username' in party ? party.username : 'address' in party ? party.address : party.wallet_id;
      }
    `;
    expect(compile(use)).toEqual([]);
    const wrong = use.replace("'balance.insufficient'", "'balance.insuficient'").replace("'STUCK'", "'STICKY'");
    expect(compile(wrong)).toHaveLength(2);
  });
});

describe('the checker of answers', () => {
  const paid = {
    success: true,
    transaction_id: '0c6f5c1e-3d5b-4b7e-9a51-0e7a3f6d2b18',
    state: 'COMPLETE',
    kind: 'user',
    amount: '2.25',
    blockchain: 'ETH-SEPOLIA',
    from: { username: 'alice' },
    to: { username: 'bob' },
    tx_hash: null,
    network_fee: null,
    error_reason: null,
    created_at: '2026-03-02T09:15:00.000Z',
    updated_at: '2026-03-02T09:15:00.000Z',
    timeline: [{ at: '2026-03-02T09:15:00.000Z', state: 'COMPLETE', tx_hash: null, note: null }],
    available: '997.75',
    receipt_id: 'rcpt_1',
  };
  const problem = {
    type: '/errors/payment.self',
    title: 'Sender and receiver are the same person',
    status: 409,
    detail: 'You cannot pay yourself.',
    code: 'payment.self',
    retryable: false,
    request_id: 'r',
  };
  const JSON_TYPE = 'application/json';
  const PROBLEM = 'application/problem+json';
  const find = (
    status: number,
    body: unknown,
    type = JSON_TYPE,
    headers: Record<string, string> = { 'X-Request-Id': 'r' },
    document = readDocument('backend'),
  ) =>
    createJudge(document).findFault('POST', '/api/v1/send_usdc', {
      status,
      headers: new Headers({ 'content-type': type, ...headers }),
      text: JSON.stringify(body),
    });

  it('accepts documented answers, and ignores other paths', () => {
    expect(find(200, paid)).toBeUndefined();
    expect(find(409, problem, PROBLEM)).toBeUndefined();
    expect(find(405, { detail: 'Method Not Allowed' })).toBeUndefined();
    const other = createJudge(readDocument('web3')).findFault('POST', '/api/v1/send_usdc', {
      status: 200,
      headers: new Headers(),
      text: '',
    });
    expect(other).toBeUndefined();
  });

  it.each([
    ['a member is missing', 200, { ...paid, available: undefined }, /available/],
    ['a member is not documented', 200, { ...paid, balance: '1' }, /balance/],
    ['a member of a part is not documented', 200, { ...paid, from: { username: 'alice', email: 'a@b' } }, /from/],
    ['an amount is a number', 200, { ...paid, amount: 2.25 }, /amount/],
    ['a state is unknown', 200, { ...paid, state: 'SENT' }, /state/],
    ['a time has no zone', 200, { ...paid, created_at: '2026-03-02 09:15' }, /created_at/],
    ['a status is not documented', 418, paid, /status/],
  ])('finds that %s', (_, status, body, fault) => {
    expect(find(status, body)).toMatch(fault);
  });

  it('finds a problem with another code, a wrong type and a missing header', () => {
    expect(find(409, { ...problem, code: 'kyc.final' }, PROBLEM)).toBe('kyc.final is not documented');
    expect(find(409, { ...problem, code: 'payment.sell' }, PROBLEM)).toMatch(/code/);
    expect(find(200, paid, 'text/plain')).toMatch(/type/);
    expect(find(200, paid, JSON_TYPE, {})).toBe('the header X-Request-Id is missing');
  });

  it('finds that a document has become wrong', () => {
    const wrong = structuredClone(readDocument('backend')) as { components: { schemas: Record<string, unknown> } };
    wrong.components.schemas.UsdcBalance = { type: 'number' };
    expect(find(200, paid, JSON_TYPE, { 'X-Request-Id': 'r' }, wrong as never)).toMatch(/available/);
  });
});
