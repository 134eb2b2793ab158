/** All faults of the configuration and of the files and services it names, one per line, in one message. */
export class ConfigError extends Error {
  readonly faults: readonly string[];
  constructor(faults: readonly string[], heading = describeCount(faults.length)) {
    super(`${heading}:\n${faults.map((fault) => `  - ${fault}`).join('\n')}`);
    this.name = 'ConfigError';
    this.faults = faults;
  }
}

const describeCount = (count: number): string => `The configuration has ${count === 1 ? 'a fault' : `${count} faults`}`;
