import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import pkg from '../../package.json' with { type: 'json' };
import { manPages } from '../../scripts/docs/man.js';
import { program } from '../../src/commands/index.js';

const repository = fileURLToPath(new URL('../..', import.meta.url));
const pages = manPages(program(), pkg.version);
const names = [...pages.keys()].sort();

test('man/ is current (npm run docs), and package.json names every page', () => {
  const written = readdirSync(`${repository}/man`).sort();

  expect(written).toEqual(names);
  for (const name of names) expect(readFileSync(`${repository}/man/${name}`, 'utf8')).toBe(pages.get(name));
  expect(pkg.man.toSorted()).toEqual(names.map((name) => `man/${name}`));
});

const hasGroff = spawnSync('groff', ['--version']).status === 0;
if (!hasGroff) process.stderr.write('left out: man pages through groff (not installed)\n');

test.runIf(hasGroff)('groff formats every page without a complaint, and no line of text is taken for a request', () => {
  for (const [name, text] of pages) {
    const { stdout, stderr } = spawnSync('groff', ['-k', '-man', '-ww', '-Tutf8', '-P-cbou'], {
      input: text,
      encoding: 'utf8',
    });

    expect([name, stderr]).toEqual([name, '']);
    expect([name, stdout.includes('NAME')]).toEqual([name, true]);
    expect([name, stdout.includes('--storage-class choice')]).toEqual([name, text.includes('storage\\-class choice')]);
  }
});
