// `fleetagent run` in its three forms, in this process.
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { generateKeyPairSync } from 'node:crypto';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { agentPath } from '../../../../src/core/fleet/agent/agent-memory.js';
import { signConfig } from '../../../../src/core/fleet/config/signature.js';
import { parseHeartbeat } from '../../../../src/core/fleet/heartbeat.js';
import { program } from '../../../../src/commands/index.js';
import { ownHolder } from '../../../../src/core/platform/state/lock-holder.js';
import { runningThreads } from '../../../../src/core/platform/threads/threads.js';
import { isRoot } from '../../../core/archive/trees.js';
import { startHook } from '../../../support/hook-server.js';
import { archiver } from '../../../e2e/in-process.js';
import { letThreadsEnd } from '../../../support/keep-threads.js';
import { runCommand } from '../../../support/run-command.js';
import { tempFolder } from '../../../support/temp-folder.js';

interface Place {
  readonly home: string;
  readonly source: string;
  readonly base: string;
  readonly url: string;
  /** Where archiver keeps its own files. */
  readonly own: string;
}

async function place(): Promise<Place> {
  const home = realpathSync(await tempFolder());
  const source = join(home, 'data');
  mkdirSync(join(source, 'sub'), { recursive: true });
  writeFileSync(join(source, 'a'), 'content of a');
  writeFileSync(join(source, 'sub', 'b'), 'content of b');
  const base = join(home, 'store');
  return { home, source, base, url: `file://${base}`, own: join(home, '.archiver') };
}

const status = (base: string, writer = 'nas') =>
  parseHeartbeat(readFileSync(join(base, 'writers', writer, 'status.json')));

test('a folder is synced below its writer, found unchanged, and restored; the ledger has each run', async () => {
  const { home, source, base, url, own } = await place();
  const args = ['fleetagent', 'run', source, url, '--writer-id', 'nas', '--once', '--json', '--quiet'];

  const first = await archiver(home, args);
  const { instanceId } = status(base);
  const second = await archiver(home, args);

  expect([first.status, second.status]).toEqual([0, 0]);
  expect(status(base).instanceId === instanceId).toBe(process.platform === 'linux');
  const { sourceCycles, ...document } = JSON.parse(first.stdout) as { readonly sourceCycles: readonly object[] };
  expect(document).toMatchObject({ writerId: 'nas', location: url, cycleCount: 1, isHealthy: true, troubles: [] });
  expect(sourceCycles).toMatchObject([{ source, version: 1, added: 2, reason: null, comparedWith: 'none' }]);
  expect(JSON.parse(second.stdout)).toMatchObject({
    sourceCycles: [{ version: 1, noChanges: true, comparedWith: 'cache' }],
  });
  expect(status(base)).toMatchObject({ writerId: 'nas', phase: 'waiting', problem: null, intervalSeconds: 3600 });
  const ledger = readFileSync(join(own, 'ledger', `${new Date().toISOString().slice(0, 7)}.jsonl`), 'utf8');
  expect(ledger.match(/"operation":"sync"/g)).toHaveLength(2);
  const out = join(home, 'out');
  const restored = await archiver(home, ['restore', `${url}/writers/nas`, out, '--all', '--quiet']);
  expect([restored.status, readFileSync(join(out, 'sub', 'b'), 'utf8')]).toEqual([0, 'content of b']);
});

test('sources of a config file have rules of their own, and one that fails does not stop the other', async () => {
  const { home, source, base, url } = await place();
  const config = join(home, 'config.yaml');
  const lines = [
    'version: 4',
    'writer_id: nas',
    `store: ${url}`,
    'scan_interval: 6h',
    'watch_paths:',
    `  - path: ${join(home, 'missing')}`,
    `  - path: ${source}`,
    '    recursive: false',
    '    exclude_patterns: ["*.tmp"]',
  ];
  writeFileSync(config, lines.join('\n'));
  writeFileSync(join(source, 'c.tmp'), 'x');

  const ran = await archiver(home, ['fleetagent', 'run', '--config', config, '--once']);

  expect(ran.status).toBe(1);
  expect(ran.stderr).toMatch(/cycle failed[^]*! .*missing does not exist/);
  expect(status(base)).toMatchObject({
    configVersion: 4,
    intervalSeconds: 6 * 3600,
    problem: expect.stringContaining('missing does not exist') as string,
    sources: [{ isHealthy: false }, { isHealthy: true, version: 1, files: 1, added: 1 }],
  });
});

