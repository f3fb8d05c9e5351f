import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Pipeline, readPipeline } from '../../../../src/core/projects/dvc/pipeline.js';
import { folderWith, NEVER, pipelineOf } from './pipeline-of.js';
import { raw } from '../../../support/raw.js';

const failure = async (files: Readonly<Record<string, string | Buffer>>): Promise<string> =>
  await pipelineOf(files).then(
    () => 'no failure',
    (error: Error) => error.message,
  );

const paths = (pipeline: Pipeline, name: string): readonly string[] =>
  pipeline.stages.find((stage) => stage.name === name)?.outs.map(({ path }) => path) ?? [];
const names = ({ stages }: Pipeline): readonly string[] => stages.map(({ name }) => name);

describe('stages', () => {
  test('have their commands, dependencies, parameters and every kind of output', async () => {
    const { stages } = await pipelineOf({
      'dvc.yaml': `
stages:
  train:
    cmd: [python a.py, python b.py]
    deps: [src/train.py, ./data//raw/]
    params: [lr, layers.size, other.yaml: [seed], whole.json: ]
    outs:
      - model.pkl
      - logs/: {cache: false, desc: lines}
    metrics: [{scores.json: {cache: false}}]
    plots: [{plots: {x: step, y: loss}}]
`,
    });

    expect(stages).toEqual([
      {
        name: 'train',
        command: 'python a.py && python b.py',
        deps: [{ path: 'src/train.py' }, { path: 'data/raw' }],
        outs: [{ path: 'model.pkl' }, { path: 'logs' }, { path: 'scores.json' }, { path: 'plots' }],
        params: { 'params.yaml': { lr: null, 'layers.size': null }, 'other.yaml': { seed: null }, 'whole.json': {} },
      },
    ]);
  });

  test('own what is, or lies in, an output; the longest output wins', async () => {
    const pipeline = await pipelineOf({
      'dvc.yaml': 'stages:\n  a: {cmd: x, outs: [data]}\n  b: {cmd: x, outs: [data/clean, ü]}\n',
    });

    const owners = ['data', 'data/raw/1', 'data/clean', 'data/clean/2', 'data2', 'dat'].map((p) =>
      pipeline.stageOf(raw(p)),
    );
    expect(owners).toEqual(['a', 'a', 'b', 'b', undefined, undefined]);
    expect(pipeline.stageOf(raw(Buffer.from('ü/x').toString('latin1')))).toBe('b');
  });

  test('paths are those of the working folder; what lies outside stays as it is', async () => {
    const files = {
      'dvc.yaml': `
stages:
  a:
    cmd: x
    wdir: sub/deep
    deps: [in.csv, ../../top.csv, s3://bucket/key, /elsewhere/x]
    outs: [out, ../beside]
`,
    };

    const [stage] = (await pipelineOf(files)).stages;

    expect(stage?.deps.map(({ path }) => path)).toEqual([
      'sub/deep/in.csv',
      'top.csv',
      's3://bucket/key',
      '/elsewhere/x',
    ]);
    expect(stage?.outs.map(({ path }) => path)).toEqual(['sub/deep/out', 'sub/beside']);
  });

  test('there is no pipeline without dvc.yaml, and an empty one has no stages', async () => {
    expect(await readPipeline(await folderWith({ 'dvc.lock': "schema: '2.0'\n" }), NEVER)).toBeUndefined();
    expect((await pipelineOf({ 'dvc.yaml': '' })).stages).toEqual([]);
    expect((await pipelineOf({ 'dvc.yaml': 'metrics: [a.json]\n' })).stages).toEqual([]);
  });
});

