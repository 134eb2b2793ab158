import { describe, expect, it } from 'vitest';
import { parseCsvRows, parseJsonRows } from './parseRows.ts';

const csv = (text: string) => parseCsvRows(Buffer.from(text, 'utf8'));
const HEAD = 'reference,to,amount,blockchain,note\n';
/** The faults of a file, as `row column code`. */
const said = ({ errors }: ReturnType<typeof csv>) =>
  errors.map(({ row, column, code }) => [row, column, code].filter((part) => part !== null).join(' '));

describe('a CSV file', () => {
  it('is read with a byte order mark, CRLF, quotes, blanks, and columns in any order', () => {
    const { rows, errors } = csv(
      '\ufeffAmount, To ,Reference,Note\r\n12.5,bob,a-1,"Thanks, ""Bob"""\r\n\r\n" 3 ",carol,a-2,\r\n',
    );
    expect(errors).toEqual([]);
    expect(rows).toEqual([
      { row: 1, reference: 'a-1', to: 'bob', amount: 12_500_000n, blockchain: undefined, note: 'Thanks, "Bob"' },
      { row: 2, reference: 'a-2', to: 'carol', amount: 3_000_000n, blockchain: undefined, note: undefined },
    ]);
  });

  it.each([
    ['nothing', '', 'file.empty'],
    ['only a header', HEAD, 'file.empty'],
    ['no header', 'a-1,bob,5\n', 'file.header'],
    ['semicolons', 'reference;to;amount\na;bob;5\n', 'file.header'],
    ['a column twice', 'reference,to,amount,to\n', 'file.header'],
    ['no amounts', 'reference,to\na,bob\n', 'file.header'],
    ['a quote that is never closed', `${HEAD}a,"bob,5,,\n`, 'file.quotes'],
    ['a quote inside', `${HEAD}a,bo"b,5,,\n`, 'file.quotes'],
    ['text after a quote', `${HEAD}a,"bob"x,5,,\n`, 'file.quotes'],
    ['10,001 rows', HEAD + Array.from({ length: 10_001 }, (_, i) => `r${i},bob,1,,\n`).join(''), 'file.too_many_rows'],
  ])('with %s is refused', (_, text, code) => {
    expect(said(csv(text))).toEqual([`0 ${code}`]);
  });

  it('that is not UTF-8 is refused', () => {
    expect(said(parseCsvRows(Buffer.from([0x72, 0xe9, 0x66])))).toEqual(['0 file.text']);
  });

  it('may have 10,000 rows', () => {
    const { rows, errors } = csv(HEAD + Array.from({ length: 10_000 }, (_, i) => `r${i},bob,1,,\n`).join(''));
    expect([rows.length, errors.length]).toEqual([10_000, 0]);
  });

  it.each([
    ['1', 1_000_000n],
    ['0.000001', 1n],
    ['007.50', 7_500_000n],
    ['999999999.999999', 999_999_999_999_999n],
    ['1.0000000', 1_000_000n],
  ])('takes the amount %s', (text, amount) => {
    expect(csv(`${HEAD}a,bob,${text},,\n`).rows).toMatchObject([{ amount }]);
  });

  it.each([
    ['', 'amount.form'],
    ['1E+05', 'amount.form'],
    ['1.2e3', 'amount.form'],
    ['"1,000.50"', 'amount.form'],
    ['"1.000,50"', 'amount.form'],
    ["1'000", 'amount.form'],
    ['1 000', 'amount.form'],
    ['-5', 'amount.form'],
    ['+5', 'amount.form'],
    ['.5', 'amount.form'],
    ['5.', 'amount.form'],
    ['$5', 'amount.form'],
    ['5 USDC', 'amount.form'],
    ['0x10', 'amount.form'],
    ['1_000', 'amount.form'],
    ['NaN', 'amount.form'],
    ['Infinity', 'amount.form'],
    ['٥', 'amount.form'],
    ['\uff15', 'amount.form'],
    ['=1+1', 'amount.form'],
    ['0', 'amount.zero'],
    ['0.000000', 'amount.zero'],
    ['0.0000001', 'amount.precision'],
    ['1000000000', 'amount.too_large'],
    ['9'.repeat(400), 'amount.too_large'],
  ])('refuses the amount %s', (text, code) => {
    expect(said(csv(`${HEAD}a,bob,${text},,\n`))).toEqual([`1 amount ${code}`]);
  });

  it('reports what a spreadsheet has done to a long number', () => {
    expect(csv(`${HEAD}a,bob,1.5E+09,,\n`).errors[0]!.detail).toContain('spreadsheet');
  });

  it('reports every fault by row and column, duplicates and formulas too', () => {
    const text = [
      'a,bob,5,,',
      'a,carol,5,,',
      ',,x,,',
      '=cmd(),bob,5,,',
      'b,bob,5,,=HYPERLINK("x")',
      'c,bob,5,,@sum',
      `d,bob,5,,${'n'.repeat(201)}`,
      'e,bob,5,,,,extra',
      'é,bob,5,,',
      'f,bob,5,,"two\nlines"',
    ].join('\n');
    // Quotes inside a cell without quotes are a fault of the file, so the formula comes quoted.
    expect(said(csv(HEAD + text.replace('=HYPERLINK("x")', '"=HYPERLINK(""x"")"')))).toEqual([
      '2 reference reference.duplicate',
      '3 reference reference.missing',
      '3 to to.missing',
      '3 amount amount.form',
      '4 reference reference.form',
      '5 note note.formula',
      '6 note note.formula',
      '7 note note.length',
      '8 row.cells',
      '9 reference reference.form',
      '10 note note.form',
    ]);
  });
});

describe('a JSON body', () => {
  it('has the same rows', () => {
    const { rows, errors } = parseJsonRows({ rows: [{ reference: 'a', to: 'bob', amount: '1.5', note: null }] });
    expect([rows, errors]).toEqual([
      [{ row: 1, reference: 'a', to: 'bob', amount: 1_500_000n, blockchain: undefined, note: undefined }],
      [],
    ]);
  });

  it.each([
    [null, ['0 file.json']],
    [[], ['0 file.json']],
    [{ rows: 'a' }, ['0 file.json']],
    [{ rows: [] }, ['0 file.empty']],
    [{ rows: [{ reference: 'a', to: 'bob', amount: '5' }], currency: 'EUR' }, ['0 file.json']],
    [{ rows: [{ reference: 'a', to: 'bob', amount: 5 }] }, ['1 amount cell.text']],
    [{ rows: [{ reference: 'a', to: 'bob', amount: '5', memo: 'x' }] }, ['1 column.unknown']],
    [{ rows: ['a'] }, ['1 reference reference.missing', '1 to to.missing', '1 amount amount.form']],
    [{ rows: Array.from({ length: 10_001 }, () => ({})) }, ['0 file.too_many_rows']],
  ])('%# is refused with the reason', (body, codes) => {
    expect(said(parseJsonRows(body))).toEqual(codes);
  });
});
