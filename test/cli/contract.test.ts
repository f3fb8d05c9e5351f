// What holds for every command of the program, now and later.
import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { allFlags } from '../../src/cli/global-flags.js';
import { commandsDocument } from '../../scripts/docs/commands-document.js';
import { RESERVED_VARIABLES, envNames } from '../../src/cli/env-names.js';
import { kebab } from '../../src/cli/flag.js';
import { helpPage } from '../../src/cli/help.js';
import { resolveLayers } from '../../src/cli/layers.js';
import { normalizeArgv } from '../../src/cli/normalize-argv.js';
import { tokenize } from '../../src/cli/tokenize.js';
import { commandsUnder, findNode, type Node } from '../../src/cli/tree.js';
import { program } from '../../src/commands/index.js';
import { describeTree } from './describe-tree.js';

const root = program();
const commands = [...commandsUnder(root)].map((command) => [command.path, command] as const);
const KEBAB = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/;

describe.each(commands)('%s', (path, command) => {
  const flags = Object.entries(command.flags ?? {});

  test('has a summary, examples that call it, and exit statuses', () => {
    expect(command.summary).toMatch(/^[^A-Z].{5,70}[^.]$/);
    expect(command.examples.length).toBeGreaterThan(0);
    for (const example of command.examples) expect(example).toContain(`archiver ${path}`);
    expect(Object.keys(command.exits)).toContain('0');
  });

  test('has kebab words and flags, described and typed', () => {
    for (const word of path.split(' ')) expect(word).toMatch(KEBAB);
    for (const [key, flag] of flags) {
      expect(kebab(key)).toMatch(KEBAB);
      expect(flag.describe).toMatch(/^\S.{3,}[^.]$/);
      expect(command.rules?.map(({ text }) => text).join('\n') ?? '').not.toMatch(/--[a-z-]*[A-Z]/);
      expect(flag.short ?? 'a').toMatch(/^[a-gi-zA-Z]$/);
    }
  });

  test('has a help page of at most two screens of 60 lines', () => {
    const node = findNode(root, path.split(' '));
    expect(helpPage(node ?? root).split('\n').length - 1).toBeLessThanOrEqual(120);
  });

  test('says of a switch that is on by default what its negative does', () => {
    for (const [, flag] of flags)
      expect(flag.off !== undefined).toBe(flag.kind === 'switch' && flag.defaultText === 'true');
  });

  test('names flags positively: a switch that is on by default shows its own negative', () => {
    for (const [key] of flags) expect(key).not.toMatch(/^no[A-Z]/);
  });

  test('has no short letter and no name twice', () => {
    const all = Object.entries(allFlags(command));
    const shorts = all.flatMap(([, flag]) => (flag.short === undefined ? [] : [flag.short]));
    const names = all.flatMap(([key, flag]) => [key, ...(flag.alias === undefined ? [] : [flag.alias])]);

    expect(shorts).toEqual([...new Set(shorts)]);
    expect(names).toEqual([...new Set(names)]);
  });

  test('leaves --json and --help to the framework', () => {
    expect(flags.map(([key]) => key).filter((key) => ['json', 'help'].includes(key))).toEqual([]);
  });

  test('has optional arguments last, but for a store, and at most one that takes the rest, the last of the others', () => {
    const all = command.args ?? [];
    const args = all.filter(({ store }) => store === undefined);
    const firstOptional = args.findIndex(({ optional }) => optional);

    expect(args.slice(firstOptional === -1 ? args.length : firstOptional).every(({ optional }) => optional)).toBe(true);
    expect(args.slice(0, -1).some(({ many }) => many)).toBe(false);
    for (const arg of all) expect(arg.name).toMatch(/^[A-Z][A-Z0-9_]*$/);
  });

  test('has defaults and samples that its own flags take', () => {
    for (const [key, flag] of flags) {
      const text = flag.kind === 'pairs' ? 'key=value' : flag.type.sample;
      expect([key, flag.parse([text]).ok]).toEqual([key, true]);
      expect([key, flag.parse([flag.defaultText ?? text]).ok]).toEqual([key, true]);
    }
  });

  test('refuses an empty text for every flag but a prefix and the writer of a policy, from argv and from the config file', () => {
    const config = () => ({ texts: [''], where: 'here', line: 1 });
    const mayBeEmpty = path === 'fleetagent iam-policy' ? ['prefix', 'writerId'] : ['prefix'];
    for (const [key, flag] of flags.filter(([name, { kind }]) => kind !== 'switch' && !mayBeEmpty.includes(name))) {
      const fromConfig = () => resolveLayers({ [key]: flag }, { path, texts: {}, env: {}, config });

      expect(() => normalizeArgv({ [key]: flag }, [`--${kebab(key)}=`])).toThrow(`--${kebab(key)} must not be empty`);
      expect(fromConfig).toThrow(/^here must not be empty$/);
    }
  });

  test('takes every flag from argv, the environment and the config file', async () => {
    const all = allFlags(command);
    for (const [key, flag] of Object.entries(all)) {
      const one = { [key]: { ...flag, required: false } };
      const { texts } = await tokenize(all, normalizeArgv(all, [`--${kebab(key)}=${flag.type.sample}`]).argv);
      expect([key, texts[key]]).toEqual([key, [flag.type.sample]]);
      const [name = ''] = envNames(path, key);
      const nothing = { path, texts: {}, env: {}, config: () => undefined };
      const fromEnv = resolveLayers(one, { ...nothing, env: { [name]: flag.type.sample } });
      const config = () => ({ texts: [flag.type.sample], where: 'here', line: 1 });
      expect(fromEnv.origins).toEqual({ [key]: 'environment' });
      expect(resolveLayers(one, { ...nothing, config }).origins).toEqual({ [key]: 'config' });
    }
  });

  test('has help of at most 80 columns', () => {
    const page = helpPage(findNode(root, path.split(' ')) ?? root);

    expect(page.split('\n').filter((line) => line.length > 80)).toEqual([]);
  });
});

