import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import pkg from '../../package.json' with { type: 'json' };
import { manPages, releaseOf, roff } from '../../scripts/docs/man.js';
import { program } from '../../src/commands/index.js';

const repository = fileURLToPath(new URL('../..', import.meta.url));
const release = releaseOf(pkg.version, readFileSync(`${repository}/CHANGELOG.md`, 'utf8'));
const pages = manPages(program(), release);
const names = [...pages.keys()].sort();

test('man/ is current (npm run docs), and package.json names every page', () => {
  const written = readdirSync(`${repository}/man`).sort();

  expect(written).toEqual(names);
  for (const name of names) expect(readFileSync(`${repository}/man/${name}`, 'utf8')).toBe(pages.get(name));
  expect(pkg.man.toSorted()).toEqual(names.map((name) => `man/${name}`));
});

test('the date of a page is that of its version in CHANGELOG.md, on whatever day it is made', () => {
  const changelog =
    '# Changelog\n\n## 1.1.0, unreleased, as of 2026-12-24\n\n- x\n\n## 1.0.10, 2026-12-01\n\n## 1.0.1, soon\n';

  expect(releaseOf('1.1.0', changelog)).toEqual({ version: '1.1.0', date: '2026-12-24' });
  expect(releaseOf('1.0.10', changelog)).toEqual({ version: '1.0.10', date: '2026-12-01' });
  for (const version of ['1.0', '1.0.1', '2.0.0'])
    expect(() => releaseOf(version, changelog)).toThrow(`CHANGELOG.md has no heading "## ${version}, …" with a date`);
  for (const [name, text] of pages)
    expect(text.split('\n')[0]).toBe(
      `.TH ${name.replace(/\.1$/, '').toUpperCase()} 1 ${release.date} "archiver ${release.version}" "archiver"`,
    );
});

test.each([
  ['--no-verify', String.raw`\-\-no\-verify`],
  [String.raw`C:\new`, String.raw`C:\enew`],
  ['.archiverignore', String.raw`\&.archiverignore`],
  ["'*.tmp' and\n'b'", '\\(aq*.tmp\\(aq and\n\\(aqb\\(aq'],
  ['see\n.gitignore', 'see\n\\&.gitignore'],
  ['~/a^b `c` "d"', String.raw`\(ti/a\(hab \(gac\(ga "d"`],
  ['NAME,…', 'NAME,...'],
  ['…', String.raw`\&...`],
  ['Größe 😀', String.raw`Gr\[u00F6]\[u00DF]e \[u1F600]`],
])('roff reads %j back as text', (text, expected) => {
  expect(roff(text)).toBe(expected);
});

test('a page has no paragraph right after a heading, and no character that roff does not read', () => {
  for (const [name, text] of pages) {
    expect([name, /^\.SH .*\n\.PP$/m.test(text)]).toEqual([name, false]);
    expect([name, /[^\n -~]/.exec(text)?.[0]]).toEqual([name, undefined]);
  }
});
