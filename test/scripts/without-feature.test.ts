// Every feature is one line of src/features.ts. Without it the program builds, has nothing of the feature, and does everything else.
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build, type BuildOptions, type Plugin } from 'esbuild';
import { describe, expect, test } from 'vitest';
// @ts-expect-error -- build scripts are plain JavaScript
import { chunkGroups } from '../../scripts/chunk-groups.mjs';
// @ts-expect-error -- build scripts are plain JavaScript
import { FEATURES as FOLDERS } from '../../scripts/import-rules.mjs';
// @ts-expect-error -- build scripts are plain JavaScript
import { LISTS, listWithout } from '../../scripts/without-feature.mjs';
import type { Feature } from '../../src/cli/feature.js';
import { kebab } from '../../src/cli/flag.js';
import { findNode } from '../../src/cli/tree.js';
import { program } from '../../src/commands/index.js';
import { FEATURE_COMMANDS } from '../../src/feature-commands.js';
import { FEATURES } from '../../src/features.js';
import { json, runCommand } from '../support/run-command.js';
import { tempFolder } from '../support/temp-folder.js';

const ENTRY = 'src/main.ts';
const LIST_MODULE = 'src/features.ts';
const COMMANDS_MODULE = 'src/feature-commands.ts';
const names = FEATURES.map(({ name }) => name);

/** The lists without these. */
const leavingOut = (left: readonly string[]): Plugin => ({
  name: 'leaving-out',
  setup(building) {
    for (const list of LISTS as readonly string[])
      building.onLoad({ filter: new RegExp(`/${list}$`) }, () => {
        return { contents: listWithout(left, list) as string, loader: 'ts' };
      });
  },
});

const options = {
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  packages: 'external',
  outdir: 'unused',
  write: false,
} satisfies BuildOptions;

/** The modules of src/ in a program without these features. */
async function modulesWithout(left: readonly string[]): Promise<readonly string[]> {
  const plugins = [leavingOut(left)];
  const { metafile } = await build({ ...options, entryPoints: [ENTRY], plugins, metafile: true });
  return Object.keys(metafile.inputs).filter((path) => path.startsWith('src/'));
}

/** Flags of `upload` that are for a feature. */
const FLAGS: Readonly<Record<string, readonly string[]>> = {
  money: ['uploadHistory', 'budgetStore', 'ignoreBudget'],
  notify: ['pingUrl', 'textfile'],
  access: ['checkAccess', 'failOn'],
  projects: ['gitMetadata', 'dvcAuto', 'dvcCache', 'dvcStage', 'dvcCacheDir', 'generateDvcFiles', 'dvcOutputDir'],
  diagnostics: ['prometheusAddr', 'tracing', 'tracingExporter', 'tracingEndpoint', 'tracingSampleRate'],
};

test('each list has a line for each folder that scripts/import-rules.mjs calls a feature', () => {
  const folders = [...(FOLDERS as readonly string[])].sort();
  expect([...names].sort()).toEqual(folders);
  expect(Object.keys(FEATURE_COMMANDS).sort()).toEqual(folders);
});

test.each(names)('it builds without %s', async (name) => {
  // As it ships: what is loaded together has modules of features, too.
  const { sets } = await chunkGroups(ENTRY, { ...options, plugins: [leavingOut([name])] });
  const [, everyday, commands] = sets as readonly (readonly string[])[];

  expect(everyday).toContain(LIST_MODULE);
  expect(everyday).not.toContain(`src/commands/${name}/feature.ts`);
  expect(commands).toContain(COMMANDS_MODULE);
  expect(commands).not.toContain(`src/commands/${name}/commands.ts`);
});

test('without all of them nothing of a feature is in it', async () => {
  const ofFeatures = new RegExp(`^src/(?:core|commands|screens|stores)/(?:${names.join('|')})/`);
  const isOfOne = (path: string): boolean => ofFeatures.test(path);

  expect((await modulesWithout(names)).filter(isOfOne)).toEqual([]);
  expect((await modulesWithout([])).filter(isOfOne).length).toBeGreaterThan(100);
});

