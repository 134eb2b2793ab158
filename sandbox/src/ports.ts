import { createServer } from 'node:net';

const HOST = '127.0.0.1';

export async function isPortFree(port: number): Promise<boolean> {
  return (await tryListen(port)) !== undefined;
}

export async function findFreePort(preferred?: number): Promise<number> {
  if (preferred !== undefined && (await isPortFree(preferred))) return preferred;
  const port = await tryListen(0);
  if (port === undefined) throw new Error(`no free port on ${HOST}`);
  return port;
}

function tryListen(port: number): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE' || error.code === 'EACCES') resolve(undefined);
      else reject(error);
    });
    server.listen({ port, host: HOST, exclusive: true }, () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : undefined));
    });
  });
}