test('a signed config is fetched, kept, and used while a newer one is refused', async () => {
  const { home, source, base, url } = await place();
  const form = { type: 'pkcs8', format: 'pem' } as const;
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const key = join(home, 'public.pem');
  writeFileSync(key, publicKey.export({ type: 'spki', format: 'pem' }));
  expect(privateKey.export(form)).toContain('PRIVATE');
  const folder = join(base, 'fleet', 'nas');
  mkdirSync(folder, { recursive: true });
  const publish = (text: string): void => {
    writeFileSync(join(folder, 'config.yaml'), text);
    writeFileSync(join(folder, 'config.yaml.sig'), signConfig(Buffer.from(text), privateKey).bytes);
  };
  publish(`version: 2\nwriter_id: nas\nwatch_paths:\n  - path: ${source}\n`);
  const args = [
    'fleetagent',
    'run',
    '--config-url',
    url,
    '--public-key',
    key,
    '--writer-id',
    'nas',
    '--once',
    '--quiet',
  ];

  const good = await archiver(home, args);
  publish(`version: 1\nwriter_id: nas\nwatch_paths:\n  - path: ${home}\n`);
  const replayed = await archiver(home, args);

  expect([good.status, replayed.status]).toEqual([0, 3]);
  expect(status(base)).toMatchObject({
    configVersion: 2,
    configError: expect.stringContaining('version 1, and 2 was in use') as string,
    sources: [{ path: source, version: 1, noChanges: true }],
  });
  rmSync(join(home, '.archiver'), { recursive: true });
  rmSync(folder, { recursive: true });
  const none = await archiver(home, args);
  expect([none.status, status(base).configVersion]).toEqual([1, null]);
});

test('runs until it is stopped, a line for each cycle, and says in the end how it went', async () => {
  await letThreadsEnd();
  const { home, source, base, url } = await place();
  const end = new AbortController();
  const host = { root: program(), folder: home, env: { HOME: home }, signal: end.signal };
  const running = runCommand(host, [
    'fleetagent',
    'run',
    source,
    url,
    '--writer-id',
    'nas',
    '--interval',
    '1s',
    '--json',
  ]);
  const versions = join(base, 'writers', 'nas', 'datasets');
  const cycles = async (version: number) =>
    await expect
      .poll(() => existsSync(versions) && [status(base).phase, status(base).sources[0]?.version], { timeout: 60_000 })
      .toEqual(['waiting', version]);
  await cycles(1);
  const threads = [...runningThreads.values()];
  writeFileSync(join(source, 'c'), 'content of c');
  await cycles(2);
  // The second cycle has started none: each that ends leaves memory behind.
  expect(threads.filter((name) => name.startsWith('pack-worker'))).not.toEqual([]);
  expect([...runningThreads.values()].filter((name) => !threads.includes(name))).toEqual([]);
  end.abort();

  const { status: exit, stdout, stderr } = await running;

  expect(exit).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ writerId: 'nas', isHealthy: true });
  const [line = ''] = stderr.split('\n').filter((text) => text.startsWith('{'));
  expect(JSON.parse(line)).toMatchObject({ type: 'cycle', isHealthy: true, sourceCycles: [{ version: 1 }] });
  expect(status(base).phase).toBe('stopped');
  await expect.poll(() => [...runningThreads.values()]).toEqual([]);
});

test('the cache of manifests lies where it was said, and without one everything is compared with the store', async () => {
  const { home, source, url, own } = await place();
  const cache = join(home, 'elsewhere');
  const run = async (...more: readonly string[]) => {
    const args = ['fleetagent', 'run', source, url, '--writer-id', 'nas', '--once', '--json', '--quiet', ...more];
    return JSON.parse((await archiver(home, args)).stdout) as object;
  };

  await run('--manifest-cache-dir', cache);
  const remembered = await run('--manifest-cache-dir', cache);
  const without = await run('--no-manifest-cache');

  expect([existsSync(cache), existsSync(join(own, 'manifest-cache'))]).toEqual([true, false]);
  expect(remembered).toMatchObject({ sourceCycles: [{ comparedWith: 'cache', noChanges: true }] });
  expect(without).toMatchObject({ sourceCycles: [{ comparedWith: 'store', noChanges: true }] });
});

