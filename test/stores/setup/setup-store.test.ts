import { describe, expect, test } from 'vitest';
import type { SetupAnswers, SetupState } from '../../../src/stores/setup/setup-state.js';
import {
  createSetupStore,
  type SetupOptions,
  type SetupPorts,
  type SetupStore,
} from '../../../src/stores/setup/setup-store.js';

const line = (text: string) => ({ text, cursor: text.length });
const settled = async (): Promise<void> => {
  for (let turn = 0; turn < 2; turn++) await new Promise<void>((done) => void setImmediate(() => done()));
};

interface Made {
  readonly store: SetupStore;
  readonly state: () => SetupState;
  readonly seen: SetupAnswers[];
  /** Goes on so many times. */
  readonly next: (times?: number) => Promise<void>;
}

function make(ports: Partial<SetupPorts> = {}, options: Partial<SetupOptions> = {}): Made {
  const seen: SetupAnswers[] = [];
  const store = createSetupStore({
    home: '/home/anna',
    kind: 'folder',
    sources: [{ kind: 'environment' }, { kind: 'profile', name: 'lab', gives: 'keys' }, { kind: 'new' }],
    profile: undefined,
    fields: { folder: '~/archives' },
    settings: new Map(),
    signal: new AbortController().signal,
    ...options,
    ports: {
      saveKeys: () => Promise.resolve(),
      check: () => Promise.resolve({ usability: 'all', capabilities: [], region: 'eu-west-1' }),
      test: () => Promise.resolve(true),
      review: (answers) => {
        seen.push(answers);
        return Promise.resolve({ path: '/c', isNew: true, lines: [] });
      },
      write: () => Promise.resolve(['archiver list']),
      ...ports,
    },
  });
  return {
    store,
    state: store.getState,
    seen,
    async next(times = 1) {
      for (let time = 0; time < times; time++) {
        store.getState().do.next();
        await settled();
      }
    },
  };
}

describe('answers', () => {
  test('a folder: its URL, and nothing of AWS', async () => {
    const { next, seen, state } = make();

    await next(6);

    expect(seen).toMatchObject([{ kind: 'folder', url: 'file:///home/anna/archives', profile: undefined }]);
    expect(Object.keys(seen[0]?.values ?? {}).filter((key) => key.startsWith('aws.'))).toEqual([]);
    await next();
    expect([state().step, state().commands]).toEqual(['done', ['archiver list']]);
  });

  test('a bucket of AWS: the profile, and the region that it revealed', async () => {
    const { store, next, seen } = make({}, { kind: 'aws', profile: 'lab', fields: { bucket: 'acme/lab/' } });

    await next(2);
    store.getState().do.edit(line('s3://acme/lab'));
    await next(7);

    expect(seen[0]).toMatchObject({
      url: 's3://acme/lab',
      profile: 'lab',
      region: undefined,
      values: {
        'storage.url': 's3://acme/lab',
        'aws.profile': 'lab',
        'aws.region': 'eu-west-1',
        'aws.endpointUrl': undefined,
      },
    });
  });

  test('settings begin as the file has them, one that is in no list too, and go round', async () => {
    const settings = new Map([
      ['upload.shardCount', '12'],
      ['defaults.enableDedup', 'true'],
    ]);
    const { store, next, seen, state } = make({}, { settings });

    await next(3);
    expect(state().parameters.map(({ choices, chosen }) => choices[chosen]?.label)).toEqual([
      '12',
      'by content',
      'stored once',
    ]);
    store.getState().do.move(1);
    store.getState().do.change(-1);
    await next(3);

    expect(seen[0]?.values).toMatchObject({
      'upload.shardCount': 12,
      'defaults.compressionLevel': 19,
      'defaults.enableDedup': true,
    });
  });
});

