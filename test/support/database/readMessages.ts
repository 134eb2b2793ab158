/**
 * Reads whole messages of PostgreSQL's protocol from a stream: one type byte, a length and a body. A client's first
 * message has no type.
 */
export function readMessages(
  onMessage: (type: string, message: Buffer) => void,
  isServer: boolean,
): (chunk: Buffer) => void {
  let rest = Buffer.alloc(0);
  let hasBegun = isServer;
  return (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    for (;;) {
      const typeBytes = hasBegun ? 1 : 0;
      if (rest.length < typeBytes + 4) return;
      const end = typeBytes + rest.readInt32BE(typeBytes);
      if (rest.length < end) return;
      const message = rest.subarray(0, end);
      rest = rest.subarray(end);
      const type = hasBegun ? String.fromCharCode(message[0]!) : '';
      hasBegun = true;
      onMessage(type, message);
    }
  };
}
