/** A bare Fastify that answers every page of history with the same headers and bytes, which its parent sends it. */
import fastify from 'fastify';

interface Answer {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

process.once('message', async (message) => {
  const { body, headers } = message as Answer;
  const app = fastify({ logger: false });
  app.get('/api/v1/latest_transactions_by_username/:username', (_request, reply) => {
    reply.headers(headers).send(body);
  });
  process.send?.(await app.listen({ host: '127.0.0.1', port: 0 }));
});
process.on('disconnect', () => process.exit(0));