describe('templates and loops', () => {
  const DVC = `
stages:
  plain: {cmd: 'echo \\\${HOME} 1e-5', outs: [p]}
  each: {foreach: [us, 1e-5], do: {cmd: "x \${item}", outs: ["s/\${item}"]}}
  train: {matrix: {model: [cnn, rnn]}, cmd: "x \${item.model}", outs: ["\${key}"]}
  tuned: {cmd: "run \${lr}", outs: ["\${out}"]}
`;

  test('come from dvc.lock, where stages that ran have them worked out', async () => {
    const stage = (out: string): string => `{cmd: ran, outs: [{path: ${out}}]}`;
    const lock = `schema: '2.0'\nstages: {each@us: ${stage('s/us')}, each@1e-05: ${stage('s/1e-05')}, train@rnn: ${stage('rnn')}, tuned: ${stage('t')}}`;

    const pipeline = await pipelineOf({ 'dvc.yaml': DVC, 'dvc.lock': lock });

    expect(names(pipeline)).toEqual(['plain', 'each@us', 'each@1e-05', 'train@rnn', 'tuned']);
    expect(paths(pipeline, 'each@1e-05')).toEqual(['s/1e-05']);
    expect(pipeline.unknown).toEqual([]);
  });

  test('outputs that were added since the stage ran are its own, those with templates once it ran again', async () => {
    const pipeline = await pipelineOf({
      'dvc.yaml': "stages: {s: {cmd: x, outs: [a, {new: {cache: false}}, '${t}'], metrics: '${m}', plots: [p]}}",
      'dvc.lock': "schema: '2.0'\nstages: {s: {cmd: ran, outs: [{path: a, size: 1}]}}",
    });

    expect(pipeline.stages[0]?.outs).toEqual([{ path: 'a', size: 1 }, { path: 'new' }, { path: 'p' }]);
  });

  test('of stages that never ran are not worked out; a backslash makes a template plain text', async () => {
    const { stages, unknown } = await pipelineOf({ 'dvc.yaml': DVC });

    expect(stages.map(({ name, command }) => [name, command])).toEqual([['plain', 'echo ${HOME} 1e-5']]);
    expect(unknown).toEqual(['each', 'train', 'tuned'].map((name) => ({ name, why: 'notRun' })));
  });

  test('in wdir cost that stage its name alone: dvc.lock does not say where a stage ran', async () => {
    const { stages, unknown } = await pipelineOf({
      'dvc.yaml': "stages:\n  s: {wdir: '${x}', cmd: x}\n  t: {cmd: x, outs: [a]}\n",
      'dvc.lock': "schema: '2.0'\nstages: {s: {cmd: ran, outs: [{path: b}]}}",
    });

    expect(stages.map(({ name }) => name)).toEqual(['t']);
    expect(unknown).toEqual([{ name: 's', why: 'wdir' }]);
  });

  test('a loop without a body is named with its line', async () => {
    expect(await failure({ 'dvc.yaml': 'stages:\n  s: {foreach: [1]}\n' })).toMatch(
      /line 2: stage 's': it has 'foreach' and no 'do'$/,
    );
  });

  test('a list or map where a text is wanted is an error', async () => {
    expect(await failure({ 'dvc.yaml': 'stages:\n  s: {cmd: {a: 1}}\n' })).toMatch(
      /stage 's': a list or map stands where a text is wanted$/,
    );
  });
});

describe('dvc.lock', () => {
  const LOCK = `schema: '2.0'
stages:
  train@fast:
    cmd: python train.py 3
    deps:
    - path: data/raw
      hash: md5
      md5: 6fdb5336fce0dbfd669f83065f107551.dir
      size: 123
      nfiles: 2
    params:
      params.yaml:
        lr: 1e-5
        layers: {size: 3, names: [a, b]}
    outs:
    - path: model.pkl
      hash: md5
      md5: DE7371B0119F4F75F9DE703C7C3BAC16
      size: 9
      isexec: true
  gone:
    cmd: x
`;
  const YAML = `stages:
  train: {foreach: [fast, slow], do: {wdir: sub, cmd: "new \${item}", outs: [model.pkl, more]}}
  later: {cmd: new, outs: [later.bin]}
`;

  test('is the truth where it has a stage; the others come from dvc.yaml, and what dvc.yaml lost is gone', async () => {
    const { stages } = await pipelineOf({ 'dvc.yaml': YAML, 'dvc.lock': LOCK });

    expect(stages[0]).toEqual({
      name: 'train@fast',
      command: 'python train.py 3',
      lockMd5: expect.stringMatching(/^[0-9a-f]{32}$/) as string,
      deps: [{ path: 'sub/data/raw', md5: '6fdb5336fce0dbfd669f83065f107551.dir', size: 123, nfiles: 2 }],
      outs: [{ path: 'sub/model.pkl', md5: 'de7371b0119f4f75f9de703c7c3bac16', size: 9 }, { path: 'sub/more' }],
      params: { 'params.yaml': { lr: 1e-5, layers: { size: 3, names: ['a', 'b'] } } },
    });
    expect(stages[1]).toMatchObject({ name: 'later', command: 'new', outs: [{ path: 'later.bin' }] });
    expect(stages).toHaveLength(2);
  });

  test('a stage that it has needs no template of dvc.yaml', async () => {
    const { stages } = await pipelineOf({
      'dvc.yaml': "stages: {s: {cmd: '${nowhere}'}}",
      'dvc.lock': "schema: '2.0'\nstages: {s: {cmd: ran}}",
    });

    expect(stages[0]?.command).toBe('ran');
  });

  test.each([
    ["schema: '1.0'\nstages: {}", /dvc\.lock line 1: 'schema' is not '2\.0'$/],
    ["schema: '2.0'\nstages: [1]", /dvc\.lock line 2: 'stages' is not a map$/],
    ["schema: '2.0'\nstages:\n  s:\n    deps: []", /line 4: stage 's' has no 'cmd'$/],
    [
      "schema: '2.0'\nstages:\n  s:\n    cmd: x\n    outs:\n    - path: a\n    - path: b\n      md5: zz",
      /line 7: 'outs' of stage 's'/,
    ],
    [
      "schema: '2.0'\nstages:\n  s:\n    cmd: x\n    outs: [{path: b, size: -1}]",
      /'outs' of stage 's' holds something/,
    ],
    ["schema: '2.0'\nstages: {s: {cmd: x, params: [a]}}", /'params' of stage 's' is not a map of files$/],
  ])('that is damaged is named with its line (%#)', async (lock, message) => {
    expect(await failure({ 'dvc.yaml': 'stages: {}', 'dvc.lock': lock })).toMatch(message);
  });
});

