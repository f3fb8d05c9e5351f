import { join } from 'node:path';
import { build } from 'esbuild';
import { expect, it } from 'vitest';
// @ts-expect-error -- build scripts are plain JavaScript
import { external } from '../../scripts/external.mjs';
// @ts-expect-error -- build scripts are plain JavaScript
import { inkBundle } from '../../scripts/bundle-ink.mjs';

it('what draws, what speaks S3, and prices are loaded by what needs them, not by the start of the program', async () => {
  const { metafile } = await build({
    ...inkBundle,
    metafile: true,
    entryPoints: [join(import.meta.dirname, '../../src/cli.ts')],
    outdir: 'out',
    write: false,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    external,
  });

  const { outputs } = metafile!;
  const heavy = /node_modules\/(?:ink|react|react-reconciler|yoga-layout|@aws-sdk|@smithy)\/|\/prices\.json$/;
  const holds = (path: string): boolean => Object.keys(outputs[path]?.inputs ?? {}).some((input) => heavy.test(input));
  const loaded = new Set(Object.keys(outputs).filter((path) => path.endsWith('out/cli.js')));
  // A set is walked on over what is added to it meanwhile.
  for (const path of loaded)
    for (const { path: next, kind } of outputs[path]?.imports ?? [])
      if (kind === 'import-statement' && outputs[next] !== undefined) loaded.add(next);
  expect(loaded.size).toBeGreaterThan(1);
  expect([...loaded].filter(holds)).toEqual([]);
  // What is read and compiled before anything is done; `--help` takes about twice what an empty Node does.
  expect([...loaded].reduce((sum, path) => sum + (outputs[path]?.bytes ?? 0), 0)).toBeLessThan(1e6);
  expect(Object.keys(outputs).some(holds)).toBe(true);
});
