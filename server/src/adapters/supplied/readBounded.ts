/**
 * Returns the text of an answer, or throws when it exceeds `maxBytes`. It counts decompressed bytes, so a small answer
 * that would expand is cut off too.
 */
export async function readBounded(answer: Response, maxBytes: number): Promise<string> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of answer.body ?? []) {
    size += part.length;
    // Leaving the loop closes the connection.
    if (size > maxBytes) throw new Error(`the answer has more than ${maxBytes} bytes`);
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}
