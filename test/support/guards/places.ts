/** URLs from other parties, and whether Florin may call them. Every guard runs the same cases. */

const PUBLIC = '93.184.215.14';
const PUBLIC_6 = '2606:4700::1111';

/** DNS answers for which a call must not be made: at least one of the addresses is not public. */
export const REFUSED_ANSWERS: Readonly<Record<string, readonly string[]>> = {
  nothing: [],
  'this machine': ['127.0.0.1'],
  'this machine by IPv6': ['::1'],
  'a private network': ['10.0.0.1'],
  'another private network': ['172.16.5.4'],
  'a home network': ['192.168.1.1'],
  'the metadata of a cloud': ['169.254.169.254'],
  'the metadata of a cloud by IPv6': ['fd00:ec2::254'],
  'a link-local address': ['fe80::1'],
  'a unique local address': ['fd12:3456::1'],
  'carrier-grade NAT': ['100.64.0.1'],
  'no network': ['0.0.0.0'],
  'no network by IPv6': ['::'],
  'an IPv4-mapped loopback': ['::ffff:127.0.0.1'],
  'an IPv4-mapped loopback in hexadecimal': ['::ffff:7f00:1'],
  'an IPv4-mapped private address': ['::ffff:10.0.0.1'],
  'a loopback behind NAT64': ['64:ff9b::7f00:1'],
  'a loopback behind 6to4': ['2002:7f00:1::'],
  'a public address, then a private one': [PUBLIC, '10.0.0.1'],
  'a private address, then a public one': ['10.0.0.1', PUBLIC],
  'public addresses around a private one': [PUBLIC, '192.168.0.1', PUBLIC_6],
  'a public address and a mapped loopback': [PUBLIC, '::ffff:127.0.0.1'],
  'a public IPv6 address and a local one': [PUBLIC_6, 'fe80::1'],
};

/** URLs that are refused by themselves, before a name is resolved; also in the sandbox. */
export const REFUSED_URLS: readonly string[] = [
  'shop.example.com',
  'http://shop.example.com/',
  'ftp://shop.example.com/',
  'file:///etc/passwd',
  'https://user@shop.example.com/',
  'https://user:pass@shop.example.com/',
  'https://shop.example.com:22/',
  'https://shop.example.com:5432/',
  'https://10.0.0.1/',
  'https://172.31.255.255/',
  'https://192.168.0.1/',
  'https://169.254.169.254/latest/meta-data/',
  'https://0.0.0.0/',
  'https://0/',
  'https://2852039166/',
  'https://0xa000001/',
  'https://012.0.0.1/',
  'https://[::]/',
  'https://[::ffff:10.0.0.1]/',
  'https://[::ffff:a9fe:a9fe]/',
  'https://[64:ff9b::a00:1]/',
  'https://[fd00::1]/',
  'https://[fe80::1]/',
  'https://a.localhost/',
];

/** Only production refuses these: in the sandbox receivers may be on this machine. */
export const LOOPBACK_URLS: readonly string[] = [
  'http://localhost/',
  'https://localhost/',
  'https://127.0.0.1/',
  'https://127.1/',
  'https://2130706433/',
  'https://0x7f.0.0.1/',
  'https://[::1]/',
];
