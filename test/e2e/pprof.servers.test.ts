// Go's own pprof reads what the endpoint serves, and the files of `profile collect`. `npm run test:servers` installs it.
import { execFile, spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, describe, expect, it } from 'vitest';
import { Collector } from '../../src/core/diagnostics/observe/collect.js';
import { servePprof } from '../../src/core/diagnostics/observe/pprof-server.js';
import { tempFolder } from '../support/temp-folder.js';
import { archiver } from './upload-cli.js';

const run = promisify(execFile);

/** Where Go cannot be installed, this is left out (test/servers/tools.ts says so). */
const hasGo = spawnSync('go', ['version']).status === 0;
const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
});

/** The text that pprof prints of a file or an address. */
async function pprof(home: string, source: string, ...flags: readonly string[]): Promise<string> {
  const env = { PATH: process.env['PATH'] ?? '', HOME: home };
  const { stdout } = await run('go', ['tool', 'pprof', '-top', ...flags, source], { env });
  return stdout;
}

function spin(): number {
  let sum = 0;
  for (let index = 0; index < 3e6; index += 1) sum += Math.sqrt(index);
  return sum;
}

describe.skipIf(!hasGo)('pprof of Go', () => {
  it('go tool pprof reads every path of the endpoint', async () => {
    const home = await tempFolder();
    const collector = await Collector.open({ live: true });
    ends.push(async () => await collector.close());
    const { at, close } = await servePprof({ host: '127.0.0.1', port: 0 }, collector, 'upload');
    ends.push(close);
    const timer = setInterval(spin, 1);
    ends.push(async () => await Promise.resolve(clearInterval(timer)));

    expect(await pprof(home, `http://${at}/debug/pprof/profile`, '-seconds=1')).toMatch(/Type: cpu\n[^]* spin\b/);
    expect(await pprof(home, `http://${at}/debug/pprof/heap`)).toContain('Type: inuse_space');
    expect(await pprof(home, `http://${at}/debug/pprof/allocs`, '-seconds=1')).toContain('Type: alloc_space');
    expect(await pprof(home, `http://${at}/debug/pprof/block`, '-seconds=1')).toContain('Type: delay');
    expect(await pprof(home, `http://${at}/debug/pprof/mutex`, '-seconds=1')).toContain('Type: delay');
    expect(await pprof(home, `http://${at}/debug/pprof/goroutine`)).toMatch(/Type: goroutine\n[^]*thread main/);
    expect(await pprof(home, `http://${at}/debug/pprof/threadcreate`)).toMatch(/Type: threadcreate\n[^]*thread main/);
  });

  it('go tool pprof reads the profile of an upload, with its threads', async () => {
    const home = await tempFolder();
    mkdirSync(join(home, 'source'));
    for (let index = 0; index < 200; index += 1)
      writeFileSync(join(home, 'source', `f${index}`), `${'some text '.repeat(20_000)}${index}`);

    const collect = [
      'profile',
      'collect',
      '--cpu',
      '--mutex',
      '-o',
      'out',
      '--',
      'upload',
      'source',
      './store',
      '--quiet',
    ];
    expect(await archiver(home, collect)).toMatchObject({ status: 0 });

    const top = await pprof(home, join(home, 'out', 'cpu.pb.gz'));
    expect(top).toMatch(/Type: cpu\n/);
    const { stdout: tags } = await run('go', ['tool', 'pprof', '-tags', join(home, 'out', 'cpu.pb.gz')], {
      env: { PATH: process.env['PATH'] ?? '', HOME: home },
    });
    expect(tags).toMatch(/thread: [^]*: main\n/);
    expect(tags).toMatch(/: pack-worker \d+\n/);
    expect(await pprof(home, join(home, 'out', 'mutex.pb.gz'))).toContain('(waits for work)');
  });
});
