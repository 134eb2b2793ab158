import { expect, it } from 'vitest';
import { listHosts } from './hosts.ts';

it.each([
  ['postgres://florin:secret@db1/florin', ['postgres://florin:secret@db1/florin']],
  ['postgres://a@db1,db2:5433/florin', ['postgres://a@db1/florin', 'postgres://a@db2:5433/florin']],
  [
    'postgresql://[::1]:1,[::2]:2/x?sslmode=require',
    ['postgresql://[::1]:1/x?sslmode=require', 'postgresql://[::2]:2/x?sslmode=require'],
  ],
  ['postgres://a@b,c/x?target_session_attrs=read-write', ['postgres://a@b/x', 'postgres://a@c/x']],
  ['postgres://a@b/x?target_session_attrs=primary&sslmode=require', ['postgres://a@b/x?sslmode=require']],
  ['postgres://a@b/x?sslmode=require&target_session_attrs=primary', ['postgres://a@b/x?sslmode=require']],
  ['postgres:///x?host=/run/postgresql', ['postgres:///x?host=/run/postgresql']],
])('the hosts of %s', (url, hosts) => {
  expect(listHosts(url)).toEqual(hosts);
});
