/** What `florin doctor` finds. */
export const AREAS = ['configuration', 'database', 'signer', 'networks', 'clocks', 'gas', 'payments'] as const;

export interface Finding {
  readonly area: (typeof AREAS)[number];
  /** `fault`: something does not work. `warning`: it will not, or it is not what you probably want. */
  readonly level: 'ok' | 'warning' | 'fault';
  readonly says: string;
  /** What to do: a command, or where the page about it is. */
  readonly mend?: string;
}

export const ok = (area: Finding['area'], says: string): Finding => ({ area, level: 'ok', says });
export const warning = (area: Finding['area'], says: string, mend: string): Finding => ({
  area,
  level: 'warning',
  says,
  mend,
});
export const fault = (area: Finding['area'], says: string, mend: string): Finding => ({
  area,
  level: 'fault',
  says,
  mend,
});

/** Node's and the drivers' errors are often empty outside and say more inside. */
export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof AggregateError && error.errors.length > 0)
    return [...new Set((error.errors as unknown[]).map(describeError))].join('; ');
  const { code } = error as NodeJS.ErrnoException;
  if (error.cause !== undefined && (error.message === '' || code === 'service.unavailable'))
    return describeError(error.cause);
  return error.message || code || error.name;
}
