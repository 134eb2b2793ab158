/** Apps that follow their people's events: `GET /api/v1/events/stream`, read with as little work as possible. */
import { Agent, get, type IncomingMessage } from 'node:http';

interface Streams {
  /** The delay of each event from its time to its arrival, in milliseconds. */
  readonly delays: readonly number[];
  close(): void;
}

/** Resolves when all have begun. */
export async function openStreams(url: string, accessTokens: readonly string[]): Promise<Streams> {
  const agent = new Agent({ keepAlive: false });
  const delays: number[] = [];
  const answers = await Promise.all(accessTokens.map((token) => open(url, token, agent)));
  for (const answer of answers) {
    let rest = '';
    answer.setEncoding('utf8');
    answer.on('data', (text: string) => {
      const lines = (rest + text).split('\n');
      rest = lines.pop()!;
      for (const line of lines) {
        const at = line.startsWith('data: ') ? /"at":"([^"]+)"/.exec(line)?.[1] : undefined;
        if (at !== undefined) delays.push(Date.now() - Date.parse(at));
      }
    });
    answer.on('error', () => {});
  }
  return {
    delays,
    close: () => {
      for (const answer of answers) answer.destroy();
    },
  };
}

const open = (url: string, token: string, agent: Agent): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}` };
    get(`${url}/api/v1/events/stream`, { agent, headers }, (answer) => {
      if (answer.statusCode === 200) resolve(answer);
      else reject(new Error(`a stream was answered with ${answer.statusCode}`));
    }).on('error', reject);
  });
