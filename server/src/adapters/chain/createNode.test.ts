import { createServer, type Server, type ServerResponse } from 'node:http';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { listen } from '../../../../test/support/http/listen.ts';
import { createNode } from './createNode.ts';

let server: Server;
let url: string;
let asked = 0;
let respond: (response: ServerResponse) => void;
beforeAll(async () => {
  server = createServer((_, response) => {
    asked++;
    respond(response);
  });
  url = `http://127.0.0.1:${await listen(server)}/key`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const GOOD = '{"jsonrpc":"2.0","id":0,"result":"0x1"}';

it.each<[string, (response: ServerResponse) => void, RegExp]>([
  ['redirects', (response) => response.writeHead(307, { location: `${url}2` }).end(), /no answer/],
  ['is larger than we accept', (response) => response.end(GOOD + ' '.repeat(20_000)), /more than 10000 bytes/],
  ['never ends', (response) => void setInterval(() => response.write(' '.repeat(100)), 5).unref(), /more than|aborted/],
  ['never comes', () => {}, /aborted|timeout/],
])('an answer that %s does not count', async (_, given, fault) => {
  respond = given;
  asked = 0;
  await expect(createNode(url, 2_000, 10_000).call('eth_blockNumber', [])).rejects.toThrow(fault);
  expect(asked).toBe(1);
  respond = (response) => response.end(GOOD);
  expect(await createNode(url, 5_000, 10_000).call('eth_blockNumber', [])).toBe('0x1');
});
