/** Query and path parameters, by name. */
export type Given = Readonly<Record<string, string | undefined>>;
export type Row = Readonly<Record<string, unknown>>;
