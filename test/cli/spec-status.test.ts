// docs/spec-status.md against the commands that there are, and the tests that it names.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { findNode } from '../../src/cli/tree.js';
import { program } from '../../src/commands/index.js';

const root = program();
/** Tried by their letter. */
const SHORT: Readonly<Record<string, RegExp>> = { duration: /'-d'/, destination: /'-d'/ };
const camel = (flag: string): string => flag.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
const cellsOf = (line: string): readonly string[] => line.split('|').map((cell) => cell.trim());
const namesIn = (cell: string): readonly string[] => Array.from(cell.matchAll(/`([^`]+)`/g), ([, name = '']) => name);

const rows = readFileSync(new URL('../../docs/spec-status.md', import.meta.url), 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('| `'))
  .map((line) => {
    const [, command = '', flags = '', tests = ''] = cellsOf(line);
    return { command: namesIn(command)[0] ?? '', flags: namesIn(flags), tests: tests.split('<br>') };
  });

test('the specification has 83 commands, and each has its row', () => {
  expect(rows.length).toBeGreaterThanOrEqual(83);
  expect(new Set(rows.map(({ command }) => command)).size).toBe(rows.length);
});

test.each(rows.map((row) => [row.command, row] as const))('%s', (command, { flags, tests }) => {
  const node = findNode(root, command.split(' '));
  const declared = [node, ...(node?.children.values() ?? [])].flatMap((one) =>
    Object.entries(one?.command?.flags ?? {}),
  );
  const names = declared.flatMap(([key, { alias }]) => [key, alias]);
  const known = new Set([...names, 'json', 'quiet', 'verbose', 'yes', 'profile', 'trace']);
  const texts = tests.map((name) => readFileSync(new URL(`../${name}`, import.meta.url), 'utf8'));
  const isTried = (flag: string): boolean =>
    texts.some((text) => text.includes(flag) || text.includes(camel(flag)) || SHORT[flag]?.test(text) === true);

  expect(node).toBeDefined();
  for (const flag of flags.map((name) => name.replace(/^--(?:no-)?/, ''))) {
    expect([flag, known.has(camel(flag)) || known.has(camel(`no-${flag}`))]).toEqual([flag, true]);
    expect([flag, isTried(flag)]).toEqual([flag, true]);
  }
});
