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
