import { beforeEach, describe, expect, test } from 'vitest';
import type { TransferEvent } from '../../../../src/core/events/events.js';
import type { StoreRequest } from '../../../../src/core/events/observer.js';
import type { Attributes, Span } from '../../../../src/core/diagnostics/observe/nested-span.js';
import { OperationSpans } from '../../../../src/core/diagnostics/observe/spans.js';

interface Kept {
  readonly name: string;
  readonly parent: string | undefined;
  attributes: Attributes;
  readonly events: string[];
  ended: string | undefined;
  readonly beganMs: number;
  endedMs: number | undefined;
}

const FOLDER = 'uploads/20251114-093012-1a2b3c4d';
let kept: Kept[] = [];
let spans: OperationSpans;
let clockMs = 1000;

beforeEach(() => {
  kept = [];
  clockMs = 1000;
  const known = new Map<Span, Kept>();
  spans = new OperationSpans(
    {
      begin(name, attributes, { parent, atMs }) {
        const one: Kept = {
          name,
          attributes,
          parent: parent && known.get(parent)?.name,
          events: [],
          beganMs: atMs,
          endedMs: undefined,
          ended: undefined,
        };
        const span: Span = {
          set: (more) => (one.attributes = { ...one.attributes, ...more }),
          event: (what, about) => void one.events.push(`${what} ${JSON.stringify(about)}`),
          end: (atMs, failure) => {
            one.ended = failure ?? 'well';
            one.endedMs = atMs;
          },
        };
        known.set(span, one);
        kept.push(one);
        return span;
      },
    },
    {},
    () => clockMs,
  );
});

const START: TransferEvent = { type: 'start', operation: 'upload', source: '/data', target: 's3://bucket/lab' };
const TRANSFER: TransferEvent = { type: 'phase', phase: 'transferring' };
const chunk = (state: 'started' | 'packed' | 'finished', of = 7): TransferEvent => ({
  type: 'chunk',
  state,
  chunk: of,
  shard: 1,
  rawBytes: 100,
  storedBytes: 10,
});
const request = (change: Partial<StoreRequest>): StoreRequest => ({
  kind: 'put',
  storageClass: 'STANDARD',
  bytes: 10,
  startedMs: clockMs,
  durationMs: 1,
  ...change,
});
const sent = (change: Partial<StoreRequest>): void => spans.onRequest(request(change))(request(change));
const tell = (...events: readonly TransferEvent[]): void => events.forEach((event) => spans.take(event));
const named = (name: string): Kept[] => kept.filter((one) => one.name === name);

