import type { TlsIdentity, TlsSource } from '../http/contract/createTlsServer.ts';
import { ConfigError } from './config/configError.ts';
import { readTls, type TlsFiles } from './config/tlsFiles.ts';

export interface TlsWatch extends TlsSource {
  /** Looks at the files now. */
  reload(): void;
  stop(): void;
}

const LOOK_EVERY_MS = 10_000;

/**
 * The identity in the files, followed by whatever they hold later. They are read again every ten seconds instead of
 * being watched: orchestrators exchange folders by a link, which a watch on the file does not notice. Files that do
 * not fit together, such as a new certificate whose key has yet to be written, leave the present identity in use.
 */
export function watchTls(
  files: TlsFiles,
  told: { readonly onRenewed: (next: TlsIdentity) => void; readonly onFault: (faults: readonly string[]) => void },
): TlsWatch {
  const first = readTls(files);
  if (!first.identity) throw new ConfigError(first.faults);
  let current = first.identity;
  let lastFaults = '';
  const listeners: ((next: TlsIdentity) => void)[] = [];

  function reload(): void {
    const { identity, faults } = readTls(files);
    // Once, not every ten seconds.
    if (faults.length > 0 && faults.join() !== lastFaults) told.onFault(faults);
    lastFaults = faults.join();
    if (!identity || isSame(identity, current)) return;
    current = identity;
    for (const listener of listeners) listener(identity);
    told.onRenewed(identity);
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

/** The same for an API that takes everybody in. */
export const withoutClients = (source: TlsSource): TlsSource => ({
  get current() {
    const { cert, key } = source.current;
    return { cert, key };
  },
  onRenewal: (listener) => source.onRenewal(({ cert, key }) => listener({ cert, key })),
});
