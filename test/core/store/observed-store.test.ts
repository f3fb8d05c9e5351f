import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { openStore } from '../../../src/core/store/open-store.js';
import type { ObjectStore } from '../../../src/core/store/object-store.js';
import { readAll } from '../../../src/core/store/read-content.js';
import type { OnRequest, StoreRequest } from '../../../src/core/events/observer.js';
import { tempFolder } from '../../support/temp-folder.js';

let requests: StoreRequest[] = [];
let store: ObjectStore;
let folder = '';

beforeEach(async () => {
  requests = [];
  folder = await tempFolder();
  const onRequest: OnRequest = () => (ended) => void (ended && requests.push(ended));
  ({ store } = await openStore(`file://${folder}`, { env: {}, onRequest }));
});

const told = (): unknown => requests.map(({ kind, key, bytes, code }) => ({ kind, key, bytes, code }));

describe('an observed store', () => {
  test('tells of what was written, listed and read, with its bytes', async () => {
    await store.put('a/b', Buffer.from('twelve bytes'));
    for await (const _ of store.list());
    const content = await store.get('a/b', { range: { start: 0, end: 6 } });
    expect(requests).toHaveLength(2); // not before its last byte
    await readAll(content, 100);

    await expect.poll(() => requests.length).toBe(3);
    expect(told()).toEqual([
      { kind: 'put', key: 'a/b', bytes: 12, code: undefined },
      { kind: 'list', key: undefined, bytes: 0, code: undefined },
      { kind: 'get', key: 'a/b', bytes: 6, code: undefined },
    ]);
  });

  test('tells the kind of a failure', async () => {
    writeFileSync(join(folder, 'there'), 'x');
    await expect(store.get('none')).rejects.toMatchObject({ code: 'not-found' });
    await expect(store.put('there', Buffer.from('y'), { ifAbsent: true })).rejects.toMatchObject({
      code: 'conflict',
    });

    expect(told()).toEqual([
      { kind: 'get', key: 'none', bytes: 0, code: 'not-found' },
      { kind: 'put', key: 'there', bytes: 1, code: 'conflict' },
    ]);
  });

  test('says when a request began and how long it took', async () => {
    const before = Date.now();
    await store.head('none');

    const [{ startedMs, durationMs } = { startedMs: 0, durationMs: -1 }] = requests;
    expect(startedMs).toBeGreaterThan(before - 1000);
    expect(startedMs + durationMs).toBeLessThanOrEqual(performance.timeOrigin + performance.now());
    expect(durationMs).toBeGreaterThanOrEqual(0);
  });
});
