// A collector of traces in this process: takes OTLP over HTTP in protobuf, and reads it by its own few lines
// (opentelemetry-proto: collector/trace/v1, trace/v1, common/v1).
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export interface ReceivedSpan {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string;
  readonly startNs: bigint;
  readonly endNs: bigint;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly events: readonly { readonly name: string; readonly attributes: Readonly<Record<string, unknown>> }[];
  readonly isError: boolean;
  readonly resource: Readonly<Record<string, unknown>>;
}

export interface OtlpReceiver {
  readonly url: string;
  readonly spans: ReceivedSpan[];
  readonly requests: { readonly path: string; readonly headers: http.IncomingHttpHeaders; readonly body: Buffer }[];
}

type Field = bigint | Buffer;
type Message = ReadonlyMap<number, readonly Field[]>;

function varint(bytes: Buffer, from: number): readonly [value: bigint, next: number] {
  let value = 0n;
  for (let at = from, shift = 0n; ; at++, shift += 7n) {
    const byte = bytes[at];
    if (byte === undefined) throw new Error('a varint without an end');
    value |= BigInt(byte & 0x7f) << shift;
    if (byte < 0x80) return [value, at + 1];
  }
}

function decode(bytes: Buffer): Message {
  const fields = new Map<number, Field[]>();
  for (let at = 0; at < bytes.length;) {
    const [tag, start] = varint(bytes, at);
    const number = Number(tag >> 3n);
    const wire = Number(tag & 7n);
    let field: Field;
    if (wire === 0) [field, at] = varint(bytes, start);
    else if (wire === 1) {
      field = bytes.readBigUInt64LE(start);
      at = start + 8;
    } else if (wire === 5) {
      field = BigInt(bytes.readUInt32LE(start));
      at = start + 4;
    } else if (wire === 2) {
      const [length, from] = varint(bytes, start);
      at = from + Number(length);
      if (at > bytes.length) throw new Error('a field that ends too early');
      field = bytes.subarray(from, at);
    } else throw new Error(`wire type ${wire}`);
    fields.set(number, [...(fields.get(number) ?? []), field]);
  }
  return fields;
}

const partsOf = (message: Message, number: number): readonly Buffer[] =>
  (message.get(number) ?? []).filter((field) => Buffer.isBuffer(field));
const messagesOf = (message: Message, number: number): readonly Message[] => partsOf(message, number).map(decode);
const textOf = (message: Message, number: number): string => partsOf(message, number)[0]?.toString() ?? '';
const numberOf = (message: Message, number: number): bigint => {
  const [field] = message.get(number) ?? [];
  return typeof field === 'bigint' ? field : 0n;
};
const hexOf = (message: Message, number: number): string => partsOf(message, number)[0]?.toString('hex') ?? '';

function valueOf(any: Message): unknown {
  if (any.has(1)) return textOf(any, 1);
  if (any.has(2)) return numberOf(any, 2) === 1n;
  if (any.has(3)) return Number(BigInt.asIntN(64, numberOf(any, 3)));
  const bits = Buffer.alloc(8);
  bits.writeBigUInt64LE(numberOf(any, 4));
  return bits.readDoubleLE();
}

const attributesOf = (message: Message, number: number): Record<string, unknown> =>
  Object.fromEntries(
    messagesOf(message, number).map((pair) => [textOf(pair, 1), valueOf(messagesOf(pair, 2)[0] ?? new Map())]),
  );

const spansIn = (body: Buffer): readonly ReceivedSpan[] =>
  messagesOf(decode(body), 1).flatMap((ofResource) => {
    const resource = attributesOf(messagesOf(ofResource, 1)[0] ?? new Map(), 1);
    return messagesOf(ofResource, 2).flatMap((ofScope) =>
      messagesOf(ofScope, 2).map((span) => ({
        name: textOf(span, 5),
        traceId: hexOf(span, 1),
        spanId: hexOf(span, 2),
        parentSpanId: hexOf(span, 4),
        startNs: numberOf(span, 7),
        endNs: numberOf(span, 8),
        attributes: attributesOf(span, 9),
        events: messagesOf(span, 11).map((event) => ({ name: textOf(event, 2), attributes: attributesOf(event, 3) })),
        isError: messagesOf(span, 15).some((status) => numberOf(status, 3) === 2n),
        resource,
      })),
    );
  });

/** `status`: how it answers; `silent`: never. */
export async function startOtlp(status: number | 'silent' = 200): Promise<OtlpReceiver> {
  const spans: ReceivedSpan[] = [];
  const requests: { path: string; headers: http.IncomingHttpHeaders; body: Buffer }[] = [];
  const server = http.createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.once('end', () => {
      const body = Buffer.concat(parts);
      requests.push({ path: request.url ?? '', headers: request.headers, body });
      if (status === 200) spans.push(...spansIn(body));
      if (status !== 'silent') response.writeHead(status, { 'content-type': 'application/x-protobuf' }).end();
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, spans, requests };
}
