import { readFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { NO_HOOKS } from '../../../src/core/notify/hook-settings.js';
import { pingAddress } from '../../../src/core/notify/ping-address.js';
import { type NoticeSettings, type NoticeWorld, withNotices } from '../../../src/core/notify/with-notices.js';
import { type HookServer, startHook } from '../../support/hook-server.js';
import { FAST_RETRY } from '../../support/open-s3.js';
import { tempFolder } from '../../support/temp-folder.js';
import { TEST_CERTIFICATE } from '../../support/test-certificate.js';

const NOW = new Date('2026-03-04T05:06:07Z');
const run = { command: 'sync', source: '/data', store: 's3://bucket/lab' };

interface Told {
  readonly tell: string[];
  readonly warn: string[];
}

async function world(told: Told, changes: Partial<NoticeWorld> = {}): Promise<NoticeWorld> {
  return {
    env: { PATH: process.env['PATH'] },
    network: async () => ({ env: {}, ca: undefined }),
    now: () => NOW,
    retry: FAST_RETRY,
    cwd: await tempFolder(),
    tell: (text) => void told.tell.push(text),
    warn: (text) => void told.warn.push(text),
    signal: new AbortController().signal,
    ...changes,
  };
}

const newTold = (): Told => ({ tell: [], warn: [] });

/** A run that gives 7 and says that it did `exitStatus`; that fails where `failure` is given. */
const noticed = (settings: NoticeSettings, at: NoticeWorld, { exitStatus = 0, failure = '' } = {}) =>
  withNotices(settings, at, {
    run,
    work: () => (failure === '' ? Promise.resolve(7) : Promise.reject(new Error(failure))),
    ofResult: () => ({
      exitStatus,
      status: exitStatus === 0 ? 'done' : 'partial',
      files: 3,
      version: 12,
      uploadId: 'u',
    }),
    ofFailure: (error) => ({ exitStatus: 1, status: 'failed', problem: (error as Error).message }),
  });

const shell = (name: 'before' | 'after' | 'onFailure', text: string) => ({ ...NO_HOOKS, [name]: [text], shell: true });
const pathsOf = ({ requests }: HookServer): readonly string[] => requests.map(({ path }) => path);
const bodyOf = ({ requests }: HookServer, index: number): unknown => JSON.parse(requests[index]?.body ?? '');

/** Its letter in /proc; a process that nobody waited for is a zombie (Z). */
const stateOf = (pid: number): string => {
  try {
    return /\) (\S) /.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[1] ?? 'unknown';
  } catch {
    return 'gone';
  }
};

