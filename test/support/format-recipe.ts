// The scripts of docs/format.md that get everything back with plain tools. They are taken out of the document, so that document
// and tests cannot drift apart.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect } from 'vitest';

const missing = ['tar', 'zstd', 'jq', 'gzip', 'base64'].filter((tool) => spawnSync('which', [tool]).status !== 0);
const isGnuTar = spawnSync('tar', ['--version'], { encoding: 'utf8' }).stdout.includes('GNU');
if (missing.length > 0 || !isGnuTar)
  process.stderr.write(`left out: the recipe of docs/format.md (needs ${missing.join(', ') || 'GNU tar'})\n`);
export const hasRecipeTools = missing.length === 0 && isGnuTar && process.platform === 'linux';

/** The scripts of the section, in its order. */
const SCRIPTS = ['join', 'everything', 'root', 'equal', 'direct', 'version'] as const;

/** The text of a script. */
export function recipe(script: (typeof SCRIPTS)[number]): string {
  const text = readFileSync(new URL('../../docs/format.md', import.meta.url), 'utf8');
  const [, section = ''] = text.split(/^## Getting everything back.*$/m);
  const found = [...section.matchAll(/```sh\n([\s\S]*?)```/g)][SCRIPTS.indexOf(script)]?.[1];
  if (found === undefined) throw new Error('docs/format.md has no recipe');
  return found;
}

/** Runs a script in a folder, and expects that it has nothing to say. */
export function runScript(script: string, folder: string, env: Readonly<Record<string, string>> = {}): void {
  const options = { cwd: folder, encoding: 'utf8', env: { ...process.env, ...env } } as const;
  const { status, stderr } = spawnSync('sh', ['-eu', '-c', script], options);
  const problems = stderr
    .split('\n')
    .filter((line) => line !== '' && !/implausibly old time stamp|s in the future$/.test(line));
  expect({ status, problems }).toEqual({ status: 0, problems: [] });
}
