/**
 * Every reason for which the server's code pauses sends, read from the code: each call of `pauseSends`, with the texts
 * that its reason can have. Parts that are only known at run time match anything.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

interface PauseReason {
  readonly file: string;
  readonly cause: string;
  readonly says: RegExp;
}

const SERVER = fileURLToPath(new URL('../../../server/src/', import.meta.url));
/** It forwards its arguments. */
const DEFINED_IN = 'operators/pauses.ts';

export function listPauseReasons(): PauseReason[] {
  return readdirSync(SERVER, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts') && file !== DEFINED_IN)
    .flatMap((file) => readReasons(file, readFileSync(SERVER + file, 'utf8')));
}

/** Exported for its test. */
export function readReasons(file: string, text: string): PauseReason[] {
  if (!text.includes('pauseSends')) return [];
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  return callsOf(source, 'pauseSends').flatMap(({ arguments: [, , cause, reason] }) => {
    if (!cause || !ts.isStringLiteral(cause) || !reason)
      throw new Error(`${file}: a pause without a cause in its text`);
    return textsOf(reason).map((says) => ({ file, cause: cause.text, says: new RegExp(`^${says}$`) }));
  });
}

function callsOf(within: ts.Node, name: string): ts.CallExpression[] {
  const found: ts.CallExpression[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && ts.isIdentifier(node.expression) && node.expression.text === name)
      found.push(node);
    node.forEachChild(visit);
  };
  visit(within);
  return found;
}

const ANYTHING = ['.+'];
const escapeText = (text: string): string => text.replaceAll(/[$()*+.?[\\\]^{|}]/g, '\\$&');

/** The sources of regular expressions, one for each text that the expression can have. */
function textsOf(node: ts.Expression): readonly string[] {
  if (ts.isStringLiteralLike(node)) return [escapeText(node.text)];
  if (ts.isConditionalExpression(node)) return [...textsOf(node.whenTrue), ...textsOf(node.whenFalse)];
  if (ts.isTemplateExpression(node))
    return node.templateSpans.reduce<readonly string[]>(
      (begun, { expression, literal }) =>
        begun.flatMap((one) => textsOf(expression).map((next) => one + next + escapeText(literal.text))),
      [escapeText(node.head.text)],
    );
  if (ts.isIdentifier(node)) return unite(valuesOf(node));
  if (!ts.isCallExpression(node)) return ANYTHING;
  // `text.slice(…)`
  if (ts.isPropertyAccessExpression(node.expression)) return textsOf(node.expression.expression);
  if (!ts.isIdentifier(node.expression)) return ANYTHING;
  return unite(
    valuesOf(node.expression).flatMap((called) =>
      ts.isArrowFunction(called) && !ts.isBlock(called.body) ? called.body : [],
    ),
  );
}

const unite = (values: readonly ts.Expression[]): readonly string[] =>
  values.length === 0 ? ANYTHING : values.flatMap(textsOf);

/** The nearest constant of that name; a parameter of a local function has its callers' values. */
function valuesOf(name: ts.Identifier): ts.Expression[] {
  for (let scope: ts.Node | undefined = name.parent; scope; scope = scope.parent) {
    if (ts.isBlock(scope) || ts.isSourceFile(scope)) {
      const declared = scope.statements
        .filter(ts.isVariableStatement)
        .flatMap(({ declarationList }) => declarationList.declarations)
        .find((one) => ts.isIdentifier(one.name) && one.name.text === name.text);
      if (declared) return declared.initializer ? [declared.initializer] : [];
    }
    if (!ts.isFunctionLike(scope)) continue;
    const nth = scope.parameters.findIndex((one) => ts.isIdentifier(one.name) && one.name.text === name.text);
    if (nth >= 0) return argumentsOf(scope, nth);
  }
  return [];
}

function argumentsOf({ parent }: ts.SignatureDeclaration, nth: number): ts.Expression[] {
  if (!ts.isVariableDeclaration(parent) || !ts.isIdentifier(parent.name)) return [];
  return callsOf(parent.getSourceFile(), parent.name.text).flatMap((call) => call.arguments[nth] ?? []);
}
