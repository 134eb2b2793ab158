/** A connection between two processes that can be cut, silenced or slowed down. */
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { proxyDatabase } from '../database/proxyDatabase.ts';

/**
 * `cut`: connections are reset, and new ones too. `silent`: connections stay open and nothing arrives, as when a cable
 * is pulled out; everything arrives when it ends. `slow`: every packet is delayed.
 */
type Disturbance = 'cut' | 'silent' | 'slow';
export const DISTURBANCES: readonly Disturbance[] = ['cut', 'silent', 'slow'];

const SLOW_MS = 20;

export interface Link {
  /** The same URL, through the link. */
  readonly url: string;
  /** Until the returned function is called. */
  disturb(how: Disturbance): () => void;
  remove(): Promise<void>;
}

export async function openLink(target: string): Promise<Link> {
  let now: Disturbance | undefined;
  let restored: Promise<void> = Promise.resolve();

  async function forward(from: Socket, to: Socket): Promise<void> {
    for await (const part of from) {
      await (now === 'slow' ? sleep(SLOW_MS) : restored);
      if (to.destroyed) return;
      to.write(part as Buffer);
    }
    to.end();
  }

  const { url, breakConnections, remove } = await proxyDatabase(target, (near, far, end) => {
    if (now === 'cut') return end();
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const)
      forward(from, to).catch(end);
  });
  return {
    url,
    disturb(how) {
      now = how;
      let restore = () => {};
      if (how === 'silent') {
        restored = new Promise((done) => {
          restore = done;
        });
      }
      if (how === 'cut') breakConnections();
      return () => {
        now = undefined;
        restore();
      };
    },
    remove,
  };
}
