import { describe, expect, it } from 'vitest';
import { isPublicAddress } from './isPublicAddress.ts';

const refused: Record<string, readonly string[]> = {
  'this network': ['0.0.0.0', '0.255.255.255'],
  private: ['10.0.0.0', '10.255.255.255', '172.16.0.1', '172.31.255.255', '192.168.0.1', '192.168.255.255'],
  'carrier-grade NAT': ['100.64.0.0', '100.127.255.255'],
  loopback: ['127.0.0.1', '127.255.255.255', '::1'],
  'link-local': ['169.254.169.254', '169.254.0.1', 'fe80::1', 'febf::1', 'fe80::1%eth0', '2606:4700::1%eth0'],
  'protocol assignments': ['192.0.0.1', '192.0.0.170', '192.88.99.1', '192.31.196.1', '192.52.193.1', '192.175.48.1'],
  documentation: ['192.0.2.1', '198.51.100.255', '203.0.113.7', '2001:db8::1', '3fff::1', '3fff:fff:ffff::1'],
  benchmarks: ['198.18.0.1', '198.19.255.255', '2001:2::1'],
  multicast: ['224.0.0.1', '239.255.255.255', 'ff02::1', 'ff0e::1'],
  'reserved and broadcast': ['240.0.0.1', '255.255.255.255', '4000::1', '1fff::1', '::2'],
  unspecified: ['::'],
  'unique local and site-local': ['fc00::1', 'fdff::1', 'fec0::1'],
  'IPv4-mapped': ['::ffff:127.0.0.1', '::ffff:7f00:1', '::ffff:8.8.8.8', '::ffff:0:808:808', '0:0:0:0:0:ffff:a00:1'],
  'IPv4-compatible': ['::127.0.0.1', '::8.8.8.8'],
  NAT64: ['64:ff9b::7f00:1', '64:ff9b::8.8.8.8', '64:ff9b:1::1'],
  '6to4': ['2002:7f00:1::', '2002:808:808::1'],
  'Teredo and ORCHID': ['2001::1', '2001:0:7f00:1::', '2001:10::1', '2001:20::1', '2001:1ff:ffff::1'],
  'not an address': ['', 'localhost', '127.1', '0x7f.0.0.1', '8.8.8.8.', '8.8.8', '[2606:4700::1]', '08.8.8.8'],
};

describe('an address is not public when it is', () => {
  it.each(Object.entries(refused))('%s', (_, addresses) => {
    expect(addresses.filter(isPublicAddress)).toEqual([]);
  });
});

it('is public just outside every range that is not', () => {
  const open = [
    ...['1.0.0.0', '9.255.255.255', '11.0.0.0', '100.63.255.255', '100.128.0.0', '126.255.255.255', '128.0.0.0'],
    ...['169.253.255.255', '169.255.0.0', '172.15.255.255', '172.32.0.0', '192.0.1.0', '192.167.255.255'],
    ...['192.169.0.0', '198.17.255.255', '198.20.0.0', '203.0.112.255', '203.0.114.0', '223.255.255.255', '8.8.8.8'],
    ...[
      '2000::1',
      '2001:200::1',
      '2001:db7::1',
      '2001:db9::1',
      '2003::1',
      '2606:4700::1111',
      '3ffe::1',
      '3fff:1000::1',
    ],
  ];
  expect(open.filter((address) => !isPublicAddress(address))).toEqual([]);
});
