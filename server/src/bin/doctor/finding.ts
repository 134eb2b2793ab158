/** The findings of `florin doctor`. */
export const AREAS = [
  'configuration',
  'database',
  'signer',
  'networks',
  'clocks',
  'gas',
  'payments',
  'operators',
  'webhooks',
] as const;

export interface Finding {
  readonly area: (typeof AREAS)[number];
  /** `fault`: something does not work. `warning`: it will fail, or it is probably not intended. */
  readonly level: 'ok' | 'warning' | 'fault';
  readonly says: string;
  /** The fix: a command, or the page that describes it. */
  readonly fix?: string;
}

export const ok = (area: Finding['area'], says: string): Finding => ({ area, level: 'ok', says });
export const warning = (area: Finding['area'], says: string, fix: string): Finding => ({
  area,
  level: 'warning',
  says,
  fix,
});
export const fault = (area: Finding['area'], says: string, fix: string): Finding => ({
  area,
  level: 'fault',
  says,
  fix,
});

/** The outer errors of Node and the drivers are often empty; the inner ones say more. */
export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof AggregateError && error.errors.length > 0)
    return [...new Set((error.errors as unknown[]).map(describeError))].join('; ');
  const { code } = error as NodeJS.ErrnoException;
  if (error.cause !== undefined && (error.message === '' || code === 'service.unavailable'))
    return describeError(error.cause);
  return error.message || code || error.name;
}
