import { join } from 'node:path';
import { build, type BuildOptions, type Metafile } from 'esbuild';
import { expect, it } from 'vitest';
// @ts-expect-error -- build scripts are plain JavaScript
import { chunkGroups, groupedModules } from '../../scripts/chunk-groups.mjs';
// @ts-expect-error -- build scripts are plain JavaScript
import { external } from '../../scripts/external.mjs';
// @ts-expect-error -- build scripts are plain JavaScript
import { leanMeow } from '../../scripts/lean-meow.mjs';
// @ts-expect-error -- build scripts are plain JavaScript
import { leanSchemas } from '../../scripts/lean-schemas.mjs';
// @ts-expect-error -- build scripts are plain JavaScript
import { inkBundle } from '../../scripts/bundle-ink.mjs';

const ENTRY = 'src/main.ts';

const program: BuildOptions = {
  ...inkBundle,
  metafile: true,
  entryPoints: [join(import.meta.dirname, '../..', ENTRY)],
  outdir: 'out',
  write: false,
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  external,
};

async function outputsOf(more: BuildOptions): Promise<Metafile['outputs']> {
  const { metafile } = await build({ ...program, splitting: true, ...more });
  return metafile!.outputs;
}

/** These files and all that they load at once, directly or not. */
function withImports(outputs: Metafile['outputs'], files: readonly string[]): Set<string> {
  const loaded = new Set(files);
  // A set is walked on over what is added to it meanwhile.
  for (const path of loaded)
    for (const { path: next, kind } of outputs[path]?.imports ?? [])
      if (kind === 'import-statement' && outputs[next] !== undefined) loaded.add(next);
  return loaded;
}

it('what draws, what speaks S3, what reads documents, and prices are loaded by what needs them, not by the start of the program', async () => {
  const outputs = await outputsOf({});
  const heavy = /node_modules\/(?:ink|react|react-reconciler|yoga-layout|@aws-sdk|@smithy|zod)\/|\/prices\.json$/;
  const holds = (path: string): boolean => Object.keys(outputs[path]?.inputs ?? {}).some((input) => heavy.test(input));
  const loadedBy = (ends: RegExp): Set<string> =>
    withImports(
      outputs,
      Object.keys(outputs).filter((path) => ends.test(path)),
    );
  const bytesOf = (loaded: Iterable<string>): number =>
    [...loaded].reduce((sum, path) => sum + (outputs[path]?.bytes ?? 0), 0);
  const front = loadedBy(/out\/main\.js$/);
  const whole = new Set([...front, ...loadedBy(/out\/commands-\w+\.js$/)]);
  expect(whole.size).toBeGreaterThan(front.size);
  expect([...whole].filter(holds)).toEqual([]);
  // What Node reads and compiles before anything is done: first for every call but `--help` and `--version`, then for a command. Both may shrink.
  expect(bytesOf(front)).toBeLessThan(170e3);
  expect(bytesOf(whole)).toBeLessThan(800e3);
  expect(Object.keys(outputs).some(holds)).toBe(true);
});

it('modules of one group share a file, which loads no package of the AWS SDKs and nothing that draws', async () => {
  const { plugin, sets } = await chunkGroups(ENTRY, program);
  const outputs = await outputsOf({ plugins: [...(program.plugins ?? []), plugin] });

  expect((groupedModules as readonly string[]).filter((path) => !sets.flat().includes(path))).toEqual([]);
  const heavy = /node_modules\/(?:ink|react|react-reconciler|yoga-layout|@aws-sdk|@smithy)\//;
  const pathsOf = (wanted: (path: string) => boolean): string[] =>
    Object.keys(outputs).filter((path) => Object.keys(outputs[path]?.inputs ?? {}).some(wanted));
  for (const set of sets) {
    const files = pathsOf((path) => set.includes(path));
    expect({ first: set[0], files }).toEqual({ first: set[0], files: [expect.any(String)] });
    const loaded = withImports(outputs, files);
    expect(pathsOf((path) => heavy.test(path)).filter((path) => loaded.has(path))).toEqual([]);
    // What a command of every day runs does not bring the declarations of the others.
    const [others] = pathsOf((path) => path === 'src/commands/index.ts');
    const isOfOthers = set.includes('src/commands/index.ts');
    expect({ first: set[0], others: loaded.has(others ?? '') }).toEqual({ first: set[0], others: isOfOthers });
  }
});

it('a restore, a check and what asks budgets load nothing of an upload, and no YAML; S3 is spoken without HTTP/2', async () => {
  const { plugin } = await chunkGroups(ENTRY, program);
  const outputs = await outputsOf({ plugins: [...(program.plugins ?? []), plugin] });
  const ofUploads = /^src\/core\/archive\/transfer\/|node_modules\/yaml\//;

  const loadedBy = (entries: readonly string[]): readonly string[] => {
    const names = new RegExp(`^out/(?:${entries.join('|')})-[A-Z0-9]{8}\\.js$`);
    const files = Object.keys(outputs).filter((path) => names.test(path));
    expect(files.length).toBeGreaterThanOrEqual(entries.length);
    return [...withImports(outputs, files)];
  };
  const holding = (...entries: string[]): readonly string[] =>
    loadedBy(entries).filter((path) => Object.keys(outputs[path]?.inputs ?? {}).some((input) => ofUploads.test(input)));
  expect(holding('run-archive')).not.toEqual([]);
  expect(holding('retrieve-with-job', 'unpack-work', 'verify', 'verify-store', 'verified', 'print-files')).toEqual([]);
  expect(holding('reserve', 'verdict', 'open-book')).toEqual([]);

  const ofNode = loadedBy(['s3-client', 's3-store']).flatMap((path) => outputs[path]?.imports ?? []);
  const atOnce = ofNode.filter(({ kind }) => kind === 'import-statement').map(({ path }) => path);
  expect(atOnce).toContain('node:https');
  expect(atOnce).not.toContain('node:http2');
});

const bundledBytes = (outputs: Metafile['outputs'], folder: string): number =>
  Object.values(outputs)
    .flatMap(({ inputs }) => Object.entries(inputs))
    .filter(([path]) => path.includes(folder))
    .reduce((sum, [, { bytesInOutput }]) => sum + bytesInOutput, 0);

it('of meow, which each command loads, the bundle has what takes argv apart', async () => {
  const bytes = bundledBytes(
    await outputsOf({ plugins: [...(program.plugins ?? []), leanMeow] }),
    'node_modules/meow/',
  );

  expect(bytes).toBeGreaterThan(10e3);
  expect(bytes).toBeLessThan(110e3);
});

it('of what the SDK says of all calls of S3, the bundle has those that we make', async () => {
  const bytes = bundledBytes(
    await outputsOf({ mainFields: ['module', 'main'], plugins: [...(program.plugins ?? []), leanSchemas] }),
    'client-s3/dist-es/schemas/',
  );

  expect(bytes).toBeGreaterThan(20e3);
  expect(bytes).toBeLessThan(80e3);
});
