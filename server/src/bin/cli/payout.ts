/** `florin payout FILE` calls the Backend API, as any other service would, with a key of the scope `payouts`. */
import { readFile, writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Answer, type Noun, verb } from '../program/command.ts';
import { CommandFault, misused } from '../program/faults.ts';
import { redraw } from '../program/printable.ts';
import { countOf, renderFields, wrapLines } from '../program/render.ts';
import { type Asked, askApi, type Shown } from './verbs/askPayouts.ts';
import { list, show } from './verbs/listPayouts.ts';

const DEFAULT_URL = 'http://127.0.0.1:8001';
const LOOK_EVERY_MS = 300;
const BAR_WIDTH = 30;
const FINAL: readonly string[] = ['complete', 'cancelled'];

const pay = verb({
  summary: 'Pays many people and addresses from one CSV file',
  about: `The file has the columns reference,to,amount[,blockchain][,note]. Without --yes the file is only checked, and nothing
moves. The same reference is the same payment, so running a file again pays no row twice. The same command again pays rows
that were stopped or have failed. Only a row whose payment to an address has ended unpaid needs a new reference first.`,
  words: ['FILE'],
  options: {
    'key-file': { type: 'string', value: 'FILE', summary: 'contains a service key of the scope payouts' },
    url: { type: 'string', value: 'URL', summary: `of the Backend API; default ${DEFAULT_URL}` },
    payer: { type: 'string', value: 'USER', summary: 'who pays, a username or wallet id; default the treasury' },
    'on-shortage': { type: 'string', value: 'RULE', summary: 'wait (default) or fail, if the balance is too low' },
    yes: { type: 'boolean', summary: 'pay if the check finds no faults' },
    out: { type: 'string', value: 'FILE', summary: 'write the rows there, with the outcome of each' },
  },
  examples: [
    'payout salaries.csv --key-file payouts.key',
    'payout salaries.csv --key-file payouts.key --yes --out paid.csv',
  ],
  ignoresSandbox: true,
  async run({ say }, { words: [path = ''], options }): Promise<Answer> {
    const keyFile = options['key-file'];
    if (keyFile === undefined) throw misused('--key-file FILE is missing');
    const rule = options['on-shortage'] ?? 'wait';
    if (rule !== 'wait' && rule !== 'fail') throw misused('--on-shortage must be wait or fail');
    const key = (await readOrExplain(keyFile)).toString('utf8').trim();
    const api = askApi(options.url ?? DEFAULT_URL, key);
    const file = await readOrExplain(path);
    const checked = await api.check(file, { payer: options.payer, rule });
    if ('errors' in checked) return { text: describeErrors(checked), isBad: true };
    say(describeCheck(checked));
    const { payout_id: payoutId, count, total } = checked;
    if (!options.yes) return { text: wrapLines(`Nothing was paid. To pay, repeat the command with --yes.\n`) };
    let payout = await api.confirm(payoutId, { count, total });
    const bar = openBar(say);
    for (; !FINAL.includes(payout.state) && payout.state !== 'approving'; payout = await api.get(payoutId)) {
      bar.show(payout);
      await sleep(LOOK_EVERY_MS);
    }
    bar.end(payout);
    if (options.out !== undefined) await writeFile(options.out, await api.csv(payoutId));
    const failed = payout.rows.failed.count + payout.rows.cancelled.count;
    return { text: describeEnd(payout, options.out), isBad: failed > 0 };
  },
});

export default {
  about: `Payouts: many payments from one file. florin payout FILE pays a file (florin payout FILE --help); it calls the Backend API with
a service key. The verbs read payouts that services have created, with an operator's login.`,
  verbs: { list, show },
  otherwise: pay,
} satisfies Noun;

async function readOrExplain(path: string): Promise<Buffer> {
  try {
    return await readFile(path);
  } catch (error) {
    throw new CommandFault(`${path} cannot be read: ${(error as Error).message}`);
  }
}

function describeErrors({ errors, error_count: count }: Extract<Asked, { errors: unknown }>): string {
  const lines = errors
    .slice(0, 50)
    .map(({ row, column, detail }) => wrapLines(`row ${row}${column ? `, ${column}` : ''}: ${detail}`));
  const more = count > lines.length ? [`… and ${count - lines.length} more.`] : [];
  return `${[...lines, ...more, `${count} errors. Nothing was kept, and nothing is paid.`].join('\n')}\n`;
}

function describeCheck(payout: Shown): string {
  const before = payout.paid_before.count > 0 ? `; ${payout.paid_before.count} more were paid before` : '';
  const totals = payout.totals.map(
    (one) => `${countOf(one.count, 'row')} to ${one.to} on ${one.blockchain}: ${one.total} USDC`,
  );
  return [
    `Checked: ${countOf(payout.count, 'row')}, ${payout.total} USDC, fees ${payout.fees}${before}.`,
    ...totals,
    ...payout.warnings.map(({ detail }) => `Note: ${detail}`),
    payout.rule,
    `SHA-256 of the file: ${payout.file.sha256}`,
  ].join('\n');
}

function describeEnd(payout: Shown, out: string | undefined): string {
  const print = ({ count, total }: { count: number; total: string }) => `${countOf(count, 'row')}, ${total} USDC`;
  const { rows } = payout;
  const fields: [string, string][] = [
    ['payout', payout.payout_id],
    [
      'state',
      payout.state === 'approving'
        ? `waits for two operators: florin payment approve-payout ${payout.payout_id}`
        : payout.state,
    ],
    ['paid', print(rows.paid)],
    ...(rows.sent.count > 0 ? [['under way', print(rows.sent)] as [string, string]] : []),
    ...(rows.ready.count > 0 ? [['not begun', print(rows.ready)] as [string, string]] : []),
    ['failed', print(rows.failed)],
    ['cancelled', print(rows.cancelled)],
    ...(out === undefined ? [] : [['rows', out] as [string, string]]),
  ];
  return renderFields(fields) + (rows.failed.count > 0 ? `\n${wrapLines(AGAIN)}\n` : '');
}

const AGAIN =
  'Repeat the command to retry failed rows. A row with the error payment.ended needs a new reference first.';

/** Redraws one line on a terminal; otherwise prints a line when it starts to wait. */
function openBar(say: (line: string) => void) {
  const isTerminal = process.stderr.isTTY;
  let lastReason = '';
  return {
    show(payout: Shown) {
      if (isTerminal) redraw(renderBar(payout));
      const why = payout.waiting_for?.detail ?? '';
      if (why !== lastReason && why !== '' && !isTerminal) say(`Waits: ${why}`);
      lastReason = why;
    },
    end(payout: Shown) {
      if (isTerminal) redraw(renderBar(payout), '\n');
    },
  };
}

/** One line of at most 80 characters. */
export function renderBar({ rows, state, waiting_for: why }: Pick<Shown, 'rows' | 'state' | 'waiting_for'>): string {
  const ended = rows.paid.count + rows.failed.count + rows.cancelled.count;
  const all = ended + rows.ready.count + rows.sent.count;
  const full = all === 0 ? BAR_WIDTH : Math.floor((BAR_WIDTH * ended) / all);
  const bar = '█'.repeat(full) + '░'.repeat(BAR_WIDTH - full);
  return `${bar} ${ended}/${all} ${why ? `waits: ${why.code}` : state}`.slice(0, 80);
}
