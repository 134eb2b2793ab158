/** What a judge has said. */
export interface Verdict {
  readonly judge: string;
  readonly version: string;
  /** What it has judged, for a table. */
  readonly about: string;
  /** Everything that it objects to. */
  readonly findings: readonly string[];
  /** Such as the size of a bundle. */
  readonly figure?: string;
}

/** What judges share. Each part is made at first use. */
export interface Court {
  /** A folder into which only this session writes. */
  readonly folder: string;
  /** Installs these packages, with exact versions, into a folder of this name. */
  install(name: string, packages: Readonly<Record<string, string>>): Promise<Installed>;
  /** The files of both documents, as a server in this mode serves them. */
  documents(mode: 'production' | 'sandbox'): Readonly<Record<'web3' | 'backend', string>>;
  /** The packed client. */
  client(): Promise<Client>;
}

export interface Installed {
  readonly folder: string;
  versionOf(name: string): string;
  /** The path of a file in one of the packages. */
  pathOf(file: string): string;
  /** Its default way in for `import`. */
  load<Module>(name: string): Promise<Module>;
}

export interface Client {
  readonly tarball: string;
  /** A folder in which it is installed. */
  readonly consumer: string;
}

export type Judge = (court: Court) => Promise<readonly Verdict[]>;