describe('pings', () => {
  test('tell of the beginning and of the success, with the figures of the run', async () => {
    const server = await startHook();
    const told = newTold();

    const result = await noticed({ pingUrl: pingAddress(`${server.url}/uuid-1?rid=a`) }, await world(told));

    expect(result).toBe(7);
    expect(pathsOf(server)).toEqual(['/uuid-1/start?rid=a', '/uuid-1?rid=a']);
    expect(bodyOf(server, 0)).toEqual({ schemaVersion: 1, ...run, status: 'started' });
    expect(bodyOf(server, 1)).toMatchObject({ ...run, status: 'done', exitStatus: 0, files: 3, version: 12 });
    expect(told.warn).toEqual([]);
  });

  test('tell of a failure and of a part by the exit status', async () => {
    const server = await startHook();
    const settings = { pingUrl: pingAddress(`${server.url}/uuid-1/`) };
    const at = await world(newTold());

    await expect(noticed(settings, at, { failure: 'the disk is gone' })).rejects.toThrow('the disk is gone');
    await noticed(settings, at, { exitStatus: 3 });

    expect(pathsOf(server)).toEqual(['/uuid-1/start', '/uuid-1/1', '/uuid-1/start', '/uuid-1/3']);
    expect(bodyOf(server, 1)).toMatchObject({ status: 'failed', problem: 'the disk is gone' });
  });

  test('that do not arrive are a warning that does not tell the address, and fail no run', async () => {
    const server = await startHook([{ status: 404, body: 'no check secret-uuid-7' }]);
    const told = newTold();

    const result = await noticed({ pingUrl: pingAddress(`${server.url}/secret-uuid-7`) }, await world(told));

    expect(result).toBe(7);
    expect(told.warn).toHaveLength(2);
    expect(told.warn[0]).toContain('did not arrive: 127.0.0.1');
    expect(told.warn.join()).not.toContain('secret-uuid-7');
  });

  test('are given up when their time is over, and tried again before that', async () => {
    const silent = await startHook(['silent']);
    const flaky = await startHook([{ status: 503 }, { status: 200 }]);
    const told = newTold();
    // The time is over once the server has got the request.
    const over = new AbortController();
    const gone = await startHook(['silent'], { onRequest: () => over.abort() });

    await noticed({ pingUrl: pingAddress(`${gone.url}/a`) }, await world(told, { deadline: () => over.signal }));
    await noticed({ pingUrl: pingAddress(`${flaky.url}/a`) }, await world(newTold()));

    expect(told.warn[0]).toContain('it took too long and was given up');
    expect(pathsOf(flaky)).toEqual(['/a/start', '/a/start', '/a']);
    expect(pathsOf(silent)).toEqual([]);
  });

  test('go to a server whose authority is in the CA bundle', async () => {
    const server = await startHook([{ status: 200 }], { isTls: true });
    const told = newTold();
    const at = await world(told, { network: async () => ({ env: {}, ca: TEST_CERTIFICATE }) });

    await noticed({ pingUrl: pingAddress(`${server.url}/a`) }, at);

    expect(told.warn).toEqual([]);
    expect(pathsOf(server)).toEqual(['/a/start', '/a']);
  });

  test.each(['ftp://host/secret', 'secret', 'file:///secret'])('refuse %s without repeating it', (text) => {
    expect(() => pingAddress(text)).toThrow(/^--ping-url wants an address that begins with https/);
  });
});