function* groups(node: Node): Generator<Node> {
  yield node;
  for (const child of node.children.values()) yield* groups(child);
}

describe('the tree', () => {
  test('every group has a summary and help of at most 80 columns', () => {
    for (const node of groups(root)) {
      expect([node.words.join(' '), node.summary]).not.toEqual([node.words.join(' '), '']);
      expect(
        helpPage(node)
          .split('\n')
          .filter((line) => line.length > 80),
      ).toEqual([]);
    }
  });

  test('no variable has two meanings', () => {
    const meanings = new Map<string, string>();
    const reserved = new Set<string>(RESERVED_VARIABLES.map(({ name }) => name));
    for (const [path, command] of commands) {
      for (const key of Object.keys(allFlags(command))) {
        const [own = '', shared = own] = envNames(path, key);
        for (const [name, meaning] of [
          [own, own === shared ? key : `${path} ${key}`],
          [shared, key],
        ] as const) {
          expect(reserved.has(name)).toBe(false);
          expect([name, meanings.get(name) ?? meaning]).toEqual([name, meaning]);
          meanings.set(name, meaning);
        }
      }
    }
  });

  test('no word of a command is also the name of its parent group’s flag', () => {
    // The root has no section in the config file, so that `context` and `--context` do not meet there.
    for (const node of [...groups(root)].filter(({ words }) => words.length > 0)) {
      const keys = Object.keys({ ...root.globals.flags, ...node.command?.flags }).map(kebab);
      expect([...node.children.keys()].filter((word) => keys.includes(word))).toEqual([]);
    }
  });

  test('is the tree that was reviewed', async () => {
    await expect(describeTree(root)).toMatchFileSnapshot('./commands.txt');
  });

  test('docs/commands.md is current (npm run docs)', async () => {
    expect(await readFile(new URL('../../docs/commands.md', import.meta.url), 'utf8')).toBe(commandsDocument(root));
  });
});
