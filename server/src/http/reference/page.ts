export interface Page {
  readonly contentType: string;
  readonly body: string | Buffer;
  /** Name, value, name, value. */
  readonly headers: readonly string[];
}
