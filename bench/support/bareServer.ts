/** A bare Fastify that answers every page of history with the same bytes, which its parent sends it. */
import fastify from 'fastify';

process.once('message', async (body) => {
  const app = fastify({ logger: false });
  app.get('/api/v1/latest_transactions_by_username/:username', (_request, reply) => {
    reply.header('content-type', 'application/json').send(body);
  });
  process.send?.(await app.listen({ host: '127.0.0.1', port: 0 }));
});
process.on('disconnect', () => process.exit(0));
