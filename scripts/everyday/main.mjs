// npm run everyday: does what users of restic, rclone and kopia do every week, with this program, and says which of it works.
//   npm run everyday -- --write      writes docs/compared.md from the answers
//   npm run everyday -- WORD…        only rows with one of these words
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { AREAS, DATA } from './rows.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const SECONDS = 120;

/** Runs the commands of a row in a home and a folder of their own. @returns {string | undefined} what went wrong */
function tryRow({ run, needs = [] }) {
  const missing = needs.filter((program) => spawnSync('sh', ['-c', `command -v ${program}`]).status !== 0);
  if (missing.length > 0) return `not tried: ${missing.join(', ')} is not here`;
  const home = mkdtempSync(join(tmpdir(), 'archiver-everyday-'));
  try {
    const bin = join(home, 'bin');
    mkdirSync(bin);
    const program = join(root, 'dist', 'cli.js');
    writeFileSync(join(bin, 'archiver'), `#!/bin/sh\nexec '${process.execPath}' '${program}' "$@"\n`, { mode: 0o755 });
    const env = {
      PATH: `${bin}:${process.env.PATH}`,
      HOME: home,
      TZ: 'UTC',
      W: home,
      S: `file://${home}/store`,
      T: `file://${home}/second`,
      NO_COLOR: '1',
    };
    const script = `set -euo pipefail\ncd "$HOME"\n${DATA}\n${run}`;
    const { status, stdout, stderr, error } = spawnSync('bash', ['-c', script], {
      env,
      encoding: 'utf8',
      timeout: SECONDS * 1000,
      input: '',
    });
    if (error !== undefined) return error.message;
    return status === 0
      ? undefined
      : `ended with ${status}: ${(stderr || stdout).trim().split('\n').slice(-3).join(' / ')}`;
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

const cell = (text) => (text === '' ? '–' : text.replaceAll('|', '\\|'));
const code = (text) => `\`${text}\``;
const peer = (text) => (text === '' ? '–' : /^[(~]/.test(text) ? cell(text) : code(cell(text)));

function documentOf(answers) {
  const works = answers.filter(({ problem }) => problem === undefined).length;
  const lines = [
    '# Compared',
    '',
    `What people do every week with restic, rclone and kopia, and what they type here. ${works} of ${answers.length} work: \`npm run everyday -- --write\` ran each command`,
    'on a folder store, looked at what came of it, and wrote this page. The other columns are from the documentation of the three, and were not tried: what is typed there, `–` where there is nothing,',
    '`~` where it is not quite the same. `$S` is a store.',
    '',
  ];
  for (const { area, rows } of AREAS) {
    lines.push(`## ${area}`, '', '| | | archiver | restic | rclone | kopia |', '| --- | --- | --- | --- | --- | --- |');
    for (const row of rows) {
      const { problem } = answers.find((answer) => answer.row === row) ?? {};
      const mark = problem === undefined ? '✓' : '✗';
      lines.push(
        `| ${mark} | ${row.what} | ${code(cell(row.say))} | ${peer(row.restic)} | ${peer(row.rclone)} | ${peer(row.kopia)} |`,
      );
    }
    lines.push('');
  }
  lines.push(
    '## What they have and archiver has not',
    '',
    '- Content-defined chunks (restic, kopia, borg): equal pieces in different files. Here equal files are found, and what a version before has.',
    '- Encryption by a passphrase before anything is sent (restic, kopia, borg, rclone crypt). Here the store or a KMS key encrypts.',
    '- Some seventy kinds of stores (rclone). Here it is S3, whoever runs it, and folders.',
    '- A mount of their own (restic, rclone, kopia). Here a program that is installed mounts what `archiver serve` gives.',
    '',
  );
  return lines.join('\n');
}

const args = process.argv.slice(2);
const words = args.filter((word) => !word.startsWith('--'));
const chosen = AREAS.flatMap(({ rows }) => rows).filter(
  ({ what, say }) => words.length === 0 || words.some((word) => what.includes(word) || say.includes(word)),
);
const answers = chosen.map((row) => {
  const problem = tryRow(row);
  console.log(problem === undefined ? `✓ ${row.what}` : `✗ ${row.what}: ${problem}`);
  return { row, problem };
});
const failed = answers.filter(({ problem }) => problem !== undefined).length;
if (args.includes('--write')) writeFileSync(join(root, 'docs', 'compared.md'), documentOf(answers));
console.log(`${answers.length - failed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;
