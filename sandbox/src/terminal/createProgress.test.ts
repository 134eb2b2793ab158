import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createProgress } from './createProgress.ts';

function openScreen(isTTY: boolean, columns = 60) {
  const written: string[] = [];
  return { screen: { write: (text: string) => written.push(text), isTTY, columns }, text: () => written.join('') };
}

/** The lines that remain visible on a terminal that supports "return to the start of the line, clear the line". */
const CLEAR = '\r\x1b[2K';
const show = (text: string): string[] => text.split('\n').map((line) => line.split(CLEAR).at(-1)!);

describe('the progress of a start', () => {
  it('in a file: a line when a step begins, one when it is done, and no control characters', () => {
    const { screen, text } = openScreen(false);
    const { begin, note } = createProgress(screen);
    const end = begin('Starting PostgreSQL');
    expect(text()).toMatch(/^\[ +\d\.\d s\] Starting PostgreSQL …\n$/);
    note('It was still running.');
    end('PostgreSQL on port 5432');
    expect(text()).toMatch(/…\nIt was still running\.\n\[ +\d\.\d s\] PostgreSQL on port 5432\n$/);
    expect(text()).not.toContain(CLEAR);
  });

  it('on a terminal: one line with a spinner that names all running steps, and is gone in the end', async () => {
    const { screen, text } = openScreen(true);
    const progress = createProgress(screen);
    const endOne = progress.begin('Starting PostgreSQL');
    const endOther = progress.begin('Starting the local chains');
    expect(show(text()).at(-1)).toMatch(/^\S Starting PostgreSQL, Starting the local chains \(0 s\)$/);
    const before = text().length;
    await sleep(500);
    expect(text().length).toBeGreaterThan(before);
    endOne('PostgreSQL on port 5432');
    expect(show(text()).at(-1)).toMatch(/^\S Starting the local chains/);
    endOther('Two local chains');
    expect(show(text())).toEqual([
      expect.stringMatching(/\] PostgreSQL on port 5432$/),
      expect.stringMatching(/\] Two local chains$/),
      '',
    ]);
  });

  it('on a terminal: no spinner line is longer than the screen, and a note does not break it', () => {
    const { screen, text } = openScreen(true, 30);
    const progress = createProgress(screen);
    progress.begin('Starting something with a rather long name');
    progress.note('A note.');
    for (const line of show(text())) expect(line.length).toBeLessThan(30);
    expect(show(text())[0]).toBe('A note.');
    progress.stop();
    expect(show(text()).at(-1)).toBe('');
  });
});