test('what an agent keeps itself in a folder that it archives is no change', async () => {
  const { home, url } = await place();
  const args = ['fleetagent', 'run', home, url, '--writer-id', 'nas', '--once', '--json', '--quiet'];
  await archiver(home, args);
  await archiver(home, args); // folders were made in it meanwhile

  const third = await archiver(home, args);

  expect(JSON.parse(third.stdout)).toMatchObject({ sourceCycles: [{ noChanges: true }] });
});

test.skipIf(!existsSync('/proc/self/fd'))('no cycle leaves its folder open', async () => {
  const { home, source, url } = await place();
  for (const content of ['one', 'of two']) {
    writeFileSync(join(source, 'a'), content);
    await archiver(home, ['fleetagent', 'run', source, url, '--writer-id', 'nas', '--once', '--quiet']);
  }

  const open = readdirSync('/proc/self/fd').map((fd) => {
    try {
      return readlinkSync(join('/proc/self/fd', fd));
    } catch {
      return undefined; // that of the list itself
    }
  });

  expect(open.filter((path) => path?.startsWith(home))).toEqual([]);
});

test('where most of a folder is gone a cycle is refused, until somebody has recorded that by hand', async () => {
  const { home, source, base, url } = await place();
  for (let at = 0; at < 12; at++) writeFileSync(join(source, `file-${at}`), 'x');
  const writer = ['--writer-id', 'nas', '--track-deletes', '--quiet'];
  const cycle = () => archiver(home, ['fleetagent', 'run', source, url, ...writer, '--once']);
  await cycle();
  for (let at = 0; at < 12; at++) rmSync(join(source, `file-${at}`));

  const refused = await cycle();
  const recorded = await archiver(home, ['sync', source, url, ...writer, '--allow-mass-delete']);
  const next = await cycle();

  expect([refused.status, recorded.status, next.status]).toEqual([4, 0, 0]);
  expect(refused.stderr).toMatch(/12 of 14 paths .* are gone from .*`archiver sync` with .*--allow-mass-delete/);
  expect(status(base).sources).toMatchObject([{ version: 2, noChanges: true, files: 2, comparedWith: 'cache' }]);
});

test('a budget refuses a cycle, which is a problem and no crash', async () => {
  const { home, source, base, url } = await place();
  writeFileSync(join(source, 'large'), Buffer.alloc(2 * 1024 * 1024));
  expect((await archiver(home, ['budget', 'set', '--global', '--volume', '0.001'])).status).toBe(0);

  const ran = await archiver(home, ['fleetagent', 'run', source, url, '--writer-id', 'nas', '--once', '--quiet']);

  expect(ran.status).toBe(4);
  expect(status(base).problem).toContain('would exceed the volume budget of all projects');
  const ignored = ['fleetagent', 'run', source, url, '--writer-id', 'nas', '--once', '--quiet', '--ignore-budget'];
  expect((await archiver(home, ignored)).status).toBe(0);
});

