// How the CPU of a command is spread over its threads: what more cores can take over, and what they cannot.
//   node bench/threads.mjs -- upload FOLDER STORE --quiet          (arguments of archiver)
// Linux, after `npm run build`. Threads are read from /proc every 5 ms, so what one did last may be missed.
import { spawn } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const LEAST_SECONDS = 0.01;
const cli = fileURLToPath(new URL('../dist/cli.js', import.meta.url));
const args = process.argv.slice(process.argv.indexOf('--') + 1);
const threads = new Map();

function look(pid) {
  let ids = [];
  try {
    ids = readdirSync(`/proc/${pid}/task`);
  } catch {
    return; // it has ended
  }
  for (const id of ids) {
    try {
      const stat = readFileSync(`/proc/${pid}/task/${id}/schedstat`, 'utf8');
      const name = readFileSync(`/proc/${pid}/task/${id}/comm`, 'utf8').trim();
      threads.set(id, { name, seconds: Number(stat.split(' ')[0]) / 1e9 });
    } catch {
      // this thread has ended
    }
  }
}

const begun = performance.now();
const child = spawn(process.execPath, [cli, ...args], { stdio: ['ignore', 'ignore', 'inherit'] });
const timer = setInterval(() => look(child.pid), 5);
child.on('close', (status) => {
  clearInterval(timer);
  const wall = (performance.now() - begun) / 1000;
  const all = [...threads].map(([id, one]) => ({ ...one, isMain: Number(id) === child.pid }));
  console.log(`status ${status}, ${wall.toFixed(2)} s`);
  for (const { name, seconds, isMain } of all.toSorted((a, b) => b.seconds - a.seconds))
    if (seconds >= LEAST_SECONDS) console.log(`${seconds.toFixed(2).padStart(7)} s  ${isMain ? 'main' : name}`);
});
