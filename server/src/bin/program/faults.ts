/** The exit codes of `florin`. Scripts branch on these numbers; docs/operating/florin.md has the same table. */
export const EXIT = {
  done: 0,
  /** Refused, or a comparison found a difference. */
  failed: 1,
  /** The command line is wrong. */
  usage: 2,
  /** Something that the command line names does not exist. */
  unknown: 3,
  /** Your role or your database login does not allow it. */
  forbidden: 4,
  /** The configuration is wrong, or the database does not fit this build. */
  configuration: 5,
  /** The database or a blockchain does not answer: the same command may work later. */
  unavailable: 6,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** The command cannot be carried out; the message is printed for the operator. */
export class CommandFault extends Error {
  readonly exitCode: ExitCode;

  constructor(message: string, exitCode: ExitCode = EXIT.failed) {
    super(message);
    this.name = 'CommandFault';
    this.exitCode = exitCode;
  }
}

/** The command line is wrong. */
export const misused = (message: string): CommandFault => new CommandFault(message, EXIT.usage);

/** Something that the command line names does not exist. */
export const unknown = (message: string): CommandFault => new CommandFault(message, EXIT.unknown);
