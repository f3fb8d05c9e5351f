// docs/protocol/rules.md against the tree: the names that comments, tests and pages cite, and the files and models that it names.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
// @ts-expect-error -- build scripts are plain JavaScript
import { scenarios } from '../../scripts/model.mjs';

const ROOT = join(import.meta.dirname, '../..');
const page = readFileSync(join(ROOT, 'docs/protocol/rules.md'), 'utf8');
const rules = page.split(/^### /m).slice(1);
const names = new Set(rules.map((rule) => rule.slice(0, rule.indexOf('\n'))));
const files = ['src', 'test', 'docs', 'scripts'].flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((file) => `${folder}/${file}`),
);
/** The text of what is not made by a program, its comments in one line each. */
const texts = [...files, 'README.md', 'CHANGELOG.md']
  .filter((file) => /\.(?:tsx?|mjs|pml|md|sh)$/.test(file) && !file.startsWith('test/fixtures/'))
  .map((file) => [file, readFileSync(join(ROOT, file), 'utf8').replaceAll(/\n *(?:\/\/|\*)? */g, ' ')] as const);
const mutations = new Set(Object.values<readonly string[]>(scenarios).flat());

test('every rule has a name, a reason, a place where it is kept and something that shows it', () => {
  expect(names.size).toBe(rules.length);
  for (const rule of rules) expect(rule).toMatch(/^[a-z]+(?:-[a-z]+)*\n[^]+\n- Why: [^]+\n- Kept: `[^]+ Shown:\s`/);
});

test('the files that it names are there, one of each name', () => {
  for (const [, name = ''] of page.matchAll(/`([\w/.-]+\.(?:tsx?|mjs|pml))`/g))
    expect([name, files.filter((file) => file.endsWith(`/${name}`) || file === name)]).toEqual([
      name,
      [expect.any(String)],
    ]);
});

test('every rule that the model leaves out is one of them, and what it calls a model is one', () => {
  for (const mutation of mutations) expect(page).toContain(`\`${mutation}\``);
  for (const [, name = ''] of page.matchAll(/`([A-Z][A-Z_0-9]{2,})`/g))
    expect([name, mutations.has(name) || name in scenarios]).toEqual([name, true]);
});

test('every rule that is cited is there', () => {
  const cited = texts.flatMap(([file, text]) =>
    Array.from(text.matchAll(/rules\.md#([\w-]*)/g), ([, name = '']) => [file, name] as const),
  );
  const linked = Array.from(page.matchAll(/\(#([\w-]+)\)/g), ([, name = '']) => ['itself', name] as const);

  expect(cited.length).toBeGreaterThan(40);
  expect([...cited, ...linked].filter(([, name]) => !names.has(name))).toEqual([]);
});

test('no rule is cited by a number', () => {
  // Rules of a bucket have numbers of their own.
  const own = texts.filter(([file]) => !file.includes('/lifecycle/'));
  const numbered = own.flatMap(([file, text]) =>
    Array.from(text.matchAll(/commit-protocol(?:\.md| rules)|\bprotocols? [1-9]|\brules? [1-9]/gi), ([found]) => [
      file,
      found,
    ]),
  );

  expect(numbered).toEqual([]);
});

test('no test is named by a number', () => {
  const tests = texts.filter(([file]) => file.startsWith('test/'));
  const numbered = tests.flatMap(([file, text]) =>
    Array.from(text.matchAll(/\bT\d\d\b(?!:\d)/g), ([found]) => [file, found]),
  );

  expect(numbered).toEqual([]);
});
