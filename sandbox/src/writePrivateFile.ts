import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { findFolderFault } from './fault.ts';

/** Readable by its owner only, and complete or absent: a reader never sees half of it. */
export function writePrivateFile(path: string, text: string): void {
  const unfinished = `${path}.${process.pid}.new`;
  try {
    const file = openSync(unfinished, 'w', 0o600);
    try {
      writeSync(file, text);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(unfinished, path);
  } catch (error) {
    rmSync(unfinished, { force: true });
    throw findFolderFault(error, dirname(path)) ?? error;
  }
}
