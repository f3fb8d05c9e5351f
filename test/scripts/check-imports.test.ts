import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
// @ts-expect-error -- build scripts are plain JavaScript
import { DELETERS } from '../../scripts/import-rules.mjs';

const SCRIPT = join(import.meta.dirname, '../../scripts/check-imports.mjs');
const folders: string[] = [];

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

function check(files: Record<string, string>): { status: number | null; told: string; said: string } {
  const root = mkdtempSync(join(tmpdir(), 'imports-'));
  folders.push(root);
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text);
  }
  const { status, stderr, stdout } = spawnSync(process.execPath, [SCRIPT, root], { encoding: 'utf8' });
  return { status, told: stderr.replaceAll(`${root}/`, ''), said: stdout };
}

describe('check-imports', () => {
  test('the tree itself passes', () => {
    const said = execFileSync(process.execPath, [SCRIPT], { cwd: dirname(dirname(SCRIPT)), encoding: 'utf8' });
    expect(said).toContain('0 faults');
  });

  test.each([
    ['a value', `import { b } from './b.js';`],
    ['a type', `import type { B } from './b.js';`],
    ['a re-export', `export { b } from './b.js';`],
    ['a star', `export * from './b.js';`],
    ['a type among values', `import { type B } from './b.js';`],
    ['await import', `export const later = async () => await import('./b.js');`],
  ])('a circle closed by %s is a fault', (_what, line) => {
    const { status, told } = check({
      'ui/a.ts': `${line}\nexport interface A { x: 1 }`,
      'ui/b.tsx': `import type { A } from './a.js';\nexport const b: A | 1 = 1;\nexport type B = 1;`,
    });
    expect(told).toBe('circle of 2: ui/a ui/b\n');
    expect(status).toBe(1);
  });

  test('two circles that share no file are two', () => {
    const pair = (one: string, other: string) => ({
      [`ui/${one}.ts`]: `import './${other}.js';`,
      [`ui/${other}.ts`]: `import './${one}.js';\nimport './d.js';`,
    });
    expect(check({ ...pair('a', 'b'), ...pair('c', 'd') }).told).toBe(
      'circle of 2: ui/a ui/b\ncircle of 2: ui/c ui/d\n',
    );
  });

  test.each([
    ['a value', `import { b } from '../far/b.js';`],
    ['a type', `import type { B } from '../far/b.js';`],
    ['await import', `export const later = async () => await import('../far/b.js');`],
  ])('a circle of rooms closed by %s is a fault, and the fewest imports that close it are named', (_what, line) => {
    const { status, told } = check({
      'ui/near/a.ts': line,
      'ui/near/c.ts': '',
      'ui/near/d.ts': '',
      'ui/far/b.ts': '',
      'ui/far/e.ts': `import '../near/c.js';\nimport '../near/d.js';`,
    });
    expect(told).toBe('circle of 2 rooms of ui: far near\n  ui/near/a imports ui/far/b\n');
    expect(status).toBe(1);
  });

  test('a file beside folders is a room, one with the folder of its name', () => {
    const { told } = check({
      'ui/a.ts': `import './b/one.js';`,
      'ui/a/deep.ts': '',
      'ui/b/one.ts': '',
      'ui/b/two.ts': `import '../a/deep.js';`,
      'ui/c.ts': `import './a.js';`,
    });
    expect(told).toContain('circle of 2 rooms of ui: a b\n');
  });

  test('rooms of a room have no circles either', () => {
    const { told } = check({
      'ui/a/near/one.ts': `import '../far/one.js';`,
      'ui/a/near/two.ts': '',
      'ui/a/far/one.ts': '',
      'ui/a/far/two.ts': `import '../near/two.js';`,
    });
    expect(told).toContain('circle of 2 rooms of ui/a: far near\n');
  });

  test.each([
    ['core/a.ts', `import type { S } from '../stores/s.js';`, 'core imports nothing above it'],
    ['core/a.ts', `import { Text } from 'ink';`, 'core imports nothing above it'],
    ['core/a/b.ts', `export const c = async () => await import('../../cli/c.js');`, 'core imports nothing above it'],
    ['core/a.ts', `import { S3Client } from '@aws-sdk/client-s3';`, 'know the SDK'],
    ['ui/a.ts', `import { x } from '../core/x.js';`, 'ui imports ink and react only'],
    ['stores/a.ts', `export { x } from '../ui/x.js';`, 'stores import core only'],
    ['screens/a.tsx', `import { x } from '../commands/x.js';`, 'screens import ui and stores'],
    ['cli/a.ts', `import { x } from '../screens/x.js';`, 'stays light'],
    ['engine/a.ts', `import type { X } from '../cli/x.js';`, 'the face of the engine imports core only'],
    ['commands/a.ts', `import { list } from '../engine/list.js';`, 'for other programs'],
    ['core/mend/repair/a.ts', `import { fileStore } from '../../store/file/file-store.js';`, 'openStore hands on'],
    [
      'core/mend/repair/a.ts',
      `import type { ObjectDeleter } from '../../store/object-store.js';`,
      'who may delete is listed',
    ],
    [
      'core/mend/repair/a.ts',
      `import { type WholeStore as Mine } from '../../store/object-store.js';`,
      'who may delete',
    ],
    ['core/restore/a.ts', `import { x } from '../money/ledger/x.js';`, 'features stand around the engine'],
    ['commands/kit/a.ts', `import type { X } from '../../core/fleet/x.js';`, 'features stand around the engine'],
    ['commands/list.ts', `const x = async () => await import('./money/x.js');`, 'features stand around the engine'],
    ['cli/a.ts', `import type { X } from '../core/notify/x.js';`, 'features stand around the engine'],
    ['cli/a.ts', `import type { X } from '../commands/kit/x.js';`, 'the framework knows no command'],
    ['commands/fleet/a.ts', `import { money } from '../money/feature.js';`, 'a feature is named in one list'],
    ['commands/fleet/a.ts', `import { FEATURES } from '../../features.js';`, 'in one place'],
    ['commands/repair.ts', `export const gone = (opened) => opened.deleter.delete(['x']);`, 'names deleter'],
  ])('%s may not say %s', (file, line, why) => {
    const { status, told } = check({ [file]: line });
    expect(told).toContain(why);
    expect(status).toBe(1);
  });

  test.each([
    ['cli/a.ts', `export const x = async () => await import('../screens/x.js');`],
    ['cli/a.ts', `import type { X } from '../screens/x.js';`],
    ['core/store/s3/s3-client.ts', `import { S3Client } from '@aws-sdk/client-s3';`],
    ['core/store/kms/kms-client.ts', `import { KMSClient } from '@aws-sdk/client-kms';`],
    ['commands/a.ts', `import { x } from '../core/x.js';`],
    ['engine/a.ts', `import { x } from '../core/x.js';`],
    ['commands/fleet/a.ts', `import { x } from '../money/x.js';\nimport { y } from '../../core/notify/y.js';`],
    ['features.ts', `import { money } from './commands/money/feature.js';`],
    ['commands/index.ts', `import { FEATURES } from '../features.js';`],
    ['core/dataset/prune/sweep.ts', `import type { ObjectDeleter } from '../../store/object-store.js';`],
    ['core/store/plain-store.ts', `import { fileStore } from './file/file-store.js';`],
  ])('%s may say %s', (file, line) => {
    expect(check({ [file]: line })).toMatchObject({ status: 0, told: '' });
  });

  test('whoever is listed as one who may delete names what deletes', () => {
    const { files, names } = DELETERS as { files: Readonly<Record<string, string>>; names: RegExp };
    for (const file of Object.keys(files).filter((name) => !name.endsWith('/')))
      expect([file, readFileSync(join(dirname(SCRIPT), '../src', file), 'utf8')]).toEqual([
        file,
        expect.stringMatching(names),
      ]);
  });
});
