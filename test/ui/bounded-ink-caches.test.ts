import * as fc from 'fast-check';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { expect, test } from 'vitest';
// @ts-expect-error -- build scripts are plain JavaScript
import { boundedInkCaches, patch } from '../../scripts/bounded-ink-caches.mjs';

const installed = join(import.meta.dirname, '../../node_modules/ink/build');

test.each(['measure-text.js', 'wrap-text.js', 'output.js', 'render-node-to-output.js'])(
  '%s of the installed Ink is what the patch expects',
  async (file) => {
    const source = await readFile(join(installed, file), 'utf8');

    expect(patch(file, source)).not.toBe(source);
    expect(() => patch(file, source.replaceAll('cache', 'memo').replaceAll('widestLine', 'widest'))).toThrow(
      'has changed',
    );
  },
);

test('a bounded map keeps what is used and forgets the rest', async () => {
  const text: string = patch('measure-text.js', await readFile(join(installed, 'measure-text.js'), 'utf8'));
  const source = text.slice(text.indexOf('const boundedMap'), text.indexOf('const cache ='));
  // oxlint-disable-next-line no-implied-eval, no-new-func -- the source is what the build puts into Ink
  const map = new Function(`${source}; return boundedMap(100);`)() as {
    readonly young: Map<string, number>;
    readonly old: Map<string, number>;
    readonly get: (key: string) => number | undefined;
    readonly set: (key: string, value: number) => void;
  };

  map.set('hot', 1);
  for (let at = 0; at < 10_000; at++) {
    map.set(`cold ${at}`, at);
    map.get('hot');
  }

  expect(map.get('hot')).toBe(1);
  expect(map.young.size + map.old.size).toBeLessThanOrEqual(201);
});

/** Bundles an Ink that consists of these files. */
async function bundle(files: Readonly<Record<string, string>>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'archiver-ink-'));
  try {
    await mkdir(join(folder, 'ink/build'), { recursive: true });
    for (const [name, text] of Object.entries(files)) await writeFile(join(folder, 'ink/build', name), text);
    await build({
      entryPoints: [join(folder, 'ink/build/ink.js')],
      bundle: true,
      write: false,
      metafile: true,
      logLevel: 'silent',
      plugins: [boundedInkCaches()],
    });
  } finally {
    await rm(folder, { recursive: true });
  }
}

test('the build fails when a file of Ink has other lines, or another name', async () => {
  await expect(
    bundle({ 'ink.js': "import './measure-text.js';", 'measure-text.js': 'const memo = new Map();' }),
  ).rejects.toThrow('measure-text.js has changed');
  await expect(
    bundle({ 'ink.js': "import './measure.js';", 'measure.js': 'const cache = new Map();' }),
  ).rejects.toThrow('measure-text.js was not bundled');
});

interface Drawn {
  write: (x: number, y: number, text: string, options: { readonly transformers: readonly [] }) => void;
  get: () => { readonly output: string };
}
type OutputClass = new (size: { readonly width: number; readonly height: number }) => Drawn;

test('the short way with plain lines draws what Ink draws', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'archiver-ink-'));
  const entry = join(installed, 'output.js');
  const outfile = join(folder, 'output.mjs');
  await build({
    entryPoints: [entry],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    plugins: [boundedInkCaches()],
  });
  const { default: Ours } = (await import(outfile)) as { default: OutputClass };
  const { default: Theirs } = (await import(entry)) as { default: OutputClass };
  await rm(folder, { recursive: true });
  const draw = (Output: OutputClass, texts: readonly string[]): string => {
    const output = new Output({ width: 30, height: 6 });
    texts.forEach((text, at) => output.write((at * 7) % 20, at % 6, text, { transformers: [] }));
    return output.get().output;
  };
  const codes = ['1', '2', '7', '22', '27', '36', '39', '4', '24', '0', '1;31', '38;5;9', ''].map(
    (code) => `\u001b[${code}m`,
  );
  const plain = ['a', 'Z', ' ', '~', '1', '#', '…', '─', '━', '╸', '│', '█', '▁', '▸', '▾', '▲', '·'];
  const hard = ['é', 'e\u0301', '\u0301', '日', '😀', '1\ufe0f\u20e3', '\u200d', '\ufe0f', '✓', '\u001b]8;;x\u0007'];
  const line = (...parts: readonly string[]): fc.Arbitrary<string> =>
    fc.array(fc.constantFrom(...parts), { maxLength: 25 }).map((some) => some.join(''));
  const lines = fc.array(fc.oneof(line(...plain, ...codes), line(...plain, ...codes, ...hard)), { maxLength: 8 });

  fc.assert(
    fc.property(lines, (texts) => {
      expect(draw(Ours, texts)).toBe(draw(Theirs, texts));
    }),
    { numRuns: 1000 },
  );
});
