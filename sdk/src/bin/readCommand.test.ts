import { describe, expect, it } from 'vitest';
import { readCommand } from './readCommand.ts';

const ENV = { FLORIN_KEY: 'fsk_1' };
const LISTEN = {
  name: 'listen',
  backendUrl: 'http://127.0.0.1:8001',
  key: 'fsk_1',
  url: 'http://localhost:3000/hooks',
};

describe('the command line of the client', () => {
  it.each([
    ['listen http://localhost:3000/hooks', ENV, LISTEN],
    [
      'listen http://localhost:3000/hooks --types payment.*,deposit.complete',
      ENV,
      { types: ['payment.*', 'deposit.complete'] },
    ],
    ['listen http://localhost:3000/hooks --after evt_1 --secret whsec_a', ENV, { after: 'evt_1', secret: 'whsec_a' }],
    ['listen http://localhost:3000/hooks', { ...ENV, FLORIN_WEBHOOK_SECRET: 'whsec_b' }, { secret: 'whsec_b' }],
    ['listen http://x/ --backend-url https://api.example.com', ENV, { backendUrl: 'https://api.example.com' }],
    ['listen http://x/', { ...ENV, FLORIN_BACKEND_URL: 'http://127.0.0.1:9' }, { backendUrl: 'http://127.0.0.1:9' }],
    ['trigger payment.complete', ENV, { name: 'trigger', type: 'payment.complete', to: undefined, key: 'fsk_1' }],
    ['trigger payment.complete --to carol', ENV, { to: 'carol' }],
    ['', {}, { name: 'help' }],
    ['help', {}, { name: 'help' }],
    ['listen --help', {}, { name: 'help' }],
  ] as const)('%s', (line, env, command) => {
    expect(readCommand(line.split(' ').filter(Boolean), env)).toMatchObject(command);
  });

  it.each([
    ['listen', 'needs a URL'],
    ['trigger', 'needs the type'],
    ['follow http://x/', 'Unknown command: follow'],
    ['listen localhost:3000', 'is not a URL'],
    ['listen file:///etc/passwd', 'is not a URL'],
    ['listen http://x/ http://y/', 'Too many words'],
    ['listen http://x/ --to bob', 'no option --to'],
    ['trigger payment.complete --types a', 'no option --types'],
    ['listen http://x/ --key fsk_1', "Unknown option '--key'"],
    ['listen http://x/ --backend-url api', 'api is not a URL'],
  ])('refuses: %s', (line, fault) => {
    expect(readCommand(line.split(' '), ENV)).toEqual({ fault: expect.stringContaining(fault) });
  });

  it('needs a key', () => {
    expect(readCommand(['listen', 'http://x/'], {})).toEqual({ fault: 'FLORIN_KEY is not set.' });
    expect(readCommand(['listen', 'http://x/'], { FLORIN_KEY: '' })).toEqual({ fault: 'FLORIN_KEY is not set.' });
  });
});
