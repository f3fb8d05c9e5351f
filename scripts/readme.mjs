// The first archive of the README, as somebody types it who has just found it: its lines are run as they are in an empty home with a clean
// environment, and what it has restored is compared.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const SECTION = 'A first archive';
/** What the README promises, beside the install. */
const MAX_SECONDS = 60;
/** The home in the lines of cron, which has no `~` in all of its implementations. */
const CRON_HOME = '/home/ada';
/** Minute, hour, day, month, weekday. */
const WHEN = /^(?:[-\d*,/]+ +){5}/;

/** The blocks of the section: the install, what is typed then, and what cron does each night. @throws where the README has others */
function blocks() {
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
  const [, section = ''] = readme.split(new RegExp(`^## (?=${SECTION}\n)`, 'm'));
  const found = [...section.split(/^## /m)[0].matchAll(/^```(\w+)\n(.*?)^```$/gms)];
  const languages = found.map(([, language]) => language).join(' ');
  if (languages !== 'sh sh cron') throw new Error(`"${SECTION}" of the README has the blocks "${languages}"`);
  return found.map(([, , text]) => text);
}

/** Runs lines in a shell. @throws when one of them fails */
function runLines(lines, { home, env }) {
  const result = spawnSync('sh', ['-eu', '-c', lines], { cwd: home, env: { HOME: home, ...env }, encoding: 'utf8' });
  if (result.error) throw result.error;
  if (result.status === 0) return result;
  throw new Error(`lines of the README ended with ${result.status}: ${lines}\n${result.stdout}${result.stderr}`);
}

/** Runs the line that installs, with a tarball in the place of the name: npm reads where to and how from `npm_config_…` in `env`. */
export function runInstallLine(tarball, { name, home, env }) {
  const [line] = blocks();
  if (!line.includes(` ${name} `)) throw new Error(`the README does not install ${name}: ${line}`);
  runLines(line.replace(` ${name} `, ` '${tarball}' `), { home, env });
}

/** Does what follows in a home that is empty. @throws when a line fails, or all take longer than the README promises */
export function runFirstArchive(home, bin) {
  mkdirSync(home);
  const env = { PATH: `${bin}:${dirname(process.execPath)}:/usr/bin:/bin` };
  const [, typed, cron] = blocks();
  const startedAt = performance.now();
  runLines(typed, { home, env });
  const seconds = (performance.now() - startedAt) / 1000;
  if (seconds > MAX_SECONDS) throw new Error(`it took ${seconds.toFixed(1)} s, and ${MAX_SECONDS} are promised`);
  const restored = readFileSync(join(home, 'out/2024/cat.jpg'), 'utf8');
  if (restored !== 'meow\n') throw new Error(`the restored file has ${JSON.stringify(restored)}`);
  const jobs = cron.trimEnd().split('\n');
  for (const job of jobs) {
    if (!WHEN.test(job)) throw new Error(`no line of cron: ${job}`);
    const { stdout, stderr } = runLines(job.replace(WHEN, '').replaceAll(CRON_HOME, home), { home, env });
    if (`${stdout}${stderr}` !== '') throw new Error(`cron would send a mail about ${job}: ${stdout}${stderr}`);
  }
  return `a file restored after ${seconds.toFixed(1)} s, ${jobs.length} lines of cron`;
}
