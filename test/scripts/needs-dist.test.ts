import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createNeedsDist, unitTests } from '../support/needs-dist.js';
import { tempFolder } from '../support/temp-folder.js';

/** Whether a test of this text needs dist/, beside a module that names it. */
async function needsDist(text: string): Promise<boolean> {
  const folder = await tempFolder();
  mkdirSync(join(folder, 'src'));
  writeFileSync(join(folder, 'src/thread.ts'), 'export const url = (name: string) => `../dist/${name}.js`;');
  writeFileSync(join(folder, 'src/upload.tsx'), `export const later = async () => await import('./thread.js');`);
  writeFileSync(join(folder, 'a.test.ts'), text);
  return createNeedsDist()(join(folder, 'a.test.ts'));
}

test.each([
  ['names it', `spawn('node', ['dist/cli.js']);`],
  ['copies it', `cpSync('dist', folder);`],
  ['imports what names it', `import { url } from './src/thread.js';`],
  ['imports what loads that later', `import {\n  later,\n} from './src/upload.js';`],
  ['starts what does', `spawn('tsx', [fileURLToPath(new URL('./src/upload.tsx', import.meta.url))]);`],
])('a test that %s needs dist', async (_what, text) => {
  expect(await needsDist(text)).toBe(true);
});

test.each([
  ['imports nothing of ours', `import { expect } from 'vitest';`],
  ['imports types only', `import type {\n  Url,\n} from './src/thread.js';`],
  ['says the word', `// runs from dist/\ntest('a distance of dist/ance', () => undefined);`],
])('a test that %s needs none', async (_what, text) => {
  expect(await needsDist(text)).toBe(false);
});

test('of this tree, tests of texts need none, and those that pack or start the program do', () => {
  const unit = unitTests();

  expect(unit).toContain('test/core/platform/text/csv.test.ts');
  expect(unit).not.toContain('test/core/platform/threads/kept-threads.test.ts');
  expect(unit.filter((path) => path.startsWith('test/e2e/'))).toEqual([]);
});
