import type { Logger } from 'pino';
import { PayError } from '../../core/errors.ts';
import { findCertificate } from '../connections/findCertificate.ts';
import { sendPieces } from '../connections/sendPieces.ts';
import { WARNING_HEADER } from './checks/createUnknownCheck.ts';
import type { ItemShape } from './checks/issue.ts';
import { compileOperation, UNREADABLE } from './compileOperation.ts';
import { type Exchange, seeHungUp, send, sendJson, sendProblem } from './exchange.ts';
import type { OpenApiDocument, OperationObject } from './openapi.ts';
import type { ApiAnswer, Authorize, Operation } from './operation.ts';
import { findUuid } from './parseUuid.ts';
import { CLIENT_GONE, readBody } from './readBody.ts';

export type ErrorLog = Pick<Logger, 'error'>;

/** Answers the requests of one route and method. */
export type Target = (
  exchange: Exchange,
  params: Readonly<Record<string, string>>,
  query: string,
) => void | Promise<void>;

export interface TargetOptions {
  /** The parsed OpenAPI document: the single source of routes and validation. */
  readonly document: OpenApiDocument;
  readonly items: ItemShape;
  /** Runs before the body is read; an error it throws is answered. */
  readonly authorize?: Authorize;
  /** The service key of a caller, for the log. */
  readonly findKeyId?: (caller: unknown) => string | undefined;
  readonly logger: ErrorLog | false;
}

/** Handles one call: authorize, read, validate, run, answer. */
export function createTarget(
  { document, items, authorize, findKeyId, logger }: TargetOptions,
  operation: OperationObject,
  run: Operation,
): Target {
  const { operationId } = operation;
  const { readsBody, bodyLimitBytes, validate } = compileOperation(document, operation, items);

  return async (exchange, rawParams, rawQuery) => {
    const { request, requestId, route, address, answerHeaders } = exchange;
    const { headers } = request;
    const certificate = findCertificate(request.socket);
    exchange.operation = operationId;
    try {
      if (exchange.refusal) throw exchange.refusal;
      const found = authorize?.({
        headers,
        requestId,
        operationId,
        route,
        address,
        answerHeaders,
        certificate,
      });
      const caller = found instanceof Promise ? await found : found;
      if (findKeyId) exchange.keyId = findKeyId(caller);
      const bodyBytes = readsBody ? await readBody(request, bodyLimitBytes) : undefined;
      exchange.bodyBytes = bodyBytes;
      const warnings: string[] = [];
      const outcome = validate(rawParams, rawQuery, bodyBytes, headers['content-type'], warnings);
      if (warnings.length > 0) answerHeaders.push(WARNING_HEADER, warnings.join('; '));
      if (outcome === UNREADABLE) sendJson(exchange, 400, '{"detail":"There was an error parsing the body"}');
      else if (Array.isArray(outcome)) sendJson(exchange, 422, `{"detail":[${outcome.join(',')}]}`);
      else {
        // Refused only here, because the document's own checks come first, as in the reference.
        if (!exchange.isPlainPath) throw new PayError('request.malformed');
        const { params, query, body } = outcome;
        const answer = await run({
          params,
          query,
          body,
          bodyBytes,
          headers,
          requestId,
          operationId,
          route,
          caller,
          connection: request.socket,
          certificate,
          address,
          answerHeaders,
        });
        exchange.paymentId = answer.paymentId ?? (params.transaction_id && findUuid(params.transaction_id));
        const sending = sendAnswer(exchange, answer);
        if (sending) await sending;
      }
    } catch (error) {
      sendFailure(exchange, error, logger);
    }
  };
}

/** A `PayError` becomes the answer. Any other error is logged, and the caller only gets `internal.error`. */
export function sendFailure(exchange: Exchange, error: unknown, logger: ErrorLog | false): void {
  if (error === CLIENT_GONE) {
    seeHungUp(exchange);
    return;
  }
  if (error instanceof PayError) {
    sendProblem(exchange, error);
    return;
  }
  if (logger) logger.error({ err: error, request_id: exchange.requestId, route: exchange.route }, 'call failed');
  sendProblem(exchange, new PayError('internal.error', {}, { cause: error }));
}

function sendAnswer(exchange: Exchange, answer: ApiAnswer): Promise<void> | undefined {
  const { status = 200, body, pieces, headers, contentType, isAscii, code } = answer;
  const lines = headers && Object.entries(headers).flat();
  if (pieces) {
    return sendPieces(exchange, { contentType: contentType ?? 'application/json', pieces, headers: lines });
  }
  const text = contentType === undefined ? JSON.stringify(body) : Buffer.isBuffer(body) ? body : String(body);
  send(exchange, { status, contentType: contentType ?? 'application/json', body: text, headers: lines, isAscii, code });
  return undefined;
}
