// node bench/agent-memory.mjs: what an agent takes from cycle to cycle, one a second over twenty files: resident MB and seconds of CPU.
//   --cycles N  (default 1000);  --changes: a file changes before each cycle, which makes a version
//   --store URL: a store with nothing in it, of a server as the environment names it, instead of a folder
// Linux, as it reads /proc. Run `npm run build` before.
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { fileURLToPath } from 'node:url';

const { values: options } = parseArgs({
  options: {
    cycles: { type: 'string', default: '1000' },
    changes: { type: 'boolean', default: false },
    store: { type: 'string' },
  },
});
const CLI = fileURLToPath(new URL('../dist/cli.js', import.meta.url));
const FILES = 20;
const FILE_BYTES = 20_000;
const wanted = Number(options.cycles);
const work = mkdtempSync(join(tmpdir(), 'archiver-bench-agent-'));
const source = join(work, 'source');
const change = (at) => writeFileSync(join(source, `file-${at % FILES}`), randomBytes(FILE_BYTES));

mkdirSync(source);
for (let at = 0; at < FILES; at++) change(at);
const args = [
  'fleetagent',
  'run',
  source,
  options.store ?? `file://${work}/store`,
  '--writer-id',
  'bench',
  '--interval',
  '1s',
  '--json',
];
const env = { ...process.env, HOME: work, ARCHIVER_HOME: join(work, 'home') };
const agent = spawn(process.execPath, [CLI, ...args], { env, stdio: ['ignore', 'ignore', 'pipe'] });
const ended = once(agent, 'exit');
process.stdout.write(
  `${cpus().length} cores, Node ${process.version}, ${options.changes ? 'changes' : 'no changes'}\n`,
);
let cycles = 0;
for await (const line of createInterface({ input: agent.stderr })) {
  if (!line.startsWith('{')) process.stdout.write(`${line}\n`);
  else if (++cycles % Math.max(1, Math.floor(wanted / 10)) === 0) {
    const rss = Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${agent.pid}/status`, 'utf8'))?.[1]);
    const [user, system] = readFileSync(`/proc/${agent.pid}/stat`, 'utf8').split(') ')[1].split(' ').slice(11, 13);
    process.stdout.write(
      `${cycles} cycles: ${Math.round(rss / 1024)} MB, ${(Number(user) + Number(system)) / 100} s CPU\n`,
    );
  }
  if (options.changes) change(cycles);
  if (cycles === wanted) agent.kill('SIGTERM');
}
const [status] = await ended;
rmSync(work, { recursive: true });
process.exitCode = status;
