// Runs a shell command and measures it as a whole process tree: wall and CPU seconds from bash, and the largest sum of
// resident memory of the tree, sampled every 20 ms.
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

function residentTree(root) {
  const children = new Map();
  const memory = new Map();
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      const parent = fields[1];
      memory.set(pid, Number(fields[21]) * 4096);
      children.set(parent, [...(children.get(parent) ?? []), pid]);
    } catch {
      // ended between the listing and the look
    }
  }
  const sum = (pid) =>
    (memory.get(pid) ?? 0) + (children.get(pid) ?? []).reduce((total, child) => total + sum(child), 0);
  return sum(String(root));
}

/** Seconds of wall and CPU, peak bytes. Rejects when the command fails. */
export function measure(command, env) {
  return new Promise((resolve, reject) => {
    const script = `TIMEFORMAT='%R %U %S'; time { ${command} ; } >/dev/null 2>"$BENCH_ERRORS"`;
    const errors = join(tmpdir(), `bench-errors-${process.pid}`);
    const child = spawn('bash', ['-o', 'pipefail', '-c', script], {
      env: { ...process.env, ...env, BENCH_ERRORS: errors },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let times = '';
    let peakBytes = 0;
    child.stderr.on('data', (text) => (times += text));
    const timer = setInterval(() => (peakBytes = Math.max(peakBytes, residentTree(child.pid))), 20);
    child.on('close', (status) => {
      clearInterval(timer);
      if (status !== 0) {
        reject(new Error(`${command}\nended with ${status}: ${readFileSync(errors, 'utf8').slice(-2000)}`));
        return;
      }
      const [wall, user, system] = times.trim().split('\n').at(-1).split(' ').map(Number);
      resolve({ wall, cpu: user + system, peakBytes });
    });
  });
}

/** The middle one of some numbers. */
export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}
