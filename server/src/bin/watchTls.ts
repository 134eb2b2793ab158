import type { TlsIdentity, TlsSource } from '../http/contract/createTlsServer.ts';
import { ConfigError } from './config/configError.ts';
import { readTls, type TlsFiles } from './config/tlsFiles.ts';

export interface TlsWatch extends TlsSource {
  /** Reads the files now. */
  reload(): void;
  stop(): void;
}

const LOOK_EVERY_MS = 10_000;

/**
 * The identity in the files, kept up to date. The files are read again every ten seconds instead of being watched:
 * orchestrators replace a folder by changing a link, which a watch on the file does not notice. While the files do not
 * fit together, such as a new certificate before its key is written, the current identity stays in use.
 */
export function watchTls(
  files: TlsFiles,
  callbacks: { readonly onRenewed: (next: TlsIdentity) => void; readonly onFault: (faults: readonly string[]) => void },
): TlsWatch {
  const first = readTls(files);
  if (!first.identity) throw new ConfigError(first.faults);
  let current = first.identity;
  let lastFaults = '';
  const listeners: ((next: TlsIdentity) => void)[] = [];

  function reload(): void {
    const { identity, faults } = readTls(files);
    // Reported once, not every ten seconds.
    if (faults.length > 0 && faults.join() !== lastFaults) callbacks.onFault(faults);
    lastFaults = faults.join();
    if (!identity || isSame(identity, current)) return;
    current = identity;
    for (const listener of listeners) listener(identity);
    callbacks.onRenewed(identity);
  }

  const timer = setInterval(reload, LOOK_EVERY_MS).unref();
  return {
    get current() {
      return current;
    },
    onRenewal: (listener) => void listeners.push(listener),
    reload,
    stop: () => clearInterval(timer),
  };
}

const isSame = (one: TlsIdentity, other: TlsIdentity): boolean =>
  one.cert === other.cert && one.key === other.key && one.clientCa === other.clientCa;

/** The same for an API that requests no client certificates. */
export const withoutClients = (source: TlsSource): TlsSource => ({
  get current() {
    const { cert, key } = source.current;
    return { cert, key };
  },
  onRenewal: (listener) => source.onRenewal(({ cert, key }) => listener({ cert, key })),
});
