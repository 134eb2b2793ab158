/** Facts about the service that the console's server writes into its page. The console imports this type. */
export interface ConsoleFacts {
  readonly name: string;
  readonly home_blockchain: string;
  readonly explorers: Readonly<Record<string, string>>;
  readonly wallet_url: string | null;
  readonly idle_seconds: number;
  readonly session_seconds: number;
  readonly sandbox: { readonly operators: readonly { readonly name: string; readonly role: string }[] } | null;
}