describe('spans of an operation', () => {
  test('attempts at a chunk lie in its span, numbered, and failed ones say the kind of failure', () => {
    const key = `${FOLDER}/shard-01/chunk-000007.tar.zst`;
    tell(START, TRANSFER, chunk('started'), chunk('packed'));

    sent({ key, code: 'store' });
    sent({ key });
    tell(chunk('finished'));

    expect(
      named('put').map(({ parent, ended, attributes }) => [parent, ended, attributes['archiver.attempt']]),
    ).toEqual([
      ['chunk', 'store', 1],
      ['chunk', 'well', 2],
    ]);
    expect([named('pack')[0]?.ended, named('chunk')[0]?.ended]).toEqual(['well', 'well']);
  });

  test.each([
    [`${FOLDER}/manifest.json.gz`, 'manifest'],
    [`${FOLDER}/manifest/000001-0123abcd.json.gz`, 'segment'],
    ['datasets/data-1a2b3c4d/v00000001.json', 'record'],
    [`${FOLDER}/files/private/name`, 'file'],
    ['writers/nas-1/status.json', undefined],
  ])('%s is told as %s, and no span has its key', (key, role) => {
    tell(START, TRANSFER);

    sent({ key });

    const [put] = named('put');
    expect([put?.parent, put?.attributes['archiver.object']]).toEqual(['transfer', role]);
    expect(JSON.stringify(kept)).not.toContain(key.split('/')[1]);
    expect(JSON.stringify(kept)).not.toContain('private');
  });

  test('a retry is an event of the part that it holds up', () => {
    tell(START, TRANSFER, {
      type: 'retry',
      request: `put ${FOLDER}/files/private`,
      service: 'store',
      attempt: 1,
      maxAttempts: 5,
      waitMs: 200,
      trouble: 'busy',
      reason: 'SlowDown for private',
    });

    expect(named('transfer')[0]?.events).toEqual([
      'retry {"service":"store","trouble":"busy","attempt":1,"max_attempts":5,"wait_ms":200}',
    ]);
  });

  test('what has not ended ends with its operation, and failed with it', () => {
    tell(START, TRANSFER, chunk('started'), { type: 'skip', path: 'private', reason: 'EACCES private' });

    tell({ type: 'end', outcome: { status: 'failed', code: 'no-space', message: 'private is full', hint: undefined } });

    expect(kept.map(({ name, ended }) => [name, ended])).toEqual([
      ['upload', 'no-space'],
      ['transfer', 'no-space'],
      ['chunk', 'no-space'],
      ['pack', 'no-space'],
    ]);
    expect(named('upload')[0]?.attributes['archiver.skipped']).toBe(1);
    expect(JSON.stringify(kept)).not.toContain('private');
  });

  test('an interruption is no failure', () => {
    tell(START, { type: 'end', outcome: { status: 'interrupted' } });

    expect(named('upload')[0]).toMatchObject({ ended: 'well', attributes: { 'archiver.outcome': 'interrupted' } });
  });

  test('the place of a restore is that of its upload', () => {
    tell({ type: 'start', operation: 'restore', source: `s3://bucket/lab/${FOLDER}`, target: '/private' });

    expect(named('restore')[0]?.attributes).toEqual({ 'archiver.store': 's3://bucket/lab' });
  });

  test('a request outside of operations is of no trace', () => {
    sent({});

    expect(kept).toEqual([]);
  });

  test('a request that outlives its part holds it open, and so does what it fetches a chunk', () => {
    tell(START, { type: 'phase', phase: 'scanning' });
    const begun = request({ kind: 'list', startedMs: 1000 });
    const ended = spans.onRequest(begun);
    clockMs = 1005;
    tell(TRANSFER, chunk('started'));
    const put = request({ key: `${FOLDER}/shard-01/chunk-000007.tar.zst` });
    const putEnded = spans.onRequest(put);
    clockMs = 1010;
    tell(chunk('finished'), { type: 'phase', phase: 'finishing' });

    expect(named('scan')[0]?.endedMs).toBeUndefined();
    ended({ ...begun, durationMs: 20 });
    putEnded({ ...put, durationMs: 25 });
    clockMs = 1040;
    tell({ type: 'end', outcome: { status: 'done' } });

    expect(kept.map(({ name, parent, beganMs, endedMs }) => [name, parent, beganMs, endedMs])).toEqual([
      ['upload', undefined, 1000, 1040],
      ['scan', 'upload', 1000, 1020],
      ['list', 'scan', 1000, 1020],
      ['transfer', 'upload', 1005, 1030],
      ['chunk', 'transfer', 1005, 1030],
      ['pack', 'chunk', 1005, 1010],
      ['put', 'chunk', 1005, 1030],
      ['finish', 'upload', 1010, 1040],
    ]);
  });

  test('a request that outlives its operation ends with it, as one that is not finished', () => {
    tell(START, TRANSFER);
    const begun = request({ kind: 'get' });
    const ended = spans.onRequest(begun);
    clockMs = 1010;
    tell({ type: 'end', outcome: { status: 'interrupted' } });

    ended({ ...begun, durationMs: 500, code: 'store' });

    expect(named('get')[0]).toMatchObject({
      ended: 'well',
      endedMs: 1010,
      attributes: { 'archiver.unfinished': true },
    });
    expect(named('upload')[0]?.endedMs).toBe(1010);
  });

  test('a page that is not there is no request, and holds nothing open', () => {
    tell(START, TRANSFER);

    spans.onRequest(request({ kind: 'list' }))(undefined);
    tell({ type: 'end', outcome: { status: 'done' } });

    expect(kept.map(({ name, ended }) => [name, ended])).toEqual([
      ['upload', 'well'],
      ['transfer', 'well'],
      ['list', undefined],
    ]);
  });

  test('a request to a server has the attributes of HTTP clients and its bucket', () => {
    tell(START, TRANSFER);
    const http = { method: 'PUT', host: 's3.example.org', port: 443, status: 503 };

    sent({ bucket: 'bucket', code: 'store', http });

    expect(named('put')[0]?.attributes).toMatchObject({
      'aws.s3.bucket': 'bucket',
      'http.request.method': 'PUT',
      'http.response.status_code': 503,
      'server.address': 's3.example.org',
      'server.port': 443,
    });
  });
});
