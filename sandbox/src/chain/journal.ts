import { closeSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs';
import { writePrivateFile } from '../writePrivateFile.ts';

/**
 * The EVM keeps its state only in memory. This journal stores every call that changes it, one JSON array per line;
 * replayed on the same genesis, it gives the same blocks with the same hashes.
 *
 * - `["send", raw]` a chain transaction entered the pool (or was refused: it will be refused again)
 * - `["mine", seconds, count]` that many blocks, the first at that time, the others a second apart each
 * - `["mine", seconds, 1, baseFee, gasLimit]` one block under rules that were set by hand; null is the usual rule
 * - `["balance", address, wei]` an address has this much gas from now on
 * - `["rewind", height]` everything after that block is undone, the pool included
 */
export type Entry =
  | readonly ['send', string]
  | readonly ['mine', number, number]
  | readonly ['mine', number, 1, string | null, (string | null)?]
  | readonly ['balance', string, string]
  | readonly ['rewind', number];

interface Journal {
  /** The calls that a new chain replays; calls that a reorg undid are left out. */
  readonly entries: readonly Entry[];
  append(entry: Entry): void;
  close(): void;
}

/** Without a path nothing is stored. */
export function openJournal(path: string | undefined): Journal {
  if (path === undefined) return { entries: [], append: () => {}, close: () => {} };
  const entries = compact(readEntries(path));
  writePrivateFile(path, entries.map(render).join(''));
  const file = openSync(path, 'a', 0o600);
  return {
    entries,
    // Written synchronously before the call is answered, so a killed process loses nothing.
    append: (entry) => void writeSync(file, render(entry)),
    close() {
      fsyncSync(file);
      closeSync(file);
    },
  };
}

const render = (entry: Entry): string => `${JSON.stringify(entry)}\n`;

function readEntries(path: string): Entry[] {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
  const lines = text.split('\n');
  // Text after the last line end was being written when the process died; its call was never answered.
  lines.pop();
  return lines.map((line) => JSON.parse(line) as Entry);
}

/** Leaves out calls that were undone, and joins runs of empty blocks into one entry. */
export function compact(entries: readonly Entry[]): Entry[] {
  let kept: Entry[] = [];
  let height = 0;
  for (const entry of entries) {
    if (entry[0] === 'rewind') {
      kept = undoAfter(kept, height, entry[1]);
      height = entry[1];
      continue;
    }
    if (entry[0] === 'mine') {
      height += entry[2];
      const last = kept.at(-1);
      // Joined only when one plain block directly follows another, a second later.
      if (last?.[0] === 'mine' && last[3] === undefined && entry[3] === undefined && entry[1] === last[1] + last[2]) {
        kept[kept.length - 1] = ['mine', last[1], last[2] + entry[2]];
        continue;
      }
    }
    kept.push(entry);
  }
  return kept;
}

/** The entries without those after block `target`; a run of blocks is split if necessary. */
export function undoAfter(entries: readonly Entry[], height: number, target: number): Entry[] {
  const kept = [...entries];
  let at = height;
  while (kept.length > 0 && (at > target || kept.at(-1)![0] !== 'mine')) {
    const last = kept.pop()!;
    if (last[0] !== 'mine') continue;
    at -= last[2];
    if (at < target) {
      kept.push(['mine', last[1], target - at]);
      at = target;
    }
  }
  return kept;
}
