// The examples of docs/api.md, run against what was built, as another program imports it.
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
// @ts-expect-error -- build scripts are plain JavaScript
import { apiExamples } from '../../scripts/api-examples.mjs';
import * as face from '../../src/engine/index.js';

const run = promisify(execFile);

/** A folder from which the package finds itself by its name. */
function inPackage(): string {
  const parent = join(import.meta.dirname, '../../tmp');
  mkdirSync(parent, { recursive: true });
  const folder = mkdtempSync(join(parent, 'api-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

describe('docs/api.md', () => {
  test('its first program archives, lists, restores and compares', async () => {
    const [first = ''] = apiExamples(inPackage(), 'mjs') as readonly string[];

    const { stdout, stderr } = await run(process.execPath, [first]);

    expect(stdout).toMatch(
      /^version 1 of photos-[0-9a-f]{8}: 2 files in \d+ bytes\none\.txt: 16 bytes, .*\ntwo\.txt: 17 bytes/,
    );
    expect(stderr).toBe('');
  });

  test('its others run as they stand', async () => {
    const [, ...others] = apiExamples(inPackage(), 'mjs') as readonly string[];
    expect(others).toHaveLength(2);

    const said: string[] = [];
    for (const path of others) said.push((await run(process.execPath, [path])).stdout);

    const [, turns = ''] = said;
    expect(turns.split('\n')).toEqual(
      expect.arrayContaining([
        '2 files, 10000 bytes to read',
        'still version 1',
        '2026/a.jpg',
        'restored 2',
        'versions looked at: 1',
      ]),
    );
  });

  test('its tables of functions and codes leave out none', async () => {
    const text = readFileSync(join(import.meta.dirname, '../../docs/api.md'), 'utf8');
    const functions = Object.keys(face).filter((name) => name !== 'ArchiverError' && name !== 'isArchiverError');
    const errors = readFileSync(join(import.meta.dirname, '../../src/core/platform/failures/errors.ts'), 'utf8');
    const codes = [...(/type ErrorCode =([^;]*);/.exec(errors)?.[1] ?? '').matchAll(/'([a-z-]+)'/g)].map(
      ([, code]) => code,
    );

    expect(functions.filter((name) => !text.includes(`\`${name}(store`) && !text.includes(`\`${name}(url`))).toEqual(
      [],
    );
    expect(codes.filter((code) => code !== 'access-posture' && !text.includes(`\`${code}\``))).toEqual([]);
  });
});

test('nothing of the process is needed or changed: no folder, no words, no status, no end', async () => {
  const folder = inPackage();
  const [path = ''] = apiExamples(folder, 'mjs') as readonly string[];
  const program = `
    const never = (name) => () => { throw new Error('process.' + name + ' was called'); };
    for (const name of ['cwd', 'exit', 'abort', 'chdir']) process[name] = never(name);
    Object.defineProperty(process, 'stdin', { get: never('stdin') });
    process.argv = ['node', 'other', '--json'];
    const { archive, openStore, restore, versions } = await import('zstd-archiver/engine');
    const state = () => JSON.stringify([process.env, process.argv, process.exitCode ?? null, process.eventNames().map(String)]);
    const before = state();
    const store = await openStore('${folder}/store', { home: '${folder}/home' });
    await archive(store, '${folder}/data');
    await restore(store, '${folder}/out');
    const code = await versions(store, { dataset: 'none' }).catch((error) => error.code);
    store.close();
    const { writeSync } = await import('node:fs');
    writeSync(1, code + ' ' + (state() === before ? 'as before' : state()));
    process.once('beforeExit', () => writeSync(1, ', ends by itself'));
  `;
  writeFileSync(path, program);

  const { stdout, stderr } = await run(process.execPath, [path]);

  expect([stdout, stderr]).toEqual(['not-found as before, ends by itself', '']);
});
