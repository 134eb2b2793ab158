/** People and a shop who use a production from outside, over its own certificate; every payment has its own key. */
import { readFileSync } from 'node:fs';
import { request } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TestChain } from '../../../test/support/chain/chain.ts';
import type { TlsIssuer } from '../../../test/support/http/tlsIssuer.ts';

const PATIENCE_MS = 120_000;

interface Answer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: what was answered is compared, not used
  readonly body: any;
}

interface Money {
  /** Logs in, the first time with a name; returns the address of the wallet. */
  arrive(name: string): Promise<string>;
  /** Returns the id of the payment, which is complete. */
  pay(from: string, to: string, amount: string, key: string): Promise<string>;
  /** Returns the id of the send, made with the shop's key. */
  send(from: string, destination: string, amount: string, key: string): Promise<string>;
  /** The chain continues until the send is complete. */
  complete(id: string): Promise<void>;
}

export function openMoney(given: {
  readonly chain: TestChain;
  readonly issuer: TlsIssuer;
  readonly ports: { readonly web3: number; readonly backend: number };
  /** Read at every call, because they are exchanged meanwhile. */
  readonly certFile: string;
  readonly keyFile: string;
}): Money {
  const { chain, issuer, ports } = given;
  const sessions = new Map<string, { readonly userId: string; readonly bearer: string }>();
  const named = new Set<string>();

  const ask = (port: number, method: string, path: string, body?: object, headers: Record<string, string> = {}) =>
    new Promise<Answer>((done, fail) => {
      const ca = readFileSync(given.certFile);
      const type = body && { 'content-type': 'application/json' };
      const options = { host: 'localhost', port, path, method, ca, agent: false, headers: { ...type, ...headers } };
      const asked = request(options, (answer) => {
        let text = '';
        answer.on('data', (part) => (text += part));
        answer.on('end', () => done({ status: answer.statusCode!, body: JSON.parse(text) }));
      });
      asked.on('error', fail);
      asked.end(body && JSON.stringify(body));
    });
  const get200 = async (what: string, asking: Promise<Answer>) => {
    const { status, body } = await asking;
    if (status !== 200) throw new Error(`${what}: ${status} ${JSON.stringify(body)}`);
    return body;
  };
  const asShop = () => ({ authorization: `Bearer ${/fsk_\S+/.exec(readFileSync(given.keyFile, 'utf8'))![0]}` });
  const asPerson = (name: string) => ({ authorization: `Bearer ${sessions.get(name)!.bearer}` });

  return {
    async arrive(name) {
      for (const endsMs = performance.now() + PATIENCE_MS; ; await sleep(200)) {
        const claims = { sub: name, email: `${name}@example.com`, email_verified: true, jti: `${Math.random()}` };
        const login = { id_token: await issuer.sign(claims) };
        const answer = await ask(ports.backend, 'POST', '/api/v1/login', login);
        // On a busy machine the issuer may need longer than a login waits for it.
        if (answer.status === 503 && performance.now() < endsMs) continue;
        const { access_token: bearer, user, wallet } = await get200(`${name} logs in`, Promise.resolve(answer));
        sessions.set(name, { userId: user.user_id, bearer });
        if (!wallet.address && performance.now() < endsMs) continue;
        const wish = { user_id: user.user_id, username: name };
        if (!named.has(name))
          await get200(
            `${name} takes a name`,
            ask(ports.backend, 'POST', '/api/v1/set_username', wish, asPerson(name)),
          );
        named.add(name);
        return wallet.address;
      }
    },
    async pay(from, to, amount, key) {
      const wish = { sender_user_id: sessions.get(from)!.userId, receiver_username: to, amount: Number(amount) };
      const headers = { ...asPerson(from), 'idempotency-key': key };
      const asked = ask(ports.backend, 'POST', '/api/v1/send_usdc', wish, headers);
      return (await get200(`${from} pays ${to}`, asked)).transaction_id;
    },
    async send(from, destination, amount, key) {
      const wish = { destination_address: destination, amount: Number(amount), wallet_username: from };
      const asked = ask(ports.web3, 'POST', '/wallet/send-usdc', wish, { ...asShop(), 'idempotency-key': key });
      return (await get200(`the shop sends for ${from}`, asked)).transaction_id;
    },
    async complete(id) {
      await chain.mineUntil(async () => {
        const { body } = await ask(ports.web3, 'GET', `/circle/transaction/${id}`, undefined, asShop());
        if (body.state !== 'COMPLETE') throw new Error(`${id} is ${body.state ?? JSON.stringify(body)}`);
      });
    },
  };
}