test('each cycle pings, runs the hooks of this computer and writes metrics, and a hook that fails ends no service', async () => {
  const server = await startHook();
  const { home, source, url } = await place();
  const metrics = join(home, 'a.prom');
  const args = ['fleetagent', 'run', source, url, '--writer-id', 'nas', '--once', '--json', '--quiet'];
  const notices = ['--ping-url', `${server.url}/uuid`, '--textfile', metrics];
  const hook = (name: string, program: string): void =>
    writeFileSync(join(home, '.archiver.yaml'), `hooks:\n  ${name}: ${program}\n`);
  hook('after', `/bin/sh -c 'echo "$ARCHIVER_HOOK_STATUS v$ARCHIVER_HOOK_VERSION" > ${home}/after'`);

  const good = await archiver(home, [...args, ...notices]);

  expect(good.status).toBe(0);
  expect(readFileSync(join(home, 'after'), 'utf8')).toBe('done v1\n');
  expect(readFileSync(metrics, 'utf8')).toContain(
    `archiver_run_files{command="fleetagent run",source="${source}",store="${url}/writers/nas"} 2\n`,
  );
  hook('before', '/bin/false');
  const refused = await archiver(home, [...args, ...notices]);
  expect(refused.status).toBe(1);
  expect(JSON.parse(refused.stdout)).toMatchObject({
    isHealthy: false,
    sourceCycles: [{ reason: expect.stringContaining("the hook 'before'") as string }],
  });
  hook('after', '/bin/true');
  rmSync(source, { recursive: true });
  expect((await archiver(home, [...args, ...notices])).status).toBe(1);
  const paths = server.requests.map(({ path }) => path);
  expect(paths).toEqual(['/uuid/start', '/uuid', '/uuid/start', '/uuid/1', '/uuid/start', '/uuid/1']);
  const bodies = server.requests.map(({ body }) => JSON.parse(body) as object);
  expect(bodies[1]).toMatchObject({ command: 'fleetagent run', status: 'done', version: 1, files: 2 });
  expect(bodies[5]).toMatchObject({ status: 'failed', problem: expect.stringContaining('does not exist') as string });
});

/** A config with these folders. */
function configOf(home: string, url: string, paths: readonly string[]): string {
  const config = join(home, 'config.yaml');
  const folders = paths.map((path) => `  - path: ${path}`);
  writeFileSync(config, ['version: 1', 'writer_id: nas', `store: ${url}`, 'watch_paths:', ...folders].join('\n'));
  return config;
}

test('folders of one name are datasets of their own, and a selector that means both says so', async () => {
  const { home, source, base, url } = await place();
  const other = join(home, 'other', 'data');
  mkdirSync(other, { recursive: true });
  writeFileSync(join(other, 'a'), 'of the other');
  const config = configOf(home, url, [source, other]);

  const { status: exit } = await archiver(home, ['fleetagent', 'run', '--config', config, '--once', '--quiet']);

  const ids = status(base).sources.map(({ datasetId }) => datasetId ?? '');
  expect([exit, new Set(ids).size, ids.every((id) => id.startsWith('data-'))]).toEqual([0, 2, true]);
  const restore = (id: string, out: string) =>
    archiver(home, ['restore', `${url}/writers/nas`, join(home, out), '--all', '--quiet', '--dataset', id]);
  const both = await restore('data', 'both');
  expect([both.status, both.stderr]).toEqual([2, expect.stringContaining('write more of the id')]);
  const one = await restore(ids[1] ?? '', 'one');
  expect([one.status, readFileSync(join(home, 'one', 'a'), 'utf8')]).toEqual([0, 'of the other']);
});

test('a link to a folder is that folder, and no second source of its dataset', async () => {
  const { home, source, base, url } = await place();
  symlinkSync(source, join(home, 'link'));
  const config = configOf(home, url, [join(home, 'link'), source]);

  const { status: exit } = await archiver(home, ['fleetagent', 'run', '--config', config, '--once', '--quiet']);

  expect([exit, status(base).sources]).toMatchObject([
    1,
    [
      { path: join(home, 'link'), isHealthy: true, version: 1, files: 2 },
      { path: source, isHealthy: false, error: expect.stringContaining('is the same folder as') as string },
    ],
  ]);
});

test('the base of a fleet is verified, looked at and scuttled whole, and its agent begins anew', async () => {
  const { home, source, base, url } = await place();
  const cycle = () => archiver(home, ['fleetagent', 'run', source, url, '--writer-id', 'nas', '--once', '--quiet']);
  mkdirSync(join(base, 'fleet', 'nas'), { recursive: true });
  for (const name of ['config.yaml', 'config.yaml.sig']) writeFileSync(join(base, 'fleet', 'nas', name), 'x');
  await cycle();

  const verified = await archiver(home, ['verify', url, '--deep']);
  const before = await archiver(home, ['fleet', 'status', url]);
  const scuttled = await archiver(home, ['scuttle', url, '--force']);
  const left = readdirSync(base, { recursive: true });
  const after = await archiver(home, ['fleet', 'status', url]);
  const again = await cycle();

  expect([verified.status, before.status, scuttled.status, left]).toEqual([0, 0, 0, []]);
  expect(verified.stdout).toMatch(/^ok: 1 version of 1 dataset is whole/);
  expect([after.status, after.stderr]).toEqual([1, expect.stringContaining('there is no fleet')]);
  expect(again.status).toBe(0);
  expect(status(base).sources).toMatchObject([{ version: 1, added: 2, comparedWith: 'none' }]);
});