test('anchors, aliases and merged keys are what they stand for', async () => {
  const { stages } = await pipelineOf({
    'dvc.yaml': `
base: &base {deps: [in.csv], outs: [a]}
other: &other {outs: [b], frozen: true}
stages:
  s: {<<: *base, cmd: x, outs: [c]}
  t: {<<: [*other, *base], cmd: x}
`,
  });

  expect(stages.map(({ deps, outs }) => [deps, outs])).toEqual([
    [[{ path: 'in.csv' }], [{ path: 'c' }]],
    [[{ path: 'in.csv' }], [{ path: 'b' }]],
  ]);
});

describe('a file that is damaged or hostile', () => {
  const fails = async (text: string): Promise<string> => await failure({ 'dvc.yaml': text });

  test('is one sentence with file and line', async () => {
    expect(await fails('stages:\n  a: [1, 2\n')).toMatch(/dvc\.yaml line 3: it is not valid YAML: /);
    expect(await fails('stages:\n  a: {cmd: x}\n  a: {cmd: y}\n')).toMatch(
      /dvc\.yaml line 3: the key 'a' stands there twice$/,
    );
    expect(await fails('stages:\n  a: !python/object x\n')).toMatch(/dvc\.yaml line 2: it is not valid YAML: /);
    expect(await fails('stages: {}\n---\nstages: {}\n')).toMatch(
      /dvc\.yaml line 2: it holds a second document, which begins here: keep one$/,
    );
    expect(await failure({ 'dvc.yaml': Buffer.from('stages:\n  caf\xe9: {cmd: x}\n', 'latin1') })).toMatch(
      /dvc\.yaml line 2: it is not UTF-8$/,
    );
    expect(await fails('- 1\n')).toMatch(/dvc\.yaml line 1: it is not a map$/);
    expect(await fails('stages:\n  a: 3\n')).toMatch(/dvc\.yaml line 2: stage 'a': it is not a map$/);
    expect(await fails('stages:\n  a: {outs: [x]}\n')).toMatch(/stage 'a': it has no 'cmd'$/);
    expect(await fails('\u001b[2J: [')).not.toContain('\u001b');
  });

  test('neither aliases that multiply nor depth nor size take the memory', async () => {
    const levels = Array.from(
      { length: 12 },
      (_, n) => `l${n + 1}: &l${n + 1} [${Array(10).fill(`*l${n}`).join(', ')}]`,
    );
    expect(await fails(`l0: &l0 [x]\n${levels.join('\n')}\n`)).toMatch(/more than 4000000 values/);
    const merges = levels.map((line) => line.replace('[', '{<<: [').replace(/\]$/, ']}'));
    expect(await fails(`l0: &l0 {x: 1}\n${merges.join('\n')}\n`)).toMatch(/more than 4000000 values/);
    expect(await fails(`stages: ${'['.repeat(5000)}`)).toMatch(/it nests too deep$/);
    expect(await fails(`# ${'x'.repeat(16 * 1024 * 1024)}`)).toMatch(/it has more than 16777216 bytes$/);
  });

  test('a pipe in place of the file is not waited for', async () => {
    const folder = await folderWith({});
    execFileSync('mkfifo', [join(folder, 'dvc.yaml')]);

    await expect(readPipeline(folder, NEVER)).rejects.toThrow(/dvc\.yaml is not a file$/);
  });

  test('__proto__ is a name like others', async () => {
    const { stages } = await pipelineOf({
      'dvc.yaml': 'stages: {__proto__: {cmd: x, outs: [__proto__]}}',
      'dvc.lock': "schema: '2.0'\nstages: {__proto__: {cmd: y, params: {__proto__: {__proto__: 1}}}}",
    });

    expect([stages[0]?.name, stages[0]?.command]).toEqual(['__proto__', 'y']);
    expect(JSON.stringify(stages[0]?.params)).toBe('{"__proto__":{"__proto__":1}}');
  });
});
