import { z } from 'zod';
import { jsonText, port, type Variable } from '../shapes.ts';

const url = z.url({ protocol: /^https?$/, message: 'is not an http:// or https:// URL' });

const sandbox = jsonText.pipe(
  z.strictObject({
    operators: z.array(
      z.strictObject({
        name: z.string(),
        role: z.enum(['admin', 'risk', 'support']),
        email: z.string(),
        password: z.string(),
      }),
    ),
  }),
);

/** The variables of the operator console (`florin console`), a process of its own. */
export const consoleVariables = {
  FLORIN_CONSOLE_PORT: {
    schema: port(8003),
    help: 'Port of the operator console; 0 uses a free port.',
    example: '8003',
  },
  FLORIN_CONSOLE_URL: {
    schema: url.transform((text) => new URL(text).origin).optional(),
    help: 'The URL at which operators open the console: https, and the root of a host name that nothing else uses. Required in production. Register it with /callback at the issuer.',
    example: 'https://console.example.com',
  },
  FLORIN_CONSOLE_ISSUER: {
    schema: url.optional(),
    help: 'The issuer with which operators log in to the console, one of those whose ID tokens are accepted. Default: the first one. Its first audience is the client id.',
    example: 'https://login.example.com',
  },
  FLORIN_CONSOLE_CLIENT_SECRET: {
    schema: z.string().min(1).optional(),
    help: 'The client secret of the console at that issuer, if the issuer gives web apps one. The console always uses PKCE.',
    secret: true,
  },
  FLORIN_CONSOLE_IDLE_SECONDS: {
    schema: z.coerce.number().int().min(60).max(86_400).default(900),
    help: "An operator's session in the console ends after this long without a click.",
    example: '900',
  },
  FLORIN_CONSOLE_SESSION_SECONDS: {
    schema: z.coerce.number().int().min(300).max(86_400).default(28_800),
    help: 'It ends this long after the login, whatever the operator does.',
    example: '28800',
  },
  FLORIN_CONSOLE_OPS_PORT: {
    schema: port(9467),
    help: 'The port of /healthz, /readyz and /metrics of the console.',
    example: '9467',
  },
  FLORIN_CONSOLE_SANDBOX: {
    schema: sandbox.optional(),
    help: 'Only in the sandbox, which sets it: the operators who log in with one click.',
    secret: true,
  },
} as const satisfies Record<string, Variable>;
