/** Generates the reference of the client package, `docs/guides/client-reference.md`, from its sources and the documents. */
import { readFileSync } from 'node:fs';
import ts from 'typescript';
import { type Call, calls } from '../../sdk/src/calls.ts';
import { CLIENT_CODES } from '../../sdk/src/FlorinError.ts';
import type { OpenApiDocument } from '../../server/src/http/contract/openapi.ts';
import { listOperations } from '../describeClient.ts';

const SOURCES = new URL('../../sdk/src/', import.meta.url);

interface Member {
  readonly name: string;
  readonly type: string;
  readonly about: string;
}

export function renderReference(documents: readonly string[]): string {
  const parsed = documents.map((text) => JSON.parse(text) as OpenApiDocument);
  const summaries = new Map(
    parsed.flatMap(listOperations).map(({ operation }) => [operation.operationId, operation.summary as string]),
  );
  const methods = (file: string) => renderMethods(readMethods(file), summaries);
  const options = [
    ...readInterface('client/connect.ts', 'ClientOptions'),
    ...readInterface('openTransport.ts', 'TransportOptions'),
  ];
  return `# Client reference

Every option, method, error and type of \`@florin/client\`. \`npm run generate\` writes this page from the package. Its
[README](../../sdk/README.md) explains it with examples.

## Options of createClient

${renderMembers('option', options)}

## Options of a call

The last argument of each method.

${renderMembers('option', readInterface('calls.ts', 'CallOptions'))}

\`retry\` has these values, for the client or for one call:

${renderMembers('value', readInterface('retry.ts', 'RetryPolicy'))}

\`waitFor\` also takes:

${renderMembers('option', readInterface('waitFor.ts', 'WaitOptions'))}

## Answers

An answer has the members of the reference of its operation, and beside them \`lastResponse\`, which is not enumerable:

${renderMembers('member', readInterface('calls.ts', 'LastResponse'))}

A file in CSV:

${renderMembers('member', readInterface('calls.ts', 'CsvFile'))}

Methods that return a list return an \`AsyncIterable\`, which reads the pages as you iterate, with one method more:

${renderMembers('method', readInterface('pages.ts', 'List'))}

## Both APIs

${methods('client/createClient.ts')}

## The person who is logged in

${methods('client/personCalls.ts')}

## Your server

${methods('client/serviceCalls.ts')}

## Operations

\`florin.call(ID, INPUT, OPTIONS)\` makes any call of the references. The input has \`path\`, \`query\` and \`body\`, as the operation
takes them. A call with a key is carried out once per \`idempotencyKey\`.

| id | operation | summary | key | CSV | credential |
|---|---|---|---|---|---|
${renderOperations(parsed, summaries)}

## Events

The types of \`FlorinEvent\` and of the messages that \`webhooks.verify\` returns. A \`switch\` over \`type\` narrows the
other members.

| types | \`object\` of an event | \`data\` of a message |
|---|---|---|
${renderMessages(parsed[0]!)}

## Errors

Every failure is a \`FlorinError\`. Its \`code\` is one of [the service](../errors/README.md) or one of these:

| code | meaning |
|---|---|
${Object.entries(CLIENT_CODES)
  .map(([code, meaning]) => `| \`${code}\` | ${meaning} |`)
  .join('\n')}

${renderMembers('member', readClass('FlorinError.ts', 'FlorinError'))}

## Webhooks

${renderFunctions('webhooks.ts', ['verify', 'sign'], 'webhooks.')}

Options of \`verify\`:

${renderMembers('option', readInterface('webhooks.ts', 'VerifyWebhookOptions'))}

Options of \`sign\`:

${renderMembers('option', readInterface('webhooks.ts', 'SignWebhookOptions'))}

## Helpers

${[
  renderFunctions('amounts.ts', ['toMicros', 'fromMicros']),
  renderFunctions('newKey.ts', ['newKey']),
  renderFunctions('waitFor.ts', ['isFinal']),
  renderFunctions('createBrowserStore.ts', ['createBrowserStore']),
].join('\n')}
`;
}

const parse = (file: string): ts.SourceFile =>
  ts.createSourceFile(file, readFileSync(new URL(file, SOURCES), 'utf8'), ts.ScriptTarget.Latest, true);

