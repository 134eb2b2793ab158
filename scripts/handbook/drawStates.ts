/**
 * Draws the states of a payment from the table that the code uses, so the picture cannot differ from it. Rows are
 * states. Thick arrows go to the next row. Thin lines are rails, one for each state that can be reached from further
 * away: a dot means "from here", the arrow at the end of the rail means "to there". On the left are states that are
 * skipped, on the right the ends without a payment.
 */
import type { PaymentState } from '../../server/src/core/payment.ts';
import { isFinal, paymentStates } from '../../server/src/payments/state.ts';

const WIDTH = 680;
const LEFT = 130;
const RIGHT = 530;
const RAIL_GAP = 36;
const NAME_HEIGHT = 30;
const LINE_HEIGHT = 24;
const PADDING = 16;
const GAP = 40;
const LETTERS = 38;

interface Row {
  readonly state: PaymentState;
  readonly lines: readonly string[];
  readonly top: number;
  readonly height: number;
}

const STYLE = `
svg { --ink: #1b1f24; --soft: #57606a; --line: #8c959f; --box: #f5f7f9; --edge: #c9d1d9; --good: #dcf5e3; --good-edge: #1a7f37; --bad: #fbe9e7; --bad-edge: #b3261e; }
@media (prefers-color-scheme: dark) {
  svg { --ink: #e6edf3; --soft: #a3adb8; --line: #6e7681; --box: #181e25; --edge: #3d444d; --good: #12301c; --good-edge: #3fb950; --bad: #3a1a18; --bad-edge: #ff8a80; }
}
text { font: 19px system-ui, sans-serif; fill: var(--soft); }
.name { font-size: 23px; font-weight: 650; fill: var(--ink); }
.box { fill: var(--box); stroke: var(--edge); stroke-width: 2; }
.paid { fill: var(--good); stroke: var(--good-edge); }
.unpaid { fill: var(--bad); stroke: var(--bad-edge); }
.step { stroke: var(--ink); stroke-width: 4; fill: none; }
.tip { fill: var(--ink); }
.rail { stroke: var(--line); stroke-width: 2; fill: none; }
.end { stroke: var(--bad-edge); }
.dot, .railtip { fill: var(--line); }
.enddot { fill: var(--bad-edge); }
`;

export function drawStates(): string {
  const rows = placeRows();
  const steps = rows
    .slice(0, -1)
    .flatMap((row, i) => (follows(row, rows[i + 1]!) ? [drawStep(row, rows[i + 1]!)] : []));
  const height = rows.at(-1)!.top + rows.at(-1)!.height + 10;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="The states of a payment to an address">
<style>${STYLE}</style>
${[...drawRails(rows), ...steps, ...rows.map(drawBox)].join('\n')}
</svg>
`;
}

const follows = (from: Row, to: Row): boolean => paymentStates[from.state].next.includes(to.state);

const isUnpaid = (state: PaymentState): boolean => isFinal(state) && state !== 'COMPLETE';

/** From top to bottom: the way to COMPLETE, then the other ends. */
function placeRows(): Row[] {
  const states = Object.keys(paymentStates) as PaymentState[];
  const ordered = [...states.filter((one) => !isUnpaid(one)), ...states.filter(isUnpaid)];
  let top = 10;
  return ordered.map((state) => {
    const lines = wrap(paymentStates[state].means);
    const height = PADDING + NAME_HEIGHT + lines.length * LINE_HEIGHT + PADDING / 2;
    const row = { state, lines, top, height };
    top += height + GAP;
    return row;
  });
}

function wrap(text: string): string[] {
  const lines = [''];
  for (const word of text.split(' ')) {
    const longer = `${lines.at(-1)} ${word}`.trim();
    if (longer.length > LETTERS) lines.push(word);
    else lines[lines.length - 1] = longer;
  }
  return lines;
}

function drawBox({ state, lines, top, height }: Row): string {
  const kind = state === 'COMPLETE' ? ' paid' : isUnpaid(state) ? ' unpaid' : '';
  const texts = lines.map(
    (line, i) => `<text x="${LEFT + 18}" y="${top + PADDING + NAME_HEIGHT + 16 + i * LINE_HEIGHT}">${line}</text>`,
  );
  return `<rect class="box${kind}" x="${LEFT}" y="${top}" width="${RIGHT - LEFT}" height="${height}" rx="10"/>
<text class="name" x="${LEFT + 18}" y="${top + PADDING + 18}">${state}</text>
${texts.join('\n')}`;
}

function drawStep(from: Row, to: Row): string {
  const x = (LEFT + RIGHT) / 2;
  return `<path class="step" d="M${x} ${from.top + from.height}V${to.top - 12}"/>
<path class="tip" d="M${x - 9} ${to.top - 14}h18l-9 14z"/>`;
}

/** The shortest rail is the innermost one, so that no rail crosses the arrow of another. */
function drawRails(rows: readonly Row[]): string[] {
  const rails = rows.flatMap((to, i) => {
    const isEnd = isUnpaid(to.state);
    const from = rows.filter((row, j) => follows(row, to) && (isEnd || j !== i - 1));
    return from.length > 0 ? [{ to, from, isEnd }] : [];
  });
  return [false, true].flatMap((isEnd) =>
    rails.filter((rail) => rail.isEnd === isEnd).map((rail, nth) => drawRail(rail.to, rail.from, isEnd, nth)),
  );
}

function drawRail(to: Row, from: readonly Row[], isEnd: boolean, nth: number): string {
  const [edge, direction] = isEnd ? [RIGHT, 1] : [LEFT, -1];
  const x = edge + direction * RAIL_GAP * (nth + 1);
  const leave = (row: Row) => row.top + row.height - 16;
  const arrive = to.top + 24;
  const end = isEnd ? ' end' : '';
  const stubs = from.map((row) => `M${edge} ${leave(row)}H${x}`).join('');
  const dots = from.map((row) => `<circle class="${isEnd ? 'enddot' : 'dot'}" cx="${x}" cy="${leave(row)}" r="5"/>`);
  const tip = edge + direction * 2;
  return `<path class="rail${end}" d="${stubs}M${x} ${leave(from[0]!)}V${arrive}H${edge + direction * 12}"/>
<path class="${isEnd ? 'enddot' : 'railtip'}" d="M${tip + direction * 12} ${arrive - 7}v14l${-direction * 12} -7z"/>
${dots.join('')}`;
}
