/** Searches the memory and the environment of a process for secrets, as an attacker who has taken it over could. */
import { closeSync, openSync, readFileSync, readSync } from 'node:fs';

const CHUNK_BYTES = 16 * 2 ** 20;

/** The same bytes as they may be in memory: raw, as hexadecimal or base64 text, in one or two bytes per character. */
function formsOf(secret: Uint8Array | string): Buffer[] {
  const raw = Buffer.from(secret as string);
  const texts =
    typeof secret === 'string'
      ? [secret]
      : [raw.toString('hex'), raw.toString('hex').toUpperCase(), raw.toString('base64'), raw.toString('base64url')];
  return [...(typeof secret === 'string' ? [] : [raw]), ...texts.flatMap((text) => [Buffer.from(text), utf16(text)])];
}

const utf16 = (text: string): Buffer => Buffer.from(text, 'utf16le');

/** Which of these secrets the process has, by name, sorted. */
export function scanProcess(pid: number, secrets: Readonly<Record<string, Uint8Array | string>>): string[] {
  const wanted = Object.entries(secrets).map(([name, secret]) => ({ name, forms: formsOf(secret) }));
  const longest = Math.max(...wanted.flatMap(({ forms }) => forms.map((form) => form.length)));
  const found = new Set<string>();
  const scan = (bytes: Buffer) => {
    for (const { name, forms } of wanted)
      if (!found.has(name) && forms.some((form) => bytes.includes(form))) found.add(name);
  };
  scan(readFileSync(`/proc/${pid}/environ`));
  scan(readFileSync(`/proc/${pid}/cmdline`));
  const memory = openSync(`/proc/${pid}/mem`, 'r');
  let scanned = 0;
  try {
    const chunk = Buffer.alloc(CHUNK_BYTES);
    for (const line of readFileSync(`/proc/${pid}/maps`, 'utf8').split('\n')) {
      const [, from, to] = /^([0-9a-f]+)-([0-9a-f]+) r\S+ .*?(?<!\[vvar\]|\[vsyscall\])$/.exec(line) ?? [];
      if (!from || !to) continue;
      const end = BigInt(`0x${to}`);
      for (let at = BigInt(`0x${from}`); at < end; ) {
        const size = Number(end - at < BigInt(CHUNK_BYTES) ? end - at : BigInt(CHUNK_BYTES));
        const read = readAt(memory, chunk, size, at);
        if (read === 0) break;
        scanned += read;
        scan(chunk.subarray(0, read));
        // A secret that spans two chunks is found with the second.
        at += BigInt(read === size && read > longest && at + BigInt(read) < end ? read - longest : read);
      }
    }
  } finally {
    closeSync(memory);
  }
  if (scanned < 2 ** 20) throw new Error(`only ${scanned} bytes of process ${pid} could be read`);
  return [...found].sort();
}

/** 0 where the kernel returns nothing: reserved memory that was never used. */
function readAt(file: number, into: Buffer, size: number, at: bigint): number {
  try {
    return readSync(file, into, 0, size, at);
  } catch {
    return 0;
  }
}
