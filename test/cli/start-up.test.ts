// A call of a command loads the declarations of many. What they import must be light, or each of them pays for it.
import { build } from 'esbuild';
import { expect, test } from 'vitest';

test('the entry loads no package, no screen and no engine', async () => {
  const { metafile } = await build({
    entryPoints: ['src/main.ts'],
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    packages: 'external',
    outdir: 'unused',
    write: false,
    metafile: true,
  });
  const loaded = new Set<string>();
  const packages = new Set<string>();
  const visit = (path: string): void => {
    if (loaded.has(path)) return;
    loaded.add(path);
    for (const { path: next, kind, external } of metafile.inputs[path]!.imports) {
      if (kind === 'dynamic-import') continue;
      if (next === 'node:crypto') packages.add(next);
      if (next.startsWith('node:')) continue;
      if (external === true) packages.add(next);
      else visit(next);
    }
  };
  visit('src/main.ts');
  expect([...loaded].filter((path) => /^src\/(?:commands|features)/.test(path))).toEqual([]);
  visit('src/commands/index.ts');
  expect([...packages]).toEqual([]);
  expect([...loaded].filter((path) => /^src\/(?:screens|stores)\//.test(path))).toEqual([]);
  const heavy =
    /^src\/core\/(?:archive\/(?!resume\/)|mend\/|restore\/(?!jobs\/)|format\/encryption\/)|open-store|file-store|\/s3-/;
  expect([...loaded].filter((path) => heavy.test(path))).toEqual([]);
  // Tables of plain commands are drawn without Ink; what people typed is completed and read without a parser of YAML.
  for (const path of ['src/ui/result-table.ts', 'src/cli/complete-known.ts', 'src/core/seen/seen-place.ts'])
    visit(path);
  expect([...packages].filter((name) => ['ink', 'react', 'yaml'].includes(name))).toEqual([]);
});
