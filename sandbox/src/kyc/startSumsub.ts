/**
 * `kyc/` stands in for Sumsub: the same paths, bodies, signatures and webhooks, and a local page for approving and
 * rejecting identity checks. Anyone who opens the page can approve any applicant, so it listens only on this machine;
 * its token begins with `sbx:`, which a production server refuses.
 */

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { surviveSocketErrors } from '../../../server/src/http/connections/surviveSocketErrors.ts';
import { StartFault } from '../fault.ts';
import { readBody } from '../readBody.ts';
import { type ApiContext, answerApi, fault } from './answerApi.ts';
import { answerDesk } from './answerDesk.ts';
import { type Applicants, openApplicants } from './applicants.ts';
import { findDecision } from './decisions.ts';
import { type ApiKeys, findSignatureFault } from './findSignatureFault.ts';
import { renderEvent, sendWebhook } from './sendWebhook.ts';
import type { Switches } from './switches.ts';

interface SumsubOptions extends ApiKeys {
  readonly port?: number;
  readonly host?: string;
  readonly level: string;
  readonly webhookSecret: string;
  /** Where events are sent. It can be set later, because the receiving server needs our address first. */
  readonly webhookUrl?: string;
  /** The file for the applicants. */
  readonly file?: string;
  /** The name of a user id, to be shown on the page. */
  readonly nameOf?: (userId: string) => string | undefined;
  readonly log?: (line: string) => void;
}

export interface RunningSumsub {
  readonly url: string;
  readonly applicants: Applicants;
  readonly switches: Switches;
  /** Does the same as a button on the page. Resolves when the event was delivered. */
  decide(applicantId: string, decision: string): Promise<void>;
  setWebhookUrl(url: string): void;
  stop(): Promise<void>;
}

const SLOW_MS = 20_000;
const BODY_LIMIT_BYTES = 100_000;
const LOOPBACK = /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/;

export async function startSumsub(options: SumsubOptions): Promise<RunningSumsub> {
  const { host = '127.0.0.1', log = () => {}, nameOf = () => undefined } = options;
  if (!['127.0.0.1', 'localhost', '::1'].includes(host)) {
    throw new StartFault(`The sandbox's KYC double approves anyone, so it listens on 127.0.0.1 only, not on ${host}.`);
  }
  const applicants = openApplicants(options.file);
  const switches: Switches = { slow: false, down: false, twice: false, mute: false };
  const stopping = new AbortController();
  let webhookUrl = options.webhookUrl;

  async function notify(applicantId: string, event: string): Promise<void> {
    const applicant = applicants.find(applicantId);
    if (!applicant || !webhookUrl || switches.mute) return;
    const hook = { url: webhookUrl, secret: options.webhookSecret, log, stopping: stopping.signal };
    const body = renderEvent(applicant, event);
    await Promise.all((switches.twice ? [body, body] : [body]).map((one) => sendWebhook(hook, one)));
  }

  async function decide(applicantId: string, name: string): Promise<void> {
    const applicant = applicants.find(applicantId);
    const decision = findDecision(name);
    if (!applicant || !decision) throw new StartFault(`There is no applicant ${applicantId} or no decision ${name}.`);
    applicants.review(applicant, decision.reviewStatus, decision.reviewResult);
    await notify(applicantId, decision.event);
  }

  const context: ApiContext = {
    applicants,
    tokens: new Map(),
    levels: [options.level],
    notify: (id, event) => void notify(id, event),
  };

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = `http://double${request.url}`;
    const body = await readBody(request, BODY_LIMIT_BYTES);
    if (!LOOPBACK.test(request.headers.host ?? '') || !URL.canParse(url) || !body) {
      return sendJson(response, fault(400, 'Bad request'));
    }
    const call = { method: request.method ?? '', url: new URL(url), body, headers: request.headers };
    if (!call.url.pathname.startsWith('/resources/')) {
      const { status, headers, html } = answerDesk(
        { applicants, tokens: context.tokens, switches, decide, nameOf },
        call,
      );
      response.writeHead(status, headers).end(html);
      return;
    }
    if (switches.slow) await sleep(SLOW_MS, undefined, { signal: stopping.signal, ref: false });
    if (switches.down) return sendJson(response, fault(503, 'Service unavailable'));
    const unsigned = findSignatureFault(options, { ...call, path: request.url ?? '' });
    sendJson(response, unsigned ? fault(401, unsigned) : answerApi(context, call));
  }

  const server = createServer((request, response) => {
    answer(request, response).catch((error: Error) => {
      if (stopping.signal.aborted) return void response.destroy();
      log(`KYC double: ${error.message}`);
      if (!response.headersSent) sendJson(response, fault(500, 'The double failed; the sandbox shows why'));
    });
  });
  surviveSocketErrors(server);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port: options.port ?? 0 }, resolve);
  });

  return {
    url: `http://${host === '::1' ? '[::1]' : host}:${(server.address() as AddressInfo).port}`,
    applicants,
    switches,
    decide,
    setWebhookUrl: (url) => {
      webhookUrl = url;
    },
    stop: () =>
      new Promise((resolve) => {
        stopping.abort();
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function sendJson(response: ServerResponse, { status, body }: { status: number; body: unknown }): void {
  response.writeHead(status, { 'content-type': 'application/json;charset=utf-8', 'cache-control': 'no-store' });
  response.end(JSON.stringify(body));
}
