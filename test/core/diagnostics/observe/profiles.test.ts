// Profiles of this process, as the endpoint serves them, read with the decoder of the format.
import { type ClientRequest, request } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { Profile } from 'pprof-format';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Collector } from '../../../../src/core/diagnostics/observe/collect.js';
import { watchLoop } from '../../../../src/core/diagnostics/observe/collect.js';
import { PprofProfile } from '../../../../src/core/diagnostics/observe/pprof-profile.js';
import { addBlocks, addCpu, addHeap, addWaits } from '../../../../src/core/diagnostics/observe/profile-stacks.js';
import type { CpuProfile, HeapProfile } from '../../../../src/core/diagnostics/observe/thread-sampler.js';
import { servePprof } from '../../../../src/core/diagnostics/observe/pprof-server.js';
import { WorkerThread } from '../../../../src/core/platform/threads/worker-thread.js';
import { letThreadsEnd } from '../../../support/keep-threads.js';

beforeEach(letThreadsEnd);

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
});

/** What a profile says: its types, and each stack with its values. */
function decode(body: Buffer) {
  const { sampleType, sample, location, function: functions, stringTable, comment } = Profile.decode(gunzipSync(body));
  const text = (index: number | bigint): string => stringTable.strings[Number(index)] ?? '';
  const nameOf = (id: number | bigint): string => {
    const line = location.find((one) => Number(one.id) === Number(id))?.line[0];
    return text(functions.find((one) => Number(one.id) === Number(line?.functionId))?.name ?? 0);
  };
  return {
    types: sampleType.map(({ type, unit }) => `${text(type)}/${text(unit)}`),
    comments: comment.map(text),
    samples: sample.map(({ locationId, value, label }) => ({
      stack: locationId.map(nameOf),
      values: value.map(Number),
      thread: text(label[0]?.str ?? 0),
    })),
  };
}

const frame = (functionName: string, lineNumber = 0) => ({
  functionName,
  scriptId: '1',
  url: 'file:///a.js',
  lineNumber,
  columnNumber: 0,
});

/** The root does `outer`, which does `inner`; and nothing. Looks at 10, 20, 30 and 40 ms; the profile ends at 60. */
const cpu: CpuProfile = {
  nodes: [
    { id: 1, callFrame: frame('(root)'), children: [2, 4] },
    { id: 2, callFrame: frame('outer'), children: [3] },
    { id: 3, callFrame: frame('inner') },
    { id: 4, callFrame: frame('(idle)') },
  ],
  startTime: 0,
  endTime: 60_000,
  samples: [3, 3, 4, 2],
  timeDeltas: [10_000, 10_000, 10_000, 10_000],
};

async function made(add: (to: PprofProfile) => void, values: readonly (readonly [string, string])[]) {
  const pprof = new PprofProfile({ values });
  add(pprof);
  return decode(await pprof.encode(0, 60)).samples;
}

describe('stacks', () => {
  const MS = 1e6;
  const delays = [
    ['contentions', 'count'],
    ['delay', 'nanoseconds'],
  ] as const;

  it('have the time until the next look, innermost frame first, and waiting is none', async () => {
    expect(await made((to) => addCpu(to, [{ thread: 'main', profile: cpu }]), delays)).toEqual([
      { stack: ['inner', 'outer'], values: [2, 20 * MS], thread: 'main' },
      { stack: ['outer'], values: [1, 20 * MS], thread: 'main' },
    ]);
  });

  it('of other threads are counted beside them', async () => {
    const samples = await made((to) => {
      addCpu(to, [
        { thread: 'main', profile: cpu },
        { thread: 'pack-worker 1', profile: cpu },
      ]);
    }, delays);

    expect(samples.map(({ thread }) => thread)).toEqual(['main', 'main', 'pack-worker 1', 'pack-worker 1']);
  });

  it('during a block are those of the main thread, for as long as it was blocked', async () => {
    const threads = [
      { thread: 'main', profile: cpu },
      { thread: 'pack-worker 1', profile: cpu },
    ];

    expect(await made((to) => addBlocks(to, threads, [{ fromUs: 15_000, untilUs: 28_000 }]), delays)).toEqual([
      { stack: ['inner', 'outer'], values: [1, 13 * MS], thread: 'main' },
    ]);
  });

  it('of waiting are those of worker threads', async () => {
    const threads = [
      { thread: 'main', profile: cpu },
      { thread: 'pack-worker 1', profile: cpu },
    ];

    expect(await made((to) => addWaits(to, threads), delays)).toEqual([
      { stack: ['(waits for work)', 'pack-worker 1'], values: [1, 10 * MS], thread: 'pack-worker 1' },
    ]);
  });

  it('of memory have the bytes that they allocated themselves', async () => {
    const profile: HeapProfile = {
      head: {
        callFrame: frame('(root)'),
        selfSize: 0,
        children: [
          {
            callFrame: frame('outer'),
            selfSize: 100,
            children: [{ callFrame: frame('', 7), selfSize: 20, children: [] }],
          },
        ],
      },
    };

    expect(await made((to) => addHeap(to, [{ thread: 'main', profile }]), [['inuse_space', 'bytes']])).toEqual([
      { stack: ['outer'], values: [100], thread: 'main' },
      { stack: ['(anonymous)', 'outer'], values: [20], thread: 'main' },
    ]);
  });
});

