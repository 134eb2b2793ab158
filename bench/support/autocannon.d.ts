/** The part of autocannon that we call; it comes without types. */
declare module 'autocannon' {
  interface Options {
    readonly url: string;
    readonly method: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: string;
    readonly connections: number;
    /** Seconds. */
    readonly duration: number;
  }
  interface Result {
    /** Seconds. */
    readonly duration: number;
    readonly requests: { readonly total: number };
    readonly errors: number;
    readonly '2xx': number;
    readonly non2xx: number;
    readonly statusCodeStats?: Readonly<Record<string, { readonly count: number }>>;
  }
  export default function autocannon(options: Options): Promise<Result>;
}
