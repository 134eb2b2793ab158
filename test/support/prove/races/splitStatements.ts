/**
 * Finds where the statements of a PL/pgSQL body begin. It knows blocks, branches, loops and handlers, and no more of the
 * grammar; a body that it does not understand is refused, never guessed.
 */
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

/** Statements that read and change nothing: a stop before them is the same as one before the next statement. */
const IDLE = ['NULL', 'GET', 'CONTINUE', 'EXIT'];
/** Words that begin a part of a statement rather than a statement. */
const PARTS = ['ELSE', 'ELSIF', 'ELSEIF', 'WHEN', 'EXCEPTION', 'END'];

/** The offsets of all statements, in order. Throws when the body has another form than this reader knows. */
export function splitStatements(source: string): number[] {
  const tokens = readTokens(source);
  const starts: number[] = [];
  const open: ('BLOCK' | 'IF' | 'CASE' | 'LOOP')[] = [];
  let i = 0;
  const word = () => tokens[i]?.word ?? '';
  const fail = (what: string): never => {
    throw new Error(`${what} near ${source.slice(tokens[i]?.at ?? source.length - 40).slice(0, 40)}`);
  };
  /** Goes on to one of these words outside brackets and CASE expressions; stands behind it afterwards. */
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
  /** Nothing but a statement or the rest of one stands here. */
  const readOne = (): undefined => {
    const first = word();
    const isStatement = !PARTS.includes(first);
    if (isStatement && open.length > 0 && !IDLE.includes(first)) starts.push(tokens[i]!.at);
    if (first === '<<') skipTo('>>');
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
        // A search expression may stand before the first branch.
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
  return starts;
}