function find<T extends ts.Node>(file: string, is: (node: ts.Node) => node is T, name: string): T {
  const found = visit(parse(file)).find((node): node is T => is(node) && nameOf(node) === name);
  if (!found) throw new Error(`${file} has no ${name}`);
  return found;
}

const visit = (node: ts.Node): ts.Node[] => [node, ...node.getChildren().flatMap(visit)];

const nameOf = (node: ts.Node): string | undefined => (node as { name?: ts.Node }).name?.getText();

/** The comment above it, in one line. */
function commentOf(node: ts.Node): string {
  const comments = ts.getJSDocCommentsAndTags(node).filter(ts.isJSDoc);
  const text = ts.getTextOfJSDocComment(comments.at(-1)?.comment) ?? '';
  return text.replaceAll(/\s+/g, ' ').trim();
}

const toMembers = (members: readonly ts.Node[]): Member[] =>
  members.flatMap((one) => {
    const isMethod = ts.isMethodSignature(one);
    if (!isMethod && !ts.isPropertySignature(one) && !ts.isPropertyDeclaration(one)) return [];
    const type = one.type?.getText().replace(/ \| undefined$/, '') ?? '';
    const given = isMethod ? `(${one.parameters.map((each) => each.getText()).join(', ')}): ` : '';
    return [{ name: nameOf(one)!, type: (given + type).replaceAll(/\s+/g, ' '), about: commentOf(one) }];
  });

const readInterface = (file: string, name: string): Member[] =>
  toMembers([...find(file, ts.isInterfaceDeclaration, name).members]);

const readClass = (file: string, name: string): Member[] =>
  toMembers([...find(file, ts.isClassDeclaration, name).members]);

function renderMembers(heading: string, members: readonly Member[]): string {
  const rows = members.map(({ name, type, about }) => `| \`${name}\` | ${code(type)} | ${escapeBars(about)} |`);
  return [`| ${heading} | type | meaning |`, '|---|---|---|', ...rows].join('\n');
}

const escapeBars = (text: string): string => text.replaceAll('|', '\\|');
const code = (text: string): string => (text === '' ? '' : `\`${escapeBars(text)}\``);

interface Method {
  readonly name: string;
  readonly parameters: string;
  readonly about: string;
  /** The operations that it calls. */
  readonly operations: readonly string[];
}

/** The methods of the object that the function of this file returns, also those of objects in it. */
function readMethods(file: string): Method[] {
  const source = parse(file);
  const functions = new Map(
    visit(source).flatMap((node) =>
      (ts.isFunctionDeclaration(node) || ts.isVariableDeclaration(node)) && nameOf(node) ? [[nameOf(node)!, node]] : [],
    ),
  );
  const maker = source.statements.find((one) => ts.isFunctionDeclaration(one) && one.modifiers !== undefined);
  const last = (maker as ts.FunctionDeclaration).body!.statements.at(-1) as ts.ReturnStatement;
  return listMethods(last.expression as ts.ObjectLiteralExpression, '', functions);
}

function listMethods(object: ts.ObjectLiteralExpression, prefix: string, functions: Map<string, ts.Node>): Method[] {
  return object.properties.flatMap((one) => {
    const name = nameOf(one);
    if (name === undefined) return [];
    if (ts.isPropertyAssignment(one) && ts.isObjectLiteralExpression(one.initializer))
      return listMethods(one.initializer, `${prefix}${name}.`, functions);
    const body = resolveName(ts.isPropertyAssignment(one) ? one.initializer : one, functions);
    const made = visit(body)
      .filter(ts.isCallExpression)
      .filter(({ expression }) => expression.getText() === 'call');
    return [
      {
        name: prefix + name,
        parameters: describeParameters(body),
        about: commentOf(one) || commentOf(body),
        operations: [
          ...new Set(made.flatMap(({ arguments: [id] }) => (id && ts.isStringLiteral(id) ? [id.text] : []))),
        ],
      },
    ];
  });
}

function resolveName(node: ts.Node, functions: Map<string, ts.Node>): ts.Node {
  const named =
    ts.isIdentifier(node) || ts.isShorthandPropertyAssignment(node) ? functions.get(node.getText()) : undefined;
  return named ?? node;
}