it('a block is the time in which a timer could not come', async () => {
  let nowUs = 0;
  const watch = watchLoop(() => nowUs);
  nowUs = 59_000; // 10 ms until the timer was due, and 49 ms late
  expect(watch.stop()).toEqual([]);

  nowUs = 0;
  const other = watchLoop(() => nowUs);
  nowUs = 70_000;
  expect(other.stop()).toEqual([{ fromUs: 10_000, untilUs: 70_000 }]);
});

const WORKER = `data:text/javascript,${encodeURIComponent(`
  import { parentPort } from 'node:worker_threads';
  function workOfThread(rounds) { let sum = 0; for (let i = 0; i < rounds; i += 1) sum += Math.sqrt(i) * Math.sin(i); return sum; }
  parentPort.on('message', (message) => {
    if (message === 'end') parentPort.close();
    else parentPort.postMessage(workOfThread(message));
  });
`)}`;

/** A thread, and a way to have it work. */
function startThread() {
  let resolve: (value: unknown) => void = () => undefined;
  const thread = new WorkerThread<number | 'end', unknown>({
    name: 'test-worker',
    what: 'a thread',
    url: new URL(WORKER),
    onMessage: (message) => resolve(message),
    onFailure: (error) => resolve(error),
  });
  const work = async (rounds: number): Promise<unknown> =>
    await new Promise((settle) => {
      resolve = settle;
      thread.post(rounds);
    });
  return { thread, work };
}

describe('a collection', () => {
  it('has the work of a thread that has ended meanwhile', async () => {
    const collector = await Collector.open({ live: false });
    const stop = await collector.begin(['cpu', 'allocs', 'goroutine']);
    const { thread, work } = startThread();
    await work(20_000_000);
    await work(20_000_000);
    await thread.close('end');
    const { files, troubles } = await stop();

    const contentOf = (name: string): Buffer => Buffer.from(files.find((file) => file.name === name)?.content ?? '');
    const samples = decode(contentOf('cpu.pb.gz')).samples;
    expect(samples.some(({ stack }) => stack.includes('workOfThread'))).toBe(true);
    expect(decode(contentOf('allocs.pb.gz')).types).toEqual(['alloc_space/bytes']);
    expect(decode(contentOf('goroutine.pb.gz')).samples).toContainEqual({
      stack: ['thread main'],
      values: [1],
      thread: 'main',
    });
    const names = files.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['cpu-main.cpuprofile', 'allocs-main.heapprofile']));
    expect(names.filter((name) => name.endsWith('.cpuprofile')).length).toBe(2);
    expect(JSON.parse(contentOf('cpu-main.cpuprofile').toString())).toHaveProperty('nodes');
    expect(troubles).toEqual([]);
    await collector.close();
  });

  it('that goes on for long is added up in between, and nothing of it is lost', async () => {
    const collector = await Collector.open({ live: false });
    const stop = await collector.begin(['cpu'], 1);
    (function workBefore() {
      for (let index = 0, sum = 0; index < 2e7; index += 1) sum += Math.sin(index);
    })();
    // Each turn lets a slice begin.
    for (let turn = 0; turn < 50; turn += 1) await new Promise((resolve) => setTimeout(resolve, 1));
    const { files, troubles } = await stop();

    const contentOf = (name: string): Buffer => Buffer.from(files.find((file) => file.name === name)?.content ?? '');
    const whole = decode(contentOf('cpu.pb.gz')).samples;
    expect(whole.some(({ stack }) => stack.includes('workBefore'))).toBe(true);
    expect(contentOf('cpu-main.cpuprofile').toString()).not.toContain('workBefore');
    expect(troubles).toEqual([]);
  });

  it('of memory is refused while memory is sampled otherwise, and then possible', async () => {
    const first = await Collector.open({ live: true });
    const second = await Collector.open({ live: false });

    await expect(second.begin(['cpu', 'memory'])).rejects.toMatchObject({ code: 'conflict' });
    await first.close();
    const { files } = await (await second.begin(['memory']))();
    expect(files.map(({ name }) => name)).toContain('heap.pb.gz');
    await second.close();
  });

  it('of a trace has events in the form that Perfetto reads', async () => {
    const collector = await Collector.open({ live: false });
    const stop = await collector.begin(['trace']);
    await new Promise((resolve) => setImmediate(resolve));
    const { files } = await stop();

    const { traceEvents } = JSON.parse(String(files[0]?.content)) as { traceEvents: Record<string, unknown>[] };
    expect(traceEvents.length).toBeGreaterThan(0);
    for (const { ph, pid, tid, ts, name } of traceEvents)
      expect([typeof ph, typeof pid, typeof tid, typeof ts, typeof name]).toEqual([
        'string',
        'number',
        'number',
        'number',
        'string',
      ]);
  });
});

