/**
 * The sandbox is everything that `npm start` runs besides the server: a real PostgreSQL, a real OIDC issuer, local
 * chains, seeded people, and their supervision. The server never imports it, so none of it can reach production.
 *
 * A `StartFault` is something that the user can fix. Only its message is printed, one sentence or two, without a stack.
 * Any other error is a defect of ours.
 */
export class StartFault extends Error {
  constructor(message: string, options: { cause?: unknown } = {}) {
    super(message, options);
    this.name = 'StartFault';
  }
}

/** Node reports disk faults by code, PostgreSQL by the C library's message; both give the same sentence here. */
export function findFolderFault(cause: unknown, folder: string): StartFault | undefined {
  const code = (cause as NodeJS.ErrnoException | null)?.code ?? '';
  const text = cause instanceof Error ? cause.message : String(cause);
  const alternative = 'or choose another folder: FLORIN_DATA_DIR=/another/folder npm start';
  if (code === 'ENOSPC' || code === 'EDQUOT' || /No space left on device|Disk quota exceeded/.test(text)) {
    return new StartFault(`There is no space left on the disk of ${folder}. Free some, ${alternative}`, { cause });
  }
  if (['EACCES', 'EPERM', 'EROFS'].includes(code) || /Permission denied|Read-only file system/.test(text)) {
    return new StartFault(`The folder ${folder} cannot be written. Make it writable for you, ${alternative}`, {
      cause,
    });
  }
  if (['ENOTDIR', 'EEXIST'].includes(code)) {
    return new StartFault(`${folder} is not a folder. Move that file away, ${alternative}`, { cause });
  }
  return undefined;
}
