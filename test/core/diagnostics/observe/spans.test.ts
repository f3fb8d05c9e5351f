import { beforeEach, describe, expect, test } from 'vitest';
import type { TransferEvent } from '../../../../src/core/events/events.js';
import type { StoreRequest } from '../../../../src/core/events/observer.js';
import { type Attributes, OperationSpans, type Span } from '../../../../src/core/diagnostics/observe/spans.js';

interface Kept {
  readonly name: string;
  readonly parent: string | undefined;
  attributes: Attributes;
  readonly events: string[];
  ended: string | undefined;
}

const FOLDER = 'uploads/20251114-093012-1a2b3c4d';
let kept: Kept[] = [];
let spans: OperationSpans;

beforeEach(() => {
  kept = [];
  const known = new Map<Span, Kept>();
  spans = new OperationSpans(
    {
      begin(name, attributes, parent) {
        const one: Kept = {
          name,
          attributes,
          parent: parent && known.get(parent)?.name,
          events: [],
          ended: undefined,
        };
        const span: Span = {
          set: (more) => (one.attributes = { ...one.attributes, ...more }),
          event: (what, about) => void one.events.push(`${what} ${JSON.stringify(about)}`),
          end: (_, failure) => (one.ended = failure ?? 'well'),
        };
        known.set(span, one);
        kept.push(one);
        return span;
      },
    },
    {},
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
  startedMs: 0,
  durationMs: 1,
  ...change,
});
const tell = (...events: readonly TransferEvent[]): void => events.forEach((event) => spans.take(event));
const named = (name: string): Kept[] => kept.filter((one) => one.name === name);

describe('spans of an operation', () => {
  test('attempts at a chunk lie in its span, numbered, and failed ones say the kind of failure', () => {
    const key = `${FOLDER}/shard-01/chunk-000007.tar.zst`;
    tell(START, TRANSFER, chunk('started'), chunk('packed'));

    spans.onRequest(request({ key, code: 'store' }));
    spans.onRequest(request({ key }));
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
    ['datasets/data-1a2b3c4d/v00000001.json', 'record'],
    [`${FOLDER}/files/private/name`, 'file'],
    ['writers/nas-1/status.json', undefined],
  ])('%s is told as %s, and no span has its key', (key, role) => {
    tell(START, TRANSFER);

    spans.onRequest(request({ key }));

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
    spans.onRequest(request({}));

    expect(kept).toEqual([]);
  });
});
