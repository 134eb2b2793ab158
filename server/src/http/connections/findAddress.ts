import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';

/**
 * Parses addresses and networks: `10.0.0.0/8`, `::1`, `192.0.2.7`. Throws a `TypeError` that names an invalid entry.
 */
export function parseRanges(texts: readonly string[]): BlockList {
  const ranges = new BlockList();
  for (const text of texts) {
    const [address = '', prefix, ...rest] = text.split('/');
    const family = isIP(address);
    const bits = prefix === undefined ? undefined : /^\d{1,3}$/.test(prefix) ? Number(prefix) : -1;
    if (family === 0 || rest.length > 0 || bits === -1 || (bits ?? 0) > (family === 4 ? 32 : 128)) {
      throw new TypeError(`"${text}" is not an address or network`);
    }
    const type = family === 4 ? 'ipv4' : 'ipv6';
    if (bits === undefined) ranges.addAddress(address, type);
    else ranges.addSubnet(address, bits, type);
  }
  return ranges;
}

/**
 * Caches the addresses of connections that did not come through our proxies, because every request needs its address.
 */
const known = new WeakMap<object, string>();

/**
 * The client's address. `X-Forwarded-For` is read from the right, only as far as our own proxies wrote it, so a client
 * cannot forge it. IPv6 clients are identified by their /64 network, because one household or rented machine has a
 * whole one.
 */
export function findAddress(
  { socket, headers }: Pick<IncomingMessage, 'socket' | 'headers'>,
  proxies?: BlockList,
): string {
  const found = known.get(socket);
  if (found !== undefined) return found;
  const remote = socket.remoteAddress ?? '';
  if (!proxies || !isWithin(proxies, remote)) {
    const address = addressOf(remote);
    known.set(socket, address);
    return address;
  }
  let address = remote;
  const hops = String(headers['x-forwarded-for'] ?? '').split(',');
  for (let hop = hops.pop(); hop !== undefined; hop = hops.pop()) {
    const next = withoutMapping(hop.trim());
    if (isIP(next) === 0) break;
    address = next;
    if (!isWithin(proxies, address)) break;
  }
  return addressOf(address);
}

/** The key that counts as one client: an IPv4 address, or the network of an IPv6 address. */
export function addressOf(remote: string): string {
  const address = withoutMapping(remote);
  return isIP(address) === 6 ? networkOf(address) : address;
}

/**
 * Whether an address is in one of these ranges. For a network, as `addressOf` returns it, the first address decides.
 */
export function isWithin(ranges: BlockList, remote: string): boolean {
  const address = withoutMapping(remote.split('/')[0]!);
  const family = isIP(address);
  return family !== 0 && ranges.check(address, family === 4 ? 'ipv4' : 'ipv6');
}

/**
 * Whether a client, as `addressOf` returns it, is in one of the ranges of a key. The rule is that of `find_key_refusals` in
 * SQL: a range contains the whole network of an IPv6 client, and addresses of the other family never match.
 */
export function isClientIn(ranges: readonly string[], client: string): boolean {
  const [address = '', prefix] = client.split('/');
  const family = isIP(address);
  const bits = prefix === undefined ? (family === 4 ? 32 : 128) : Number(prefix);
  const wide = ranges.filter((range) => {
    const [network = '', length] = range.split('/');
    return isIP(network) === family && (length === undefined ? (family === 4 ? 32 : 128) : Number(length)) <= bits;
  });
  return family !== 0 && parseRanges(wide).check(address, family === 4 ? 'ipv4' : 'ipv6');
}

/** A dual-stack socket writes IPv4 addresses like this. */
const withoutMapping = (address: string): string => (/^::ffff:[\d.]+$/i.test(address) ? address.slice(7) : address);

function networkOf(address: string): string {
  const [head = '', tail] = address.split('%')[0]!.toLowerCase().split('::');
  const before = head === '' ? [] : head.split(':');
  const after = tail ? tail.split(':') : [];
  const filled =
    tail === undefined
      ? before
      : [...before, ...Array(Math.max(0, 8 - before.length - after.length)).fill('0'), ...after];
  return `${filled
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ''))
    .join(':')}::/64`;
}
