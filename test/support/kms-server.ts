// KMS over HTTP in this process: answers from a fake, or hands requests on to a real server, and fails when it is told to.
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { isArchiverError } from '../../src/core/platform/failures/errors.js';
import { fakeKms } from './fake-kms.js';

export interface KmsFault {
  readonly operation: 'GenerateDataKey' | 'Decrypt';
  /** Without it the connection is cut. */
  readonly type?: string;
  readonly message?: string;
  readonly status?: number;
  /** An answer instead of an error. */
  readonly answer?: Body;
  /** How often; for ever when it is not given. */
  readonly times?: number;
}

export interface KmsServer {
  readonly endpoint: string;
  /** Operations in the order in which they were asked for. */
  readonly asked: string[];
  /** The region that each request was signed for. */
  readonly regions: string[];
  fail(fault: KmsFault): void;
  /** No more faults, nothing asked. */
  clear(): void;
  close(): Promise<void>;
}

type Body = Readonly<Record<string, unknown>>;
interface Answer {
  readonly status: number;
  readonly body: Body;
}

/** Starts it; `upstream` is the real server. */
export async function startKmsServer(upstream?: string): Promise<KmsServer> {
  const kms = fakeKms();
  const asked: string[] = [];
  const regions: string[] = [];
  let faults: (KmsFault & { left: number })[] = [];

  const answerOf = async (operation: string, body: Body): Promise<Answer> => {
    const context = (body['EncryptionContext'] ?? {}) as Record<string, string>;
    const keyId = String(body['KeyId']);
    try {
      if (operation === 'Decrypt') {
        const wrappedKey = Buffer.from(String(body['CiphertextBlob']), 'base64');
        const dataKey = await kms.decrypt({ kmsKeyId: keyId, wrappedKey }, context);
        return { status: 200, body: { KeyId: keyId, Plaintext: dataKey.toString('base64') } };
      }
      const { kmsKeyId, wrappedKey, dataKey } = await kms.generate(keyId, context);
      const [CiphertextBlob, Plaintext] = [wrappedKey.toString('base64'), dataKey.toString('base64')];
      return { status: 200, body: { KeyId: kmsKeyId, CiphertextBlob, Plaintext } };
    } catch (error) {
      if (!isArchiverError(error)) throw error;
      return { status: 400, body: { __type: 'InvalidCiphertextException' } };
    }
  };

  const server = http.createServer((request, response) => {
    const serve = async (): Promise<void> => {
      const pieces: Buffer[] = [];
      for await (const piece of request as AsyncIterable<Buffer>) pieces.push(piece);
      const sent = Buffer.concat(pieces);
      const operation = String(request.headers['x-amz-target']).replace('TrentService.', '');
      asked.push(operation);
      regions.push(/\/([a-z0-9-]+)\/kms\/aws4_request/.exec(request.headers.authorization ?? '')?.[1] ?? '');
      const fault = faults.find((one) => one.operation === operation && one.left > 0);
      if (fault !== undefined) {
        fault.left--;
        if (fault.answer !== undefined) return send({ status: 200, body: fault.answer });
        if (fault.type === undefined) return void request.socket.destroy();
        const { type, message = '', status = 400 } = fault;
        return send({ status, body: { __type: type, message } });
      }
      if (upstream === undefined) return send(await answerOf(operation, JSON.parse(sent.toString('utf8')) as Body));
      const { host: _host, connection: _connection, 'content-length': _length, ...headers } = request.headers;
      const answer = await fetch(upstream, { method: 'POST', headers: headers as Record<string, string>, body: sent });
      send({ status: answer.status, body: (await answer.json()) as Body });
    };
    const send = ({ status, body }: Answer): void => {
      response.writeHead(status, { 'content-type': 'application/x-amz-json-1.1' });
      response.end(JSON.stringify(body));
    };
    serve().catch((error: unknown) => response.destroy(error as Error));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    regions,
    fail: (fault) => faults.push({ ...fault, left: fault.times ?? Number.POSITIVE_INFINITY }),
    clear: () => {
      faults = [];
      asked.length = regions.length = 0;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
