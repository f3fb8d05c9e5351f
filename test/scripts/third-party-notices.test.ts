// The licences of what is bundled go along with it.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
// @ts-expect-error -- build scripts are plain JavaScript
import { bundledFolders, noticesText } from '../../scripts/third-party-notices.mjs';
import { tempFolder } from '../support/temp-folder.js';

interface About {
  readonly license?: string;
  readonly url?: string;
  readonly files?: Readonly<Record<string, string>>;
}

async function packages(abouts: Readonly<Record<string, About>>): Promise<readonly string[]> {
  const folder = await tempFolder();
  return Object.entries(abouts).map(([name, { license = 'MIT', url = `git:${name}`, files = {} }]) => {
    const path = join(folder, 'node_modules', name);
    mkdirSync(path, { recursive: true });
    writeFileSync(join(path, 'package.json'), JSON.stringify({ name, version: '1.0.0', license, repository: { url } }));
    for (const [file, text] of Object.entries(files)) writeFileSync(join(path, file), text);
    return path;
  });
}

describe('the text of the notices', () => {
  test('has the licence of each package, and the same text once', async () => {
    const text = noticesText(
      await packages({
        a: { files: { LICENSE: 'by A' } },
        '@b/c': { files: { 'license.md': 'by B\r\n', 'NOTICE.txt': 'note of B' } },
        d: { files: { LICENCE: 'by A' } },
      }),
    );

    expect(text).toContain('a 1.0.0 (MIT)\nd 1.0.0 (MIT)\n');
    expect(text.split('by A')).toHaveLength(2);
    expect(text).toContain('by B\n\nnote of B\n');
  });

  test('takes that of another package of the repository for one without, and refuses one with no text', async () => {
    const url = 'git:one';
    const found = await packages({ a: { url, files: { LICENSE: 'by A' } }, b: { url }, c: { url, license: 'ISC' } });

    expect(noticesText(found.slice(0, 2))).toContain('a 1.0.0 (MIT)\nb 1.0.0 (MIT)\n');
    expect(() => noticesText(found)).toThrow(/^c 1\.0\.0 \(ISC\) is bundled, and .* has no text of its licence/);
    expect(() => noticesText(found.slice(1, 2))).toThrow('b 1.0.0');
  });

  test('is of what is in the output, and not of what was only looked at', () => {
    const inputs = {
      'src/a.ts': { bytesInOutput: 5 },
      'node_modules/@a/b/dist/x.js': { bytesInOutput: 5 },
      'node_modules/@a/b/dist/y.js': { bytesInOutput: 5 },
      'node_modules/c/node_modules/d/x.js': { bytesInOutput: 5 },
      'node_modules/e/x.js': { bytesInOutput: 0 },
    };

    expect(bundledFolders([{ outputs: { out: { inputs } } }])).toEqual([
      'node_modules/@a/b',
      'node_modules/c/node_modules/d',
    ]);
  });
});

test('every package that the code imports, and that is not installed beside it, is named in dist', () => {
  const { dependencies, optionalDependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as Record<
    string,
    Record<string, string>
  >;
  const beside = new Set(Object.keys({ ...dependencies, ...optionalDependencies }));
  const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((path) => /\.tsx?$/.test(path));
  const imported = files.flatMap((path) => {
    const text = readFileSync(join('src', path), 'utf8').replaceAll(/import type [^;]*;/g, '');
    const specifiers = [...text.matchAll(/(?: from |import\()'([@a-z][\w@/.:-]*)'/g)].map(([, found = '']) => found);
    return specifiers.flatMap((found) => /^(?!node:)(?:@[^/]+\/)?[^/]+/.exec(found) ?? []);
  });
  const named = readFileSync('dist/THIRD-PARTY-NOTICES.txt', 'utf8');

  const bundled = [...new Set(imported)].filter((name) => !beside.has(name));

  expect(bundled).toEqual(expect.arrayContaining(['@aws-sdk/client-s3', 'ignore', 'picomatch', 'yaml']));
  expect(bundled.filter((name) => !named.includes(`\n${name} `))).toEqual([]);
});
