/** The command line of `npx @florin/client`. Keys come from the environment: other users of a machine see command lines. */
import { parseArgs } from 'node:util';

interface Shared {
  readonly backendUrl: string;
  readonly key: string;
}

interface Listen extends Shared {
  readonly name: 'listen';
  readonly url: string;
  readonly types: readonly string[] | undefined;
  readonly after: string | undefined;
  readonly secret: string | undefined;
}

interface Trigger extends Shared {
  readonly name: 'trigger';
  readonly type: string;
  readonly to: string | undefined;
}

type Command = Listen | Trigger | { readonly name: 'help' } | { readonly fault: string };

export const HELP = `Usage:
  npx @florin/client listen URL          forwards your account's events to URL, signed like webhooks
  npx @florin/client trigger TYPE        makes an event happen in a sandbox, such as payment.complete

Options of both:
  --backend-url URL   the Backend API; default: FLORIN_BACKEND_URL, or http://127.0.0.1:8001
Options of listen:
  --types TYPES       such as payment.*,deposit.complete; default: all
  --after EVENT       begin after this event, or with start; default: now
  --secret whsec_…    signs the messages; default: FLORIN_WEBHOOK_SECRET, or one derived from your key
Option of trigger:
  --to USERNAME       who receives the money; default: bob, or alice if you are bob

FLORIN_KEY must be set: an access token, or a key that reads events (listen) or pays (trigger).`;

const OPTIONS = {
  'backend-url': { type: 'string' },
  types: { type: 'string' },
  after: { type: 'string' },
  secret: { type: 'string' },
  to: { type: 'string' },
  help: { type: 'boolean' },
} as const;

type Given = ReturnType<typeof parseArgs<{ options: typeof OPTIONS; allowPositionals: true }>>;

const OWN = { listen: ['types', 'after', 'secret'], trigger: ['to'] } as const;
const SHARED = ['backend-url', 'help'];

export function readCommand(args: readonly string[], env: Readonly<Record<string, string | undefined>>): Command {
  let given: Given;
  try {
    given = parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true });
  } catch (error) {
    return { fault: (error as Error).message };
  }
  const { values, positionals } = given;
  const [name, word, ...more] = positionals;
  if (values.help || (name === undefined && args.length === 0) || name === 'help') return { name: 'help' };
  if (name !== 'listen' && name !== 'trigger') return { fault: `Unknown command: ${name ?? 'none'}.` };
  if (word === undefined) return { fault: `${name} needs ${name === 'listen' ? 'a URL' : 'the type of an event'}.` };
  if (more.length > 0) return { fault: `Too many words: ${more.join(' ')}.` };
  const foreign = Object.keys(values).find((one) => ![...SHARED, ...OWN[name]].includes(one));
  if (foreign !== undefined) return { fault: `${name} has no option --${foreign}.` };
  const backendUrl = values['backend-url'] ?? (env.FLORIN_BACKEND_URL || 'http://127.0.0.1:8001');
  const key = env.FLORIN_KEY || undefined;
  if (!isUrl(backendUrl)) return { fault: `${backendUrl} is not a URL.` };
  if (key === undefined) return { fault: 'FLORIN_KEY is not set.' };
  if (name === 'trigger') return { name, backendUrl, key, type: word, to: values.to };
  if (!isUrl(word)) return { fault: `${word} is not a URL, such as http://localhost:3000/webhooks.` };
  const types = values.types?.split(',').filter((one) => one !== '');
  const secret = values.secret ?? (env.FLORIN_WEBHOOK_SECRET || undefined);
  return { name, backendUrl, key, url: word, types, after: values.after, secret };
}

const isUrl = (text: string): boolean => /^https?:\/\//.test(text) && URL.canParse(text);
