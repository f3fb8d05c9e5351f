import { describe, expect, test } from 'vitest';
import { type Place, PLACES } from '../../../src/stores/setup/places.js';
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
    place: 'folder',
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
    const { store, next, seen } = make({}, { place: 'aws', profile: 'lab', fields: { bucket: 'acme/lab/' } });

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

describe('who runs the bucket', () => {
  /** Chooses a place at the first step, as the cursor does. */
  const choose = ({ store, state }: Made, place: Place): void => {
    while (state().place !== place) {
      const by = PLACES.indexOf(place) > PLACES.indexOf(state().place) ? 1 : -1;
      store.getState().do.move(by);
    }
  };
  const type = ({ store }: Made, text: string): void => store.getState().do.edit(line(text));

  test.each<[Place, typed: readonly string[], address: string, region: string | undefined]>([
    ['b2', ['us-west-004'], 'https://s3.us-west-004.backblazeb2.com', 'us-west-004'],
    ['wasabi', [], 'https://s3.us-east-1.wasabisys.com', 'us-east-1'],
    ['r2', ['0123abcd'], 'https://0123abcd.r2.cloudflarestorage.com', 'auto'],
    ['gcs', [], 'https://storage.googleapis.com', 'auto'],
    ['hetzner', ['fsn1'], 'https://fsn1.your-objectstorage.com', 'fsn1'],
    ['ovh', ['gra'], 'https://s3.gra.io.cloud.ovh.net', 'gra'],
    ['scaleway', ['fr-par'], 'https://s3.fr-par.scw.cloud', 'fr-par'],
    ['idrive', ['https://v1a2.ldn.idrivee2-12.com'], 'https://v1a2.ldn.idrivee2-12.com', undefined],
    ['storj', [], 'https://gateway.storjshare.io', undefined],
    ['digitalocean', ['nyc3'], 'https://nyc3.digitaloceanspaces.com', 'nyc3'],
    [
      'oracle',
      ['axabc', 'us-phoenix-1'],
      'https://axabc.compat.objectstorage.us-phoenix-1.oraclecloud.com',
      'us-phoenix-1',
    ],
    ['ceph', [], 'http://localhost:7480', undefined],
    ['minio', [], 'http://localhost:9000', 'us-east-1'],
    ['garage', [], 'http://localhost:3900', 'garage'],
    ['seaweedfs', [], 'http://localhost:8333', undefined],
    ['rustfs', [], 'http://localhost:9000', undefined],
    ['versitygw', [], 'http://localhost:7070', 'us-east-1'],
    ['rclone', [], 'http://localhost:8080', undefined],
    ['custom', ['http://nas:1'], 'http://nas:1', undefined],
  ])('%s: its address and region are filled in as far as they are known', async (place, typed, address, region) => {
    const made = make({}, { profile: 'lab', fields: { bucket: 'acme' } });
    choose(made, place);

    await made.next();
    for (const text of typed) {
      type(made, text);
      await made.next();
    }
    while (made.state().step !== 'done') await made.next();

    const tells = [
      'b2',
      'wasabi',
      'r2',
      'gcs',
      'hetzner',
      'ovh',
      'scaleway',
      'idrive',
      'storj',
      'digitalocean',
      'oracle',
    ];
    expect(made.seen[0]).toMatchObject({
      endpointUrl: address,
      values: { 'aws.endpointUrl': address, 'aws.region': region },
    });
    const isSaid = place !== 'custom' && !tells.includes(place);
    expect(made.seen[0]?.values['costControl.provider']).toBe(isSaid ? place : undefined);
  });

  test('what stands in the address is asked before the credentials, and has to be there', async () => {
    const made = make({}, { fields: { bucket: 'acme' } });
    choose(made, 'oracle');

    await made.next(2);
    expect(made.state().notice?.text).toBeUndefined();
    await made.next();

    expect([made.state().step, made.state().notice?.text]).toEqual([
      'server',
      'name the account, which is a part of the address',
    ]);
  });

  test('what was filled in gives way to what another one has, and what was typed stays', async () => {
    const made = make({}, {});
    choose(made, 'garage');
    expect(made.state().fields.server.text).toBe('http://localhost:3900');
    await made.next();
    type(made, 'http://nas:3900');
    made.store.getState().do.back();

    choose(made, 'minio');
    const { server, region } = made.state().fields;

    expect([server.text, region.text]).toEqual(['http://nas:3900', 'us-east-1']);
  });

  test('only classes are offered that it is known to have, and where there is one nothing is asked', async () => {
    const classesOf = async (place: Place): Promise<readonly string[]> => {
      const made = make({}, { place, fields: { bucket: 'acme', region: 'x', account: 'x', server: 'http://x' } });
      while (made.state().step !== 'parameters') await made.next();
      const asked = made.state().parameters.find(({ key }) => key === 'storage.storageClass');
      return asked?.choices.map(({ label }) => label) ?? [];
    };

    expect(await classesOf('scaleway')).toEqual(['STANDARD', 'ONEZONE_IA', 'GLACIER']);
    expect(await classesOf('b2')).toEqual([]);
    expect(await classesOf('hetzner')).toContain('DEEP_ARCHIVE');
  });
});

describe('forth and back', () => {
  test('Esc loses nothing, from any step, and ends at the first', async () => {
    const { store, next, state } = make({}, { place: 'custom', fields: { server: 'http://x:1', bucket: 'abc' } });
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
    ['an address without a scheme', { place: 'custom', fields: { server: 'minio:9000' } }, 2, /https:\/\/host/],
    ['no bucket', { place: 'aws', fields: {} }, 4, /name a bucket/],
    ['no bucket name', { place: 'aws', fields: { bucket: 'No_Bucket' } }, 4, /is not a bucket name/],
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
