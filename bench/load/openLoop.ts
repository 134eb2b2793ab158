/**
 * Payments that arrive at a fixed mean rate, whether earlier ones were answered or not, as from many independent people.
 * The intervals are random (a Poisson process). A latency counts from the moment in which the payment was due, so a server
 * that pauses is charged for everyone who waited meanwhile (no coordinated omission). Runs as a separate process: its
 * parent sends it an `OpenLoad` and gets an `Answered`.
 */
import { randomUUID } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Load } from './p2pLoad.ts';

export interface OpenLoad {
  readonly url: string;
  readonly people: Load['people'];
  /** Payments per second. */
  readonly rate: number;
  readonly seconds: number;
}

export interface Answered {
  /** Milliseconds, sorted. */
  readonly latenciesMs: readonly number[];
  /** Other answers than 200, and connections that broke. */
  readonly refused: number;
}

/** More payments than this never wait at the same time: the connections of a large service. */
const MAX_CONNECTIONS = 1_024;

interface Due {
  readonly atMs: number;
  readonly text: string;
}

function openLoop({ url, people, rate, seconds }: OpenLoad): Promise<Answered> {
  const { host, hostname, port } = new URL(url);
  const latenciesMs: number[] = [];
  let refused = 0;
  let open = 0;
  const idle: Socket[] = [];
  const waiting: Due[] = [];
  const sent = new WeakMap<Socket, Due>();

  function connectOne(): void {
    open++;
    const socket = connect({ host: hostname, port: Number(port), noDelay: true });
    let text = '';
    socket.setEncoding('latin1');
    socket.on('connect', () => release(socket));
    socket.on('data', (part: string) => {
      text += part;
      const head = text.indexOf('\r\n\r\n');
      const length = Number(/content-length: (\d+)/i.exec(text)?.[1] ?? Number.NaN);
      if (head < 0 || !(text.length >= head + 4 + length)) return;
      if (text.startsWith('HTTP/1.1 200 ')) latenciesMs.push(performance.now() - sent.get(socket)!.atMs);
      else refused++;
      text = '';
      sent.delete(socket);
      release(socket);
    });
    socket.on('error', () => undefined);
    socket.on('close', () => {
      open--;
      if (sent.has(socket)) refused++;
      const at = idle.indexOf(socket);
      if (at >= 0) idle.splice(at, 1);
    });
  }

  function send(socket: Socket, due: Due): void {
    sent.set(socket, due);
    socket.write(due.text);
  }

  function release(socket: Socket): void {
    const due = waiting.shift();
    if (due) send(socket, due);
    else idle.push(socket);
  }

  function arrive(due: Due): void {
    const socket = idle.pop();
    if (socket) send(socket, due);
    else waiting.push(due);
    if (!socket && open < MAX_CONNECTIONS) connectOne();
  }

  const pick = () => people[Math.floor(Math.random() * people.length)]!;
  const run = randomUUID();
  let count = 0;
  function render(): string {
    const sender = pick();
    let receiver = pick();
    while (receiver === sender) receiver = pick();
    const body = `{"sender_user_id":"${sender.userId}","receiver_username":"${receiver.username}","amount":0.001}`;
    const credential = sender.accessToken === undefined ? '' : `Authorization: Bearer ${sender.accessToken}\r\n`;
    const head = `POST /api/v1/send_usdc HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\n${credential}`;
    return `${head}Idempotency-Key: ${run}-${count++}\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  }

  async function drive(): Promise<Answered> {
    const startMs = performance.now();
    let atMs = startMs;
    while (atMs < startMs + seconds * 1_000) {
      for (const nowMs = performance.now(); atMs <= nowMs; ) {
        arrive({ atMs, text: render() });
        atMs += (-Math.log(1 - Math.random()) * 1_000) / rate;
      }
      await sleep(1);
    }
    while (latenciesMs.length + refused < count) await sleep(5);
    // A server has a limit of connections, and the next load needs some.
    for (const socket of idle.splice(0)) socket.destroy();
    return { latenciesMs: latenciesMs.sort((a, b) => a - b), refused };
  }

  return drive();
}

process.on('message', async (load: OpenLoad) => process.send!(await openLoop(load)));
process.on('disconnect', () => process.exit(0));