describe('forth and back', () => {
  test('Esc loses nothing, from any step, and ends at the first', async () => {
    const { store, next, state } = make({}, { kind: 'compatible', fields: { server: 'http://x:1', bucket: 'abc' } });
    const { do: act } = store.getState();

    await next(2);
    act.move(1);
    act.move(1);
    await next();
    act.edit(line('mine'));
    for (let time = 0; time < 9; time++) act.back();

    expect(state()).toMatchObject({ step: 'kind', kind: 'compatible', source: 2 });
    expect([state().fields.profile.text, state().fields.server.text]).toEqual(['mine', 'http://x:1']);
  });

  test.each<[string, Partial<SetupOptions>, number, RegExp]>([
    ['an address without a scheme', { kind: 'compatible', fields: { server: 'minio:9000' } }, 2, /https:\/\/host/],
    ['no bucket', { kind: 'aws', fields: {} }, 4, /name a bucket/],
    ['no bucket name', { kind: 'aws', fields: { bucket: 'No_Bucket' } }, 4, /is not a bucket name/],
    ['no folder', { fields: { folder: '' } }, 2, /name a folder/],
    ['the whole disk', { fields: { folder: '/' } }, 2, /whole file system/],
  ])('%s keeps the step, with the reason', async (_, options, times, reason) => {
    const { next, state } = make({}, options);

    await next(times);

    expect(state().notice?.text).toMatch(reason);
    expect(['server', 'place']).toContain(state().step);
  });

  test('leaving a check ends it, and what it still finds is not told', async () => {
    const signals: AbortSignal[] = [];
    let finish: () => void = () => undefined;
    const { store, next, state } = make({
      check: (_, tell, signal) => {
        signals.push(signal);
        return new Promise((resolve) => {
          finish = () => {
            tell({ tone: 'good', text: 'late' });
            resolve({ usability: 'all', capabilities: [], region: undefined });
          };
        });
      },
    });

    await next(2);
    await next();
    expect(state()).toMatchObject({ step: 'check', isBusy: true });
    store.getState().do.back();
    finish();
    await settled();

    expect(signals[0]?.aborted).toBe(true);
    expect(state()).toMatchObject({ step: 'place', isBusy: false, usability: 'none', check: { lines: [] } });
  });

  test('a file that is being written is written: Esc waits for that, and so does leaving', async () => {
    let finish: (commands: readonly string[]) => void = () => undefined;
    const { store, next, state } = make({ write: () => new Promise((resolve) => (finish = resolve)) });
    const { back, quit, settled: ended } = store.getState().do;

    await next(7);
    back();
    expect(state()).toMatchObject({ step: 'review', isBusy: true });
    quit();
    finish(['archiver list']);
    await ended();

    expect(state()).toMatchObject({ step: 'done', commands: ['archiver list'], isOver: true });
  });

  test('what is given up has ended when the wizard is settled', async () => {
    let finish: () => void = () => undefined;
    let isSettled = false;
    const { store, next } = make({
      test: () => new Promise((resolve) => (finish = () => resolve(true))),
    });

    await next(4);
    store.getState().do.quit();
    const ended = store
      .getState()
      .do.settled()
      .then(() => (isSettled = true));
    await settled();
    expect(isSettled).toBe(false);
    finish();

    expect(await ended).toBe(true);
  });

  test('what cannot be saved or written is said, and the step stays', async () => {
    const { next, state } = make({
      write: () => Promise.reject(new Error('no space is left')),
    });

    await next(7);

    expect(state()).toMatchObject({ step: 'review', isBusy: false, notice: { text: 'no space is left', tone: 'bad' } });
  });

  test('credentials that only write: nothing is tested, and it goes on', async () => {
    const tested: unknown[] = [];
    const { next, state } = make({
      check: () => Promise.resolve({ usability: 'writing', capabilities: [], region: undefined }),
      test: () => Promise.resolve(tested.push(1)),
    });

    await next(4);
    expect(state()).toMatchObject({ step: 'test', test: { status: 'done', lines: [{ tone: 'warn' }] } });
    await next();
    expect([state().step, tested]).toEqual(['review', []]);
  });
});