/** Their names: the types are in the references. `?` marks those that can be left out. */
function describeParameters(node: ts.Node): string {
  const made = visit(node).find((one) => ts.isArrowFunction(one) || ts.isFunctionDeclaration(one));
  // `call` is the function of the connection.
  const described = made ?? find('client/connect.ts', ts.isInterfaceDeclaration, 'MakeCall').members.at(-1);
  const names = (described as ts.SignatureDeclaration).parameters.map((one) => {
    const isOptional = one.questionToken !== undefined || one.initializer !== undefined;
    const name = ts.isIdentifier(one.name) ? one.name.text : nameUnpacked(one.type?.getText() ?? '');
    return `${name === 'given' ? 'options' : name}${isOptional ? '?' : ''}`;
  });
  return names.join(', ');
}

/** A parameter whose members are variables has no name. */
const nameUnpacked = (type: string): string =>
  type.includes('transaction_id') ? 'payment' : type.endsWith('Query') ? 'query' : 'options';

function renderMethods(methods: readonly Method[], summaries: ReadonlyMap<string, string>): string {
  const rows = methods.map(({ name, parameters, about, operations }) => {
    const links = operations.map((id) => code(describeCall(id))).join(', ');
    const [first] = operations;
    return `| \`${name}(${parameters})\` | ${links} | ${escapeBars(about || `${summaries.get(first!) ?? ''}.`)} |`;
  });
  return ['| method | operation | meaning |', '|---|---|---|', ...rows].join('\n');
}

function describeCall(id: string): string {
  const { method, path } = (calls as Readonly<Record<string, Call>>)[id]!;
  return `${method} ${path}`;
}

function renderOperations(documents: readonly OpenApiDocument[], summaries: ReadonlyMap<string, string>): string {
  return documents
    .flatMap(listOperations)
    .map(({ operation: { operationId: id, requestBody, responses } }) => {
      const { keyed, credential = 'none' } = (calls as Readonly<Record<string, Call>>)[id]!;
      const csv = [
        ...('text/csv' in (requestBody?.content ?? {}) ? ['in'] : []),
        ...('text/csv' in (responses['200']?.content ?? {}) ? ['out'] : []),
      ].join(', ');
      const names = { session: 'session', key: 'key', either: 'session or key', none: '' };
      return `| \`${id}\` | ${code(describeCall(id))} | ${summaries.get(id)} | ${keyed ? 'yes' : ''} | ${csv} | ${names[credential]} |`;
    })
    .join('\n');
}

const OBJECTS: Readonly<Record<string, string>> = {
  request: 'MoneyRequest',
  kyc: 'KycStatus',
  payout: 'Payout',
  key: 'AccountKey',
  passkey: 'Passkeys',
  webhook: '',
};

function renderMessages({ components, ...document }: OpenApiDocument): string {
  const webhooks = document.webhooks as Readonly<Record<string, { readonly post: { readonly requestBody: Body } }>>;
  return Object.entries(webhooks)
    .map(([pattern, { post }]) => {
      const name = post.requestBody.content['application/json'].schema.$ref.split('/').at(-1)!;
      const data = components!.schemas![name]!.properties!.data!.properties!;
      const members = Object.keys(data).map((one) => `\`${one}\``);
      const word = pattern.split('.')[0]!;
      return `| \`${pattern}\` | ${code(OBJECTS[word] ?? 'Transaction')} | ${members.join(', ')} |`;
    })
    .join('\n');
}

interface Body {
  readonly content: { readonly 'application/json': { readonly schema: { readonly $ref: string } } };
}

function renderFunctions(file: string, names: readonly string[], prefix = ''): string {
  const nodes = visit(parse(file));
  return names
    .map((name) => {
      const node = nodes.find(
        (one) => (ts.isFunctionDeclaration(one) || ts.isVariableStatement(one)) && declares(one, name),
      )!;
      return `- \`${prefix}${name}(${describeParameters(node)})\`: ${commentOf(node)}`;
    })
    .join('\n');
}

const declares = (node: ts.Node, name: string): boolean =>
  ts.isVariableStatement(node)
    ? node.declarationList.declarations.some((one) => nameOf(one) === name)
    : nameOf(node) === name;
