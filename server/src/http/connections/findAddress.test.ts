import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from 'vitest';
import { findAddress, parseRanges } from './findAddress.ts';

const request = (remoteAddress: string, forwarded?: string) =>
  ({ socket: { remoteAddress }, headers: { 'x-forwarded-for': forwarded } }) as unknown as IncomingMessage;
const proxies = parseRanges(['10.0.0.0/8', '::1']);

describe('the address of a client', () => {
  it.each([
    ['without proxies, the peer of the connection', undefined, '203.0.113.9', '198.51.100.1', '203.0.113.9'],
    ['an unknown proxy is not trusted', proxies, '203.0.113.9', '198.51.100.1', '203.0.113.9'],
    ['our own proxy is trusted', proxies, '10.1.2.3', '198.51.100.1', '198.51.100.1'],
    ['its caller’s claim is not trusted', proxies, '10.1.2.3', '127.0.0.1, 198.51.100.1', '198.51.100.1'],
    ['through two proxies', proxies, '10.1.2.3', '1.1.1.1, 198.51.100.1, 10.9.9.9', '198.51.100.1'],
    ['nothing readable', proxies, '10.1.2.3', 'unknown', '10.1.2.3'],
    ['garbage in the middle', proxies, '10.1.2.3', '1.1.1.1, "; DROP', '10.1.2.3'],
    ['no header', proxies, '10.1.2.3', undefined, '10.1.2.3'],
    ['IPv4 on a dual-stack socket', proxies, '::ffff:10.1.2.3', '198.51.100.1', '198.51.100.1'],
    ['IPv6 by its network', proxies, '::1', '2001:db8:0:7:1:2:3:4', '2001:db8:0:7::/64'],
    ['the same network, spelt short', proxies, '::1', '2001:DB8:0:0007::9', '2001:db8:0:7::/64'],
    ['loopback', undefined, '::1', undefined, '0:0:0:0::/64'],
  ])('%s', (_, trusted, remote, forwarded, wanted) => {
    expect(findAddress(request(remote, forwarded), trusted)).toBe(wanted);
  });

  it.each(['10.0.0.0/33', '10.0.0/8', 'proxy.internal', '10.0.0.1/8/8', '10.0.0.1/x', '::1/129', '1.2.3.4/'])(
    'refuses the proxy %s',
    (text) => expect(() => parseRanges([text])).toThrow(/not an address or network/),
  );
});
