export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests read answers the way a client without types does
  readonly body: any;
}

/** The body is parsed if it is JSON, and text otherwise. */
export async function readAnswer(response: Response): Promise<Answer> {
  const text = await response.text();
  const isJson = text !== '' && response.headers.get('content-type')?.includes('json');
  return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text };
}

export const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