interface Got {
  readonly status: number;
  readonly body: Buffer;
  readonly type: string;
}

async function ask(at: string, path: string, method = 'GET'): Promise<Got> {
  return await new Promise((resolve, reject) => {
    const sent = request(`http://${at}${path}`, { method }, (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          body: Buffer.concat(parts),
          type: response.headers['content-type'] ?? '',
        }),
      );
    });
    sent.on('error', reject);
    sent.end();
  });
}

async function serve() {
  const collector = await Collector.open({ live: true });
  ends.push(async () => await collector.close());
  const { at, close } = await servePprof({ host: '127.0.0.1', port: 0 }, collector, 'restore jobs list');
  ends.push(close);
  return async (path: string, method?: string): Promise<Got> => await ask(at, path, method);
}

describe('the endpoint', () => {
  it.each([
    ['profile?seconds=0', ['samples/count', 'cpu/nanoseconds']],
    ['heap', ['inuse_space/bytes']],
    ['allocs?seconds=0', ['alloc_space/bytes']],
    ['block?seconds=0', ['contentions/count', 'delay/nanoseconds']],
    ['mutex?seconds=0', ['contentions/count', 'delay/nanoseconds']],
    ['goroutine', ['goroutine/count']],
    ['threadcreate', ['threadcreate/count']],
  ])('serves %s in the format of pprof, and says what it is', async (path, types) => {
    const get = await serve();
    const { status, body } = await get(`/debug/pprof/${path}`);

    expect(status).toBe(200);
    const profile = decode(body);
    expect(profile.types).toEqual(types);
    expect(profile.comments.length).toBe(1);
  });

  it('samples memory in use again after it was asked for all that was allocated', async () => {
    const get = await serve();
    await get('/debug/pprof/allocs?seconds=0');

    expect((await get('/debug/pprof/heap')).status).toBe(200);
  });

  it('has an index, a trace, the words of the command, counts as text, and statistics', async () => {
    const get = await serve();

    expect((await get('/debug/pprof/')).body.toString()).toContain('Node has no mutexes');
    expect((await get('/debug/pprof/cmdline')).body.toString()).toBe('archiver\0restore\0jobs\0list');
    expect((await get('/debug/pprof/goroutine?debug=2')).body.toString()).toContain('1 thread main\n');
    expect(JSON.parse((await get('/debug/pprof/trace?seconds=0')).body.toString())).toHaveProperty('traceEvents');
    expect(JSON.parse((await get('/debug/archiver/stats')).body.toString())).toMatchObject({ pid: process.pid });
  });

  it.each([
    ['/', 404],
    ['/debug/pprof/nothing', 404],
    ['/debug/pprof/constructor', 404],
    ['/debug/pprof/profile?seconds=-1', 400],
    ['/debug/pprof/profile?seconds=3601', 400],
    ['/debug/pprof/profile?seconds=x', 400],
  ])('answers %s with %i', async (path, status) => {
    const get = await serve();

    expect((await get(path)).status).toBe(status);
  });

  it('takes one profile at a time, and gives one up when nobody waits for it', async () => {
    const get = await serve();
    const collector = await Collector.open({ live: false });
    const { at, close } = await servePprof({ host: '127.0.0.1', port: 0 }, collector, 'list');
    ends.push(close);
    let long: ClientRequest;
    const send = (): void => {
      long = request(`http://${at}/debug/pprof/profile?seconds=3600`, () => send()); // refused: a short one was first
      long.on('error', () => undefined);
      long.end();
    };
    send();
    // Until the long one has begun, the others are answered.
    for (;;) {
      const { status } = await ask(at, '/debug/pprof/profile?seconds=0');
      if (status === 409) break;
      expect(status).toBe(200);
    }
    long!.destroy();
    for (;;) if ((await ask(at, '/debug/pprof/profile?seconds=0')).status === 200) break;
    expect((await get('/debug/pprof/heap', 'POST')).status).toBe(405);
  });
});
