/** Texts that people write, and that files and screens have to return letter by letter. */
export const FREE_TEXTS: readonly string[] = [
  'plain',
  'with, a comma',
  'with "quotes"',
  '"',
  '""',
  ',',
  ' blanks around ',
  "it's an apostrophe",
  "'=1+1",
  'semi;colon\\backslash/slash',
  'a=b+c-d@e',
  '💸 🏳️‍🌈 👨‍👩‍👧‍👦',
  'עברית ושלום',
  'مرحبا بالعالم',
  'e\u0301 is not \u00e9',
  'नमस्ते 世界 สวัสดี',
  '\ufeffbegins with a byte order mark',
  'ﷺ'.repeat(20),
  'zero\u200dwidth\u200cjoiners',
  '<script>alert(1)</script>&amp;',
  '%00%0a{}[]$`',
  'null',
  '0x1d3a5b7c9e0f2a4b6c8d0e1f3a5b7c9d1e3f5a7b',
  '007',
  '1e5',
];

/** Texts that a spreadsheet would execute. */
export const FORMULAS: readonly string[] = [
  '=1+1',
  '+1',
  '-1+1',
  '@SUM(A1)',
  '=HYPERLINK("http://evil.example","a")',
  '\t=1',
  '\r=1',
];

export const LINE_ENDS: readonly string[] = ['two\nlines', 'two\r\nlines', 'two\rlines', 'ends\n'];
