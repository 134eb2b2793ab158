/**
 * Decodes bytes like Python's `json.loads`: the encoding is guessed from the first bytes (RFC 4627's table and byte
 * order marks), and encoded surrogates are accepted. Returns undefined for bytes that are not text.
 */
import { isUtf8 } from 'node:buffer';

export function findText(bytes: Buffer): string | undefined {
  const first = bytes[0];
  const second = bytes[1];
  // The fast path for nearly every body: no zero byte and no byte order mark.
  if (first !== 0 && second !== 0 && first !== undefined && first < 0xef) return decodeUtf8(bytes);
  if (startsWith(bytes, 0x00, 0x00, 0xfe, 0xff)) return decodeUtf32(bytes.subarray(4), 'big');
  if (startsWith(bytes, 0xff, 0xfe, 0x00, 0x00)) return decodeUtf32(bytes.subarray(4), 'little');
  if (startsWith(bytes, 0xfe, 0xff)) return decodeUtf16(bytes.subarray(2), 'big');
  if (startsWith(bytes, 0xff, 0xfe)) return decodeUtf16(bytes.subarray(2), 'little');
  if (startsWith(bytes, 0xef, 0xbb, 0xbf)) return decodeUtf8(bytes.subarray(3));
  if (bytes.length >= 4) {
    if (first === 0) return second === 0 ? decodeUtf32(bytes, 'big') : decodeUtf16(bytes, 'big');
    if (second === 0) {
      return bytes[2] === 0 && bytes[3] === 0 ? decodeUtf32(bytes, 'little') : decodeUtf16(bytes, 'little');
    }
  } else if (bytes.length === 2) {
    if (first === 0) return decodeUtf16(bytes, 'big');
    if (second === 0) return decodeUtf16(bytes, 'little');
  }
  return decodeUtf8(bytes);
}

function startsWith(bytes: Buffer, ...mark: number[]): boolean {
  return mark.every((byte, i) => bytes[i] === byte);
}

function decodeUtf8(bytes: Buffer): string | undefined {
  return isUtf8(bytes) ? bytes.toString('utf8') : decodeUtf8WithSurrogates(bytes);
}

/** UTF-8 in which ED A0..BF xx is a surrogate ("surrogatepass"); all other invalid bytes stay invalid. */
function decodeUtf8WithSurrogates(bytes: Buffer): string | undefined {
  let text = '';
  let from = 0;
  for (let i = bytes.indexOf(0xed); i !== -1; i = bytes.indexOf(0xed, i + 1)) {
    const [second = 0, third = 0] = [bytes[i + 1], bytes[i + 2]];
    if (second < 0xa0 || second > 0xbf || (third & 0xc0) !== 0x80) continue;
    const plain = bytes.subarray(from, i);
    if (!isUtf8(plain)) return undefined;
    text += plain.toString('utf8') + String.fromCharCode(0xd000 | ((second & 0x3f) << 6) | (third & 0x3f));
    from = i + 3;
  }
  const rest = bytes.subarray(from);
  return from > 0 && isUtf8(rest) ? text + rest.toString('utf8') : undefined;
}

function decodeUtf16(bytes: Buffer, order: 'big' | 'little'): string | undefined {
  if (bytes.length % 2 !== 0) return undefined;
  return (order === 'big' ? Buffer.from(bytes).swap16() : bytes).toString('utf16le');
}

function decodeUtf32(bytes: Buffer, order: 'big' | 'little'): string | undefined {
  if (bytes.length % 4 !== 0) return undefined;
  let text = '';
  for (let i = 0; i < bytes.length; i += 4) {
    const code = order === 'big' ? bytes.readUInt32BE(i) : bytes.readUInt32LE(i);
    if (code > 0x10ffff) return undefined;
    text += String.fromCodePoint(code);
  }
  return text;
}
