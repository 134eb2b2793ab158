/**
 * UUIDs as Pydantic reads them (with the Rust crate `uuid`): dashed, 32 digits, `{braced}` or `urn:uuid:`.
 * Lengths and positions in its messages count UTF-8 bytes.
 */
const CANONICAL = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const DASHED = /^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$/;
const SIMPLE = /^[0-9a-fA-F]{32}$/;
const URN = 'urn:uuid:';
const GROUP_STARTS = [0, 9, 14, 19, 24];
const GROUP_LENGTHS = [8, 4, 4, 4, 12];

/** The canonical spelling (lower case, dashed), or undefined; `describeBadUuid` then gives the reason. */
export function findUuid(text: string): string | undefined {
  if (CANONICAL.test(text)) return text;
  if (DASHED.test(text)) return text.toLowerCase();
  if (SIMPLE.test(text)) {
    const t = text.toLowerCase();
    return `${t.slice(0, 8)}-${t.slice(8, 12)}-${t.slice(12, 16)}-${t.slice(16, 20)}-${t.slice(20)}`;
  }
  const inner = unwrap(text);
  return inner !== text && DASHED.test(inner) ? inner.toLowerCase() : undefined;
}

/** Removes braces or the URN prefix, if the text has the right length for them. */
function unwrap(text: string): string {
  const bytes = Buffer.byteLength(text);
  if (bytes === 38 && text.startsWith('{') && text.endsWith('}')) return text.slice(1, -1);
  if (bytes === 45 && text.startsWith(URN)) return text.slice(URN.length);
  return text;
}

export function describeBadUuid(text: string): string {
  // If the length is right, the crate removes braces or prefix before it locates the fault, so positions are counted
  // without them; otherwise they are counted in the whole text.
  const input = unwrap(text);
  const braced = input.length > 1 && input.startsWith('{') && input.endsWith('}');
  const urn = !braced && input.startsWith(URN);
  const offset = braced ? 1 : urn ? URN.length : 0;
  const body = braced ? input.slice(1, -1) : input.slice(offset);

  const dashes: number[] = [];
  let index = 0;
  for (const character of body) {
    if (character === '-') dashes.push(index);
    else if (!/^[0-9a-fA-F]$/.test(character)) {
      return `invalid character: found \`${character}\` at ${index + offset + 1}`;
    }
    index += Buffer.byteLength(character);
  }
  if (dashes.length === 0 && !braced && !urn) {
    return `invalid length: expected length 32 for simple format, found ${input.length}`;
  }
  if (dashes.length !== 4) return `invalid group count: expected 5, found ${dashes.length + 1}`;
  const wrong = dashes.findIndex((dash, group) => dash !== GROUP_STARTS[group + 1]! - 1);
  const group = wrong === -1 ? 4 : wrong;
  const length = (wrong === -1 ? input.length : dashes[wrong]!) - GROUP_STARTS[group]!;
  return `invalid group length in group ${group}: expected ${GROUP_LENGTHS[group]}, found ${length}`;
}
