// Metrics before Debian's promtool, and scraped by a real Prometheus.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { program } from '../../../src/commands/index.js';
import { runCommand } from '../../support/run-command.js';
import { tempFolder } from '../../support/temp-folder.js';

const tools = process.env['ARCHIVER_TEST_PROMETHEUS'];
const root = program();
let folder = '';
let scraper: ChildProcess | undefined;

beforeEach(async () => {
  folder = await tempFolder();
  mkdirSync(join(folder, 'data'));
  writeFileSync(join(folder, 'data', 'a'), 'content');
});
afterEach(() => void scraper?.kill('SIGKILL'));

/** A port that nobody listens on; Prometheus tells no other way which it got. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function startPrometheus(target: string): Promise<string> {
  const config = join(folder, 'prometheus.yml');
  writeFileSync(
    config,
    `global: { scrape_interval: 1s }\nscrape_configs:\n  - job_name: archiver\n    static_configs: [{ targets: ['${target}'] }]\n`,
  );
  for (;;) {
    const address = `127.0.0.1:${await freePort()}`;
    const flags = [`--config.file=${config}`, `--storage.tsdb.path=${join(folder, 'tsdb')}`];
    const child = spawn(join(tools ?? '', 'prometheus'), [...flags, `--web.listen-address=${address}`], {
      stdio: 'ignore',
    });
    scraper = child;
    const isReady = async (): Promise<boolean> =>
      (await fetch(`http://${address}/-/ready`).catch(() => undefined))?.ok ?? false;
    // Somebody else may have taken the port meanwhile: then it ends.
    for (; child.exitCode === null; await sleep(100)) if (await isReady()) return `http://${address}`;
  }
}

async function query(prometheus: string, what: string): Promise<readonly string[]> {
  const answer = await fetch(`${prometheus}/api/v1/query?query=${encodeURIComponent(what)}`).catch(() => undefined);
  const { data } = ((await answer?.json().catch(() => undefined)) ?? {}) as {
    data?: { result: readonly { value: readonly [number, string] }[] };
  };
  return (data?.result ?? []).map(({ value: [, text] }) => text);
}

describe.skipIf(tools === undefined)('metrics of an agent', () => {
  test('are clean for promtool, and scraped by Prometheus', async () => {
    const stop = new AbortController();
    let found: (url: string) => void;
    const served = new Promise<string>((resolve) => (found = resolve));
    const onStderr = (text: string): void => {
      const [, at] = /metrics at http:\/\/(\S+)\/metrics/.exec(text) ?? [];
      if (at !== undefined) found(at);
    };
    const argv = ['fleetagent', 'run', 'data', join(folder, 'store'), '--writer-id', 'nas-1'];
    const running = runCommand({ root, folder, signal: stop.signal, onStderr }, [
      ...argv,
      '--prometheus-addr',
      '127.0.0.1:0',
    ]);
    const target = await served;
    const prometheus = await startPrometheus(target);

    await expect
      .poll(() => query(prometheus, 'archiver_runs_total{command="fleetagent run",status="done"}'), {
        timeout: 120_000,
      })
      .toEqual(['1']);
    expect(await query(prometheus, 'up{job="archiver"}')).toEqual(['1']);
    expect(await query(prometheus, 'sum(archiver_requests_total{kind="put",code="ok"}) > bool 2')).toEqual(['1']);
    expect(await query(prometheus, 'time() - archiver_run_last_success_timestamp_seconds < bool 3600')).toEqual(['1']);
    const text = await (await fetch(`http://${target}/metrics`)).text();
    const checked = spawnSync(join(tools ?? '', 'promtool'), ['check', 'metrics'], { input: text, encoding: 'utf8' });
    stop.abort();
    await running;
    expect([checked.status, checked.stderr, checked.stdout]).toEqual([0, '', '']);
  });

  test('of the last run, in a file, are clean too', async () => {
    await runCommand({ root, folder }, ['upload', 'data', join(folder, 'store'), '--textfile', 'run.prom']);

    const checked = spawnSync('sh', ['-c', `'${join(tools ?? '', 'promtool')}' check metrics < run.prom`], {
      cwd: folder,
      encoding: 'utf8',
    });

    expect([checked.status, checked.stderr]).toEqual([0, '']);
  });
});
