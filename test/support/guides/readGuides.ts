import { readdirSync, readFileSync } from 'node:fs';

const FOLDER = new URL('../../../docs/guides/', import.meta.url);

interface Block {
  /** `sh`, `ts`, … */
  readonly language: string;
  readonly text: string;
  /** Nothing is between it and the previous block. */
  readonly isNext: boolean;
}

export interface Guide {
  readonly name: string;
  readonly text: string;
  /** In the order of the page. */
  readonly blocks: readonly Block[];
}

/** Every guide, with its code blocks, also those in list items. */
export const readGuides = (): Guide[] =>
  readdirSync(FOLDER)
    .filter((name) => name.endsWith('.md'))
    .sort()
    .map((name) => {
      const text = readFileSync(new URL(name, FOLDER), 'utf8');
      let end = -1;
      const blocks = [...text.matchAll(/^( *)```(\w*)\n([\s\S]*?)^\1```$/gm)].map((match) => {
        const [all, indent = '', language = '', code = ''] = match;
        const isNext = end >= 0 && text.slice(end, match.index).trim() === '';
        end = match.index + all.length;
        return { language, text: code.replaceAll(new RegExp(`^${indent}`, 'gm'), ''), isNext };
      });
      return { name, text, blocks };
    });