describe('hooks', () => {
  test('get the facts of the run in their environment, and none that archiver would take for flags', async () => {
    const told = newTold();
    const at = await world(told);

    await noticed({ hooks: shell('after', 'env | grep ^ARCHIVER | sort > out') }, at);

    expect((await readFile(join(at.cwd, 'out'), 'utf8')).trim().split('\n')).toEqual([
      'ARCHIVER_HOOK=after',
      'ARCHIVER_HOOK_BYTES=',
      'ARCHIVER_HOOK_COMMAND=sync',
      'ARCHIVER_HOOK_DATASET_ID=',
      'ARCHIVER_HOOK_DURATION_MS=0',
      'ARCHIVER_HOOK_EXIT_STATUS=0',
      'ARCHIVER_HOOK_FILES=3',
      'ARCHIVER_HOOK_PROBLEM=',
      'ARCHIVER_HOOK_SOURCE=/data',
      'ARCHIVER_HOOK_STATUS=done',
      'ARCHIVER_HOOK_STORE=s3://bucket/lab',
      'ARCHIVER_HOOK_STORED_BYTES=',
      'ARCHIVER_HOOK_UPLOAD_ID=u',
      'ARCHIVER_HOOK_VERSION=12',
    ]);
    expect(told.warn).toEqual([]);
  });

  test('are told line by line, with nothing that steers a terminal', async () => {
    const told = newTold();

    await noticed(
      { hooks: shell('after', String.raw`printf 'one\033[31m\ntwo'; printf 'three\n' >&2`) },
      await world(told),
    );

    expect([...told.tell].sort()).toEqual(['one\\x1b[31m', 'three', 'two']);
  });

  test('before: one that fails ends the run before it began, and that is a failure like others', async () => {
    const server = await startHook();
    const told = newTold();
    const at = await world(told);
    let hasBegun = false;
    const hooks = { ...shell('before', 'exit 4'), onFailure: ['echo "$ARCHIVER_HOOK_PROBLEM" > out'] };

    const failing = withNotices({ hooks, pingUrl: pingAddress(`${server.url}/a`) }, at, {
      run,
      work: async () => void (hasBegun = true),
      ofResult: () => ({ exitStatus: 0, status: 'done' }),
      ofFailure: (error) => ({ exitStatus: 1, status: 'failed', problem: (error as Error).message }),
    });

    await expect(failing).rejects.toThrow("the hook 'before' (/bin/sh) ended with exit status 4: nothing was uploaded");
    expect(hasBegun).toBe(false);
    expect(await readFile(join(at.cwd, 'out'), 'utf8')).toContain('exit status 4');
    expect(pathsOf(server)).toEqual(['/a/start', '/a/1']);
  });

  test('after and onFailure: each where it belongs, and a failure of theirs is a warning', async () => {
    const told = newTold();
    const at = await world(told);
    const hooks = { ...NO_HOOKS, after: ['/bin/sh', '-c', 'echo after; exit 9'], onFailure: ['/no/such/program'] };

    expect(await noticed({ hooks }, at)).toBe(7);
    await expect(noticed({ hooks }, at, { failure: 'broken' })).rejects.toThrow('broken');

    expect(told.tell).toEqual(['after']);
    expect(told.warn[0]).toBe("the hook 'after' (/bin/sh) ended with exit status 9");
    expect(told.warn[1]).toContain("the hook 'onFailure' (/no/such/program) could not be started");
  });

  test('that take too long are ended with all that they started, also what does not want to', async () => {
    const told = newTold();
    const over = new AbortController();
    const tell = (text: string): void => {
      told.tell.push(text);
      over.abort();
    };
    const at = await world(told, { tell, hookDeadline: () => over.signal });
    // It ignores SIGTERM, and would hold the pipe open for ever.
    const stubborn = `trap '' TERM; echo $$; while :; do sleep 1; done`;
    const hooks = { ...NO_HOOKS, after: ['/bin/sh', '-c', '/bin/sh -c "$0" & wait', stubborn] };

    await noticed({ hooks }, at);

    expect(told.warn[0]).toBe("the hook 'after' (/bin/sh) took longer than 600 s and was ended");
    await vi.waitFor(() => expect(stateOf(Number(told.tell[0]))).toMatch(/^(?:gone|Z|X)$/), { timeout: 60_000 });
  });

  test('before is ended when the run is interrupted, and what comes after is run nevertheless', async () => {
    const told = newTold();
    const interrupted = new AbortController();
    const at = await world(told, { signal: interrupted.signal });
    const tell = (text: string): void => {
      if (text === 'begun') interrupted.abort(new Error('interrupted'));
    };
    const hooks = { ...shell('before', 'echo begun; exec sleep 1000'), onFailure: ['echo over > out'] };

    await expect(noticed({ hooks }, { ...at, tell })).rejects.toThrow('interrupted');

    expect(await readFile(join(at.cwd, 'out'), 'utf8')).toBe('over\n');
  });

  test('that are no commands are refused before anything begins', async () => {
    const server = await startHook();
    const hooks = { ...NO_HOOKS, after: ['"open'] };

    await expect(noticed({ hooks, pingUrl: pingAddress(`${server.url}/a`) }, await world(newTold()))).rejects.toThrow(
      'hooks.after has quotes that do not fit',
    );
    expect(pathsOf(server)).toEqual([]);
  });
});

describe('metrics', () => {
  test('are written however the run ended, and a file that cannot be is a warning', async () => {
    const told = newTold();
    const at = await world(told);
    const textfile = join(at.cwd, 'archiver.prom');
    await writeFile(join(at.cwd, 'file'), '');

    await expect(noticed({ textfile }, at, { failure: 'broken' })).rejects.toThrow('broken');
    await noticed({ textfile: join(at.cwd, 'file', 'below.prom') }, at);

    expect(await readFile(textfile, 'utf8')).toContain(
      'archiver_run_exit_status{command="sync",source="/data",store="s3://bucket/lab"} 1',
    );
    expect(told.warn).toHaveLength(1);
    expect(told.warn[0]).toContain('no metrics were written');
  });
});
