import { closeSync, fchownSync, fsyncSync, openSync, renameSync, rmSync, statSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { findFolderFault } from './fault.ts';

/** Readable by its owner only, and complete or absent: a reader never sees half of it. */
export function writePrivateFile(path: string, text: string): void {
  const unfinished = `${path}.${process.pid}.new`;
  try {
    const file = openSync(unfinished, 'w', 0o600);
    try {
      // Root in a folder of somebody else's works for that somebody.
      if (process.getuid?.() === 0) fchownSync(file, statSync(dirname(path)).uid, statSync(dirname(path)).gid);
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
