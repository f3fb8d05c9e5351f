// Stages of pipelines below the folder, and `.dvc` files, under the names that DVC has for them.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tempFolder } from '../support/temp-folder.js';
import { archiver } from './in-process.js';
import { filesBelow } from './upload-cli.js';

const FILES = {
  'dvc.yaml': 'stages: {train: {cmd: x, outs: [model]}}',
  model: 'm',
  'sub/dvc.yaml':
    'stages: {train: {cmd: x, outs: [model, none]}, all: {foreach: [a], do: {cmd: x, outs: ["${item}"]}}}',
  'sub/dvc.lock': "schema: '2.0'\nstages: {all@a: {cmd: x, outs: [{path: a}]}}",
  'sub/model': 'sm',
  'sub/a': 'a',
  'data.dvc': 'outs:\n- {path: data}\n',
  'data/one': '1',
  'data/two': '2',
  readme: 'r',
};

async function uploaded(files: Readonly<Record<string, string>> = FILES) {
  const home = await tempFolder();
  const source = join(home, 'source');
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(source, path, '..'), { recursive: true });
    writeFileSync(join(source, path), text);
  }
  mkdirSync(join(source, 'empty'));
  writeFileSync(join(source, 'empty.dvc'), 'outs:\n- {path: empty}\n');
  const upload = async (...args: readonly string[]) => {
    const { stdout, stderr, status } = await archiver(home, [
      'upload',
      source,
      `file://${home}/store`,
      ...args,
      '--json',
    ]);
    return { document: JSON.parse(stdout) as Record<string, unknown>, stderr, status };
  };
  return { home, source, upload };
}

test('name files wherever a stage can be named', async () => {
  const { home, source, upload } = await uploaded();
  const { document } = await upload('--dvc-auto');
  const location = String(document['location']);
  const restored = async (stage: string): Promise<readonly string[]> => {
    const output = join(home, 'out', stage.replaceAll('/', '_'));
    const { status } = await archiver(home, ['restore', location, output, '--dvc-stage', stage]);
    return status === 0 ? filesBelow(output).sort() : [`status ${status}`];
  };

  const stages = await archiver(home, ['dvc', 'stages', location, '--json']);
  expect(JSON.parse(stages.stdout)).toMatchObject({
    stages: [
      { name: 'data.dvc', files: 2 },
      { name: 'empty.dvc', files: 0 },
      { name: 'sub/dvc.yaml:all@a', files: 1 },
      { name: 'sub/dvc.yaml:train', files: 1 },
      { name: 'train', files: 1 },
    ],
  });
  expect(await restored('train')).toEqual(['model']);
  expect(await restored('dvc.yaml:train')).toEqual(['model']);
  expect(await restored('dvc.yaml')).toEqual(['model']);
  expect(await restored('sub/dvc.yaml:train')).toEqual(['sub/model']);
  expect(await restored('sub/dvc.yaml:all')).toEqual(['sub/a']);
  expect(await restored('./sub/dvc.yaml')).toEqual(['sub/a', 'sub/model']);
  expect(await restored('data.dvc')).toEqual(['data/one', 'data/two']);
  expect(await restored('empty.dvc')).toEqual([]);
  const status = await archiver(home, ['dvc', 'status', source, location, '--stage', 'data.dvc', '--json']);
  expect(JSON.parse(status.stdout)).toMatchObject({ files: 2, unchanged: 2 });
});

test('can be the one that is recorded, and one that is not there is named', async () => {
  const { home, upload, source } = await uploaded();

  const { document } = await upload('--dvc-stage', 'sub/dvc.yaml:train');
  const info = await archiver(home, ['info', String(document['location'])]);
  const wrong = await archiver(home, ['upload', source, `file://${home}/store`, '--dvc-stage', 'sub/dvc.yaml:trian']);

  expect(info.stdout).toMatch(/DVC stage +sub\/dvc\.yaml:train/);
  expect([wrong.status, wrong.stderr]).toEqual([
    2,
    expect.stringContaining('there is no stage sub/dvc.yaml:trian; did you mean sub/dvc.yaml:train?'),
  ]);
});

test('that are not known are said, and cost their names alone', async () => {
  const { upload } = await uploaded({
    'dvc.yaml':
      'stages: {each: {foreach: [a], do: {cmd: x, outs: ["${item}"]}}, at: {wdir: "${w}", cmd: x}, t: {cmd: x, outs: [a]}}',
    a: 'a',
    'bad.dvc': 'outs: [',
  });

  const { stderr, status } = await upload('--dvc-auto');

  expect(status).toBe(0);
  expect(stderr).toContain(
    'stage each has loops or templates, and dvc.lock does not have it: no file is recorded as made by it',
  );
  expect(stderr).toContain(
    "stage at has a template in 'wdir', which is not worked out: no file is recorded as made by it",
  );
  expect(stderr).toMatch(/bad\.dvc line 1: .*; no file is recorded as made by its stages/);
});

test('outputs that a version lacks, or that are not as dvc.lock has them, are said', async () => {
  const { upload, home, source } = await uploaded({
    'dvc.yaml': 'stages: {t: {cmd: x, outs: [a, gone]}, u: {cmd: x, outs: [d]}}',
    'dvc.lock': `schema: '2.0'\nstages: {t: {cmd: x, outs: [{path: a, md5: ${'a'.repeat(32)}, hash: md5}]}}`,
    a: 'a',
    'd/x': 'x',
    'd/y.tmp': 'y',
    '.dvcignore': '*.tmp\n',
  });

  const { document, status } = await upload('--dvc-auto');

  expect([status, document['dvcOuts']]).toEqual([
    0,
    [
      { change: 'modified', path: 'a', stage: 't', reason: 'its content is another one' },
      { change: 'missing', path: 'gone', stage: 't', reason: 'it is not in the version' },
    ],
  ]);
  const text = await archiver(home, ['upload', source, `file://${home}/store`, '--dvc-stage', 't']);
  expect(text.stdout).toContain('outputs   1 missing (it is not in the version): gone of t\n');
  expect((await upload('--dvc-stage', 'u')).document['dvcOuts']).toEqual([]);
  const output = join(home, 'u');
  await archiver(home, ['restore', String(document['location']), output, '--dvc-stage', 'u']);
  expect(filesBelow(output)).toEqual(['d/x']);
});
