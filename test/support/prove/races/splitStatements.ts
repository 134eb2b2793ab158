/**
 * Finds where the statements of a PL/pgSQL body begin. It knows blocks, branches, loops and handlers, and no more of the
 * grammar; a body that it does not understand is refused, never guessed.
 */
interface Statement {
  /** The offset in the body. */
  readonly at: number;
  /** Its text; of a branch or a loop up to its first inner statement. */
  readonly head: string;
}

interface Body {
  readonly statements: readonly Statement[];
  /** The offset of the last END, if the body can come there. */
  readonly end: number | undefined;
}

interface Token {
  /** Upper case for words; the text itself for everything else. */
  readonly word: string;
  readonly at: number;
}

const TOKEN =
  /\s+|--[^\n]*|\/\*[\s\S]*?\*\/|'(?:[^']|'')*'|"(?:[^"]|"")*"|\$(\w*)\$[\s\S]*?\$\1\$|<<|>>|[A-Za-z_][\w$]*|[\s\S]/gy;
const IS_SKIPPED = /^(\s|--|\/\*)/;

function readTokens(source: string): Token[] {
  const tokens: Token[] = [];
  for (const { 0: text, index: at } of source.matchAll(TOKEN)) {
    if (!IS_SKIPPED.test(text)) tokens.push({ word: /^[A-Za-z_]/.test(text) ? text.toUpperCase() : text, at });
  }
  return tokens;
}

/** Words that begin a part of a statement, not a statement. */
const PARTS = ['ELSE', 'ELSIF', 'ELSEIF', 'WHEN', 'EXCEPTION', 'END'];

/** Throws when the body contains a form that this reader does not know. */
export function splitStatements(source: string): Body {
  const tokens = readTokens(source);
  const statements: { at: number; head: string }[] = [];
  /** The statement of each entry of `open`. */
  const openers: ({ head: string } | undefined)[] = [];
  let end: number | undefined;
  const open: ('BLOCK' | 'IF' | 'CASE' | 'LOOP')[] = [];
  let i = 0;
  const word = () => tokens[i]?.word ?? '';
  const fail = (what: string): never => {
    throw new Error(`${what} near ${source.slice(tokens[i]?.at ?? source.length - 40).slice(0, 40)}`);
  };
  /** Moves behind the next of these words outside brackets and CASE expressions. */
  const skipTo = (...words: string[]): undefined => {
    for (let brackets = 0, cases = 0; i < tokens.length; i++) {
      if (brackets === 0 && cases === 0 && words.includes(word())) {
        i++;
        return;
      }
      if (word() === '(' || word() === '[') brackets++;
      else if (word() === ')' || word() === ']') brackets--;
      else if (word() === 'CASE') cases++;
      else if (word() === 'END' && cases > 0) cases--;
    }
    fail(`no ${words}`);
  };
  /** Reads one statement, or the rest of one. Nothing else can occur here. */
  const readOne = (): void => {
    const first = word();
    const isStatement = !PARTS.includes(first) && open.length > 0;
    const { at } = tokens[i]!;
    const isOutermost = open.length === 1;
    // RETURN QUERY and RETURN NEXT only add rows to the answer.
    const isEnd = first === 'RETURN' && !['QUERY', 'NEXT'].includes(tokens[i + 1]?.word ?? '');
    if (first === '<<') skipTo('>>');
    skipHead();
    const head = source.slice(at, tokens[i]?.at);
    if (isStatement) statements.push({ at, head });
    // The conditions of all branches are read before the next statement.
    else if (['ELSIF', 'ELSEIF', 'WHEN'].includes(first) && openers.at(-1)) openers.at(-1)!.head += head;
    if (open.length > openers.length) openers.push(isStatement ? statements.at(-1) : undefined);
    openers.length = open.length;
    if (isOutermost && isEnd) end = undefined;
    else if (isOutermost && (first !== 'END' || end !== undefined)) end = at;
  };
  const skipHead = (): undefined => {
    switch (word()) {
      case 'DECLARE':
        skipTo('BEGIN');
        open.push('BLOCK');
        return;
      case 'BEGIN':
        i++;
        open.push('BLOCK');
        return;
      case 'IF':
        open.push('IF');
        return skipTo('THEN');
      case 'ELSIF':
      case 'ELSEIF':
      case 'WHEN':
        i++;
        return skipTo('THEN');
      case 'ELSE':
      case 'EXCEPTION':
        i++;
        return;
      case 'CASE':
        i++;
        open.push('CASE');
        // A search expression may come before the first branch.
        skipTo('WHEN');
        i--;
        return;
      case 'WHILE':
      case 'FOR':
      case 'FOREACH':
      case 'LOOP':
        open.push('LOOP');
        return skipTo('LOOP');
      case 'END': {
        i++;
        const ended = open.pop() ?? fail('END of nothing');
        if (ended !== 'BLOCK' && word() !== ended) fail(`END of another ${ended}`);
        if (ended !== 'BLOCK') i++;
        return open.length === 0 && i >= tokens.length ? undefined : skipTo(';');
      }
      default:
        return skipTo(';');
    }
  };
  while (word() === '#') i = tokens.findIndex(({ word: one }) => one === 'DECLARE' || one === 'BEGIN');
  while (i < tokens.length && i >= 0) readOne();
  if (open.length > 0) fail(`${open} is not ended`);
  return { statements, end };
}
