import { closeSync, fchownSync, fsyncSync, openSync, renameSync, rmSync, statSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { findFolderFault } from './fault.ts';

/** Readable only by its owner. Renamed into place, so a reader never sees half of it. */
export function writePrivateFile(path: string, text: string): void {
  const unfinished = `${path}.${process.pid}.new`;
  try {
    const file = openSync(unfinished, 'w', 0o600);
    try {
      // If root writes into another user's folder, the file belongs to that user.
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