test('a second agent of a writer is refused', async () => {
  const { home, source, url, own } = await place();
  const { hostname } = await import('node:os');
  const path = agentPath(own, { baseUrl: url, writerId: 'nas' });
  mkdirSync(join(own, 'agents'), { recursive: true });
  writeFileSync(`${path}.lock`, JSON.stringify(ownHolder(hostname())));

  const ran = await archiver(home, ['fleetagent', 'run', source, url, '--writer-id', 'nas', '--once']);

  expect(ran.status).toBe(1);
  expect(ran.stderr).toContain(`is working on writer nas`);
});

test('where its lock cannot be kept, as in the home of somebody else, an agent says so and works', async () => {
  const { home, source, base, url, own } = await place();
  mkdirSync(own);
  writeFileSync(join(own, 'agents'), 'no folder');
  const cycle = () => archiver(home, ['fleetagent', 'run', source, url, '--writer-id', 'nas', '--once']);

  const first = await cycle();
  const second = await cycle();

  expect([first.status, second.status]).toEqual([0, 0]);
  expect(first.stderr).toContain('nothing keeps a second agent of this writer from running: ');
  expect(status(base).sources).toMatchObject([{ version: 1, noChanges: true }]);
});

test('what cannot be is refused before anything is done', async () => {
  const { home, source, url } = await place();
  const refused = async (...args: readonly string[]) => {
    const { status: exit, stderr } = await archiver(home, ['fleetagent', 'run', ...args]);
    return [exit, stderr.split('\n')[0]];
  };

  for (const args of [[], [source], [source, url], ['--config', 'x', source, url], ['--config-url', url]])
    expect(await refused(...args)).toEqual([2, expect.stringMatching(/^✗ .*--config-url/)]);
  expect(await refused(source, url, '--writer-id', 'nas', '--interval', '10ms')).toEqual([
    2,
    '✗ --interval wants one second or more',
  ]);
  expect(await refused(source, url, '--writer-id', 'nas', '--object-lock', 'governance', '--retain', '90d')).toEqual([
    2,
    expect.stringContaining('nothing in a folder can be locked'),
  ]);
  expect(await refused(source, url, '--writer-id', '../x')).toEqual([2, expect.stringContaining('cannot be used')]);
  expect(await refused(source, url, '--writer-id', 'nas', '--storage-class', 'GLACIER')).toEqual([
    2,
    expect.stringContaining('a folder has no storage classes'),
  ]);
});

test.skipIf(isRoot)('a credentials file that cannot be read is named, with its mode and owner', async () => {
  const { home, source } = await place();
  const file = join(home, 'credentials');
  writeFileSync(file, '[default]\n');
  chmodSync(file, 0);

  const args = ['fleetagent', 'run', source, 's3://bucket/fleet', '--writer-id', 'nas', '--once'];
  const ran = await archiver(home, args, { env: { AWS_SHARED_CREDENTIALS_FILE: file } });

  expect([ran.status, ran.stderr]).toEqual([1, expect.stringContaining(`${file} cannot be read by uid`)]);
  expect(ran.stderr).toContain('mode 0000, owner');
});

test('a folder in the place of the credentials file is named', async () => {
  const { home, source } = await place();
  const args = ['fleetagent', 'run', source, 's3://bucket/fleet', '--writer-id', 'nas', '--once'];

  const ran = await archiver(home, args, { env: { AWS_SHARED_CREDENTIALS_FILE: source } });

  expect([ran.status, ran.stderr]).toEqual([
    1,
    expect.stringMatching(/credentials file .*data is a folder \(mode 0755/),
  ]);
});
