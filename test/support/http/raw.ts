import { connect } from 'node:net';
import { connect as connectTls } from 'node:tls';

/** Everything that the server sends until it closes the connection; over TLS if an authority is given. */
export const raw = (url: string, text: string, authority?: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const { hostname: host, port } = new URL(url);
    let heard = '';
    const speak = () => socket.write(text);
    const socket = authority
      ? connectTls({ host, port: Number(port), ca: authority }, speak)
      : connect(Number(port), host, speak);
    socket.on('data', (chunk) => {
      heard += chunk;
    });
    socket.on('close', () => resolve(heard));
    socket.on('error', reject);
  });
export const statusOf = (heard: string) => /^HTTP\/1\.1 (\d+)/.exec(heard)?.[1] ?? 'nothing';
