import { request } from 'node:https';
import { json } from 'node:stream/consumers';

/** The body of a successful answer, over TLS with a certificate of this authority. */
export const postJson = <Body>(
  url: string,
  authority: string,
  given: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<Body> =>
  new Promise((resolve, reject) => {
    const options = { method: 'POST', ca: authority, headers: { ...headers, 'content-type': 'application/json' } };
    const asking = request(url, options, (response) => {
      json(response).then((body) => {
        if (response.statusCode === 200) resolve(body as Body);
        else reject(new Error(`${url} answered ${response.statusCode}: ${JSON.stringify(body)}`));
      }, reject);
    });
    asking.on('error', reject);
    asking.end(JSON.stringify(given));
  });
