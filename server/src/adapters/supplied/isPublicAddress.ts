import { BlockList, isIP } from 'node:net';

/** The IPv4 ranges in IANA's special-purpose registry. They are not public. */
const NOT_PUBLIC_V4 = subnets('ipv4', [
  '0.0.0.0/8', // this network
  '10.0.0.0/8', // private
  '100.64.0.0/10', // carrier-grade NAT
  '127.0.0.0/8', // loopback
  '169.254.0.0/16', // link-local, including the metadata services of clouds
  '172.16.0.0/12', // private
  '192.0.0.0/24', // protocol assignments
  '192.0.2.0/24', // documentation
  '192.31.196.0/24', // AS112
  '192.52.193.0/24', // AMT
  '192.88.99.0/24', // 6to4 relays
  '192.168.0.0/16', // private
  '192.175.48.0/24', // AS112
  '198.18.0.0/15', // benchmarks
  '198.51.100.0/24', // documentation
  '203.0.113.0/24', // documentation
  '224.0.0.0/4', // multicast
  '240.0.0.0/4', // reserved, and the broadcast address
]);

/**
 * The only part of IPv6 with public addresses. Outside it are loopback, unique local, link-local and multicast
 * addresses, and addresses that contain an IPv4 address: mapped (::ffff:0:0/96), compatible (::/96), translated
 * (64:ff9b::/96, /48).
 */
const GLOBAL_V6 = subnets('ipv6', ['2000::/3']);

/** Ranges inside it that are not public either, or that tunnel to an IPv4 address. */
const NOT_PUBLIC_V6 = subnets('ipv6', [
  '2001::/23', // protocol assignments, including Teredo, ORCHID and benchmarks
  '2001:db8::/32', // documentation
  '2002::/16', // 6to4
  '2620:4f:8000::/48', // AS112
  '3fff::/20', // documentation
]);

/** Returns false for every address that might lead into our own network. */
export function isPublicAddress(address: string): boolean {
  // An address with a zone, such as `fe80::1%eth0`, is link-local.
  if (address.includes('%')) return false;
  const family = isIP(address);
  if (family === 4) return !NOT_PUBLIC_V4.check(address, 'ipv4');
  return family === 6 && GLOBAL_V6.check(address, 'ipv6') && !NOT_PUBLIC_V6.check(address, 'ipv6');
}

function subnets(family: 'ipv4' | 'ipv6', texts: readonly string[]): BlockList {
  const list = new BlockList();
  for (const text of texts) {
    const [network = '', bits] = text.split('/');
    list.addSubnet(network, Number(bits), family);
  }
  return list;
}
