// npx tsx bench/first-screen.ts [--files 1000000 [--work FOLDER] | --store FOLDER --dataset ID]: how long browse and shell of the built program take until their first screen,
// on a terminal, over a generated manifest in a folder store (--store: one that bench/segments.mjs has made): seconds by the clock, of CPU, and peak memory.
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { generateStore, groupedPath } from '../test/support/generated-store.js';
import { openSession } from '../test/support/terminal-session.js';

const CLI = fileURLToPath(new URL('../dist/cli.js', import.meta.url));
const TICKS = 100;

async function measure(command: string, store: string, dataset: string, wanted: string): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), 'archiver-bench-'));
  const env = { HOME: home, ARCHIVER_HOME: join(home, 'state') };
  const began = performance.now();
  const session = openSession([CLI, command, `file://${store}`, '--dataset-id', dataset], {
    cwd: home,
    env,
    columns: 120,
    rows: 40,
  });
  await session.until(wanted);
  const seconds = (performance.now() - began) / 1000;
  const fields = readFileSync(`/proc/${session.pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  const peak = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${session.pid}/status`, 'utf8'))?.[1];
  const cpu = (Number(fields[11]) + Number(fields[12])) / TICKS;
  console.log(`${command}: ${seconds.toFixed(2)} s, ${cpu.toFixed(2)} s CPU, ${Math.round(Number(peak) / 1024)} MiB`);
  session.kill('SIGKILL');
  await session.exited;
  rmSync(home, { recursive: true });
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      files: { type: 'string', default: '1000000' },
      store: { type: 'string' },
      dataset: { type: 'string', default: 'd' },
      work: { type: 'string', default: join(tmpdir(), 'archiver-first-screen') },
    },
  });
  const store = values.store ?? join(values.work, values.files);
  const what = { folder: store, files: Number(values.files), pathOf: groupedPath, isSegmented: true };
  if (!existsSync(store)) await generateStore(what);
  await measure('browse', store, values.dataset, 'group-0000/');
  await measure('shell', store, values.dataset, ':/>');
}

await main();