const programs: [string, readonly Feature[]][] = [
  ...FEATURES.map((feature): [string, readonly Feature[]] => [feature.name, [feature]]),
  ['all of them', FEATURES],
];

describe.each(programs)('without %s', (_name, left) => {
  const root = program(FEATURES.filter((feature) => !left.includes(feature)));
  const whole = program();
  const call = async (folder: string, ...argv: readonly string[]) => await runCommand({ root, folder }, argv);

  test('there is none of its commands and flags', async () => {
    const folder = await tempFolder();
    const shown = (await call(folder, '--help')).stdout;
    for (const { path } of left.flatMap(({ name }) => FEATURE_COMMANDS[name] ?? [])) {
      const words = path.split(' ');
      expect(findNode(whole, words)?.command).toBeDefined();
      expect(findNode(root, words)).toBeUndefined();
      expect(shown).not.toMatch(new RegExp(`^  ${words[0]} `, 'm'));
      expect((await call(folder, ...words)).stderr).toContain('is not a command');
    }
    const flagsOf = (from: typeof root): readonly string[] =>
      Object.keys({ ...from.globals.flags, ...findNode(from, ['upload'])?.command?.flags });
    const gone = flagsOf(whole).filter((key) => !flagsOf(root).includes(key));
    const own = left.flatMap(({ name, globals }) => [...Object.keys(globals?.flags ?? {}), ...(FLAGS[name] ?? [])]);
    expect([...gone].sort()).toEqual([...own].sort());
    for (const key of gone)
      expect((await call(folder, 'upload', '.', 'file:///x', `--${kebab(key)}`)).stderr).toContain(
        `--${kebab(key)} is not a flag here`,
      );
  });

  test('a folder is archived, listed, verified, synced and restored', async () => {
    const folder = await tempFolder();
    const source = join(folder, 'source');
    await mkdir(join(source, 'below'), { recursive: true });
    await writeFile(join(source, 'a.txt'), 'one');
    await writeFile(join(source, 'below', 'b.txt'), 'two');

    const plan = await call(folder, 'sync', source, './store', '--dry-run', '--json');
    expect(json(plan.stdout)).toMatchObject({ files: 2, wouldRefuse: false });
    const made = await call(folder, 'upload', source, './store', '--json');
    expect(made).toMatchObject({ status: 0, stderr: expect.not.stringContaining('!') as string });
    await writeFile(join(source, 'c.txt'), 'three');
    expect((await call(folder, 'sync', source, './store')).stdout).toContain('1 added');
    const location = String(json(made.stdout)['location']);
    expect((await call(folder, 'list', location)).stdout).toContain('below/b.txt');
    expect((await call(folder, 'verify', location)).status).toBe(0);
    const out = join(folder, 'out');
    expect(
      (await call(folder, 'restore', './store', out, '--dataset', String(json(made.stdout)['datasetId']), '--all'))
        .status,
    ).toBe(0);
    expect((await readdir(out, { recursive: true })).sort()).toEqual(['a.txt', 'below', 'below/b.txt', 'c.txt']);
    expect(await readFile(join(out, 'below/b.txt'), 'utf8')).toBe('two');
    // The ledger is what only the feature money keeps.
    const kept = await readdir(join(folder, 'home'));
    expect(kept.includes('ledger')).toBe(!left.some(({ name }) => name === 'money'));
  });
});

test.each([
  ['money', ['costs', 'analyze']],
  ['fleet', ['fleet']],
])('without %s the dashboard has no views %j', async (name, views) => {
  const folder = await tempFolder();
  for (const view of views) {
    const argv = ['dashboard', '--once', '--view', view, '--json'];
    const root = program(FEATURES.filter((feature) => feature.name !== name));
    expect(await runCommand({ root, folder }, argv)).toMatchObject({
      status: 2,
      stdout: expect.stringContaining(`this program has no view ${view}`) as string,
    });
    const { stdout } = await runCommand({ root: program(), folder }, argv);
    expect(stdout).not.toContain('this program has no view');
  }
});
