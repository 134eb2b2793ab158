/** The `User-Agent` of a program that uses the client. */
import { FlorinError } from './FlorinError.ts';
import { VERSION } from './generated/calls.ts';

/** Names your program in the service's log and in a person's list of sessions. */
export interface AppInfo {
  /** One word: `shop`. */
  readonly name: string;
  readonly version?: string | undefined;
  readonly url?: string | undefined;
}

interface Platform {
  readonly navigator?: { readonly userAgent?: string };
  /** Node.js 20 has no navigator. */
  readonly process?: { readonly versions?: { readonly node?: string } };
}

/** Undefined in browsers, which write their own. */
export function describeAgent(app: AppInfo | undefined): string | undefined {
  const { navigator, process: node } = globalThis as Platform;
  const userAgent = navigator?.userAgent ?? `Node.js/${node?.versions?.node ?? 'unknown'}`;
  if (userAgent.startsWith('Mozilla/')) return undefined;
  return [`florin-client/${VERSION}`, `(${userAgent})`, ...(app ? [describeApp(app)] : [])].join(' ');
}

function describeApp({ name, version, url }: AppInfo): string {
  const isWord = (text: string) => /^[\w.+!#$&*^~|-]+$/.test(text);
  if (!isWord(name) || (version !== undefined && !isWord(version)) || (url !== undefined && !/^[!-'*-~]+$/.test(url)))
    throw new FlorinError({
      code: 'client.misconfigured',
      title: 'appInfo cannot be sent',
      detail: 'appInfo: name and version are one word each, and url is an address without spaces.',
    });
  return `${name}${version === undefined ? '' : `/${version}`}${url === undefined ? '' : ` (${url})`}`;
}
