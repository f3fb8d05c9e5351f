import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Pipeline, readPipeline } from '../../../src/core/dvc/pipeline.js';
import { tempFolder } from '../../support/temp-folder.js';

/** Writes files into a new folder and reads its pipeline. */
async function pipelineOf(files: Readonly<Record<string, string | Buffer>>): Promise<Pipeline> {
  const pipeline = await readPipeline(await folderWith(files));
  if (pipeline === undefined) throw new Error('there is no dvc.yaml');
  return pipeline;
}

async function folderWith(files: Readonly<Record<string, string | Buffer>>): Promise<string> {
  const folder = await tempFolder();
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  }
  return folder;
}

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

    const owners = ['data', 'data/raw/1', 'data/clean', 'data/clean/2', 'data2', 'dat'].map((p) => pipeline.stageOf(p));
    expect(owners).toEqual(['a', 'a', 'b', 'b', undefined, undefined]);
    expect(pipeline.stageOf(Buffer.from('ü/x').toString('latin1'))).toBe('b');
  });

  test('paths are those of the working folder, which may be a template; what lies outside stays as it is', async () => {
    const files = {
      'params.yaml': 'where: sub\n',
      'dvc.yaml': `
stages:
  a:
    cmd: x
    wdir: \${where}/deep
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
    expect(await readPipeline(await folderWith({ 'dvc.lock': "schema: '2.0'\n" }))).toBeUndefined();
    expect((await pipelineOf({ 'dvc.yaml': '' })).stages).toEqual([]);
    expect((await pipelineOf({ 'dvc.yaml': 'metrics: [a.json]\n' })).stages).toEqual([]);
  });
});

describe('templates', () => {
  const one = async (text: string, files: Readonly<Record<string, string>> = {}): Promise<string> => {
    const { stages } = await pipelineOf({ ...files, 'dvc.yaml': `${text}\n` });
    return stages[0]?.command ?? '';
  };

  test('come from params.yaml, the files of vars, chosen keys of them, and values in vars', async () => {
    const command = await one(
      "vars: ['more.json', 'part.yaml:b', params.yaml, {deep: {z: 3}}]\nstages: {s: {cmd: '${x.list[1]} ${deep.y} ${deep.z} ${b}'}}",
      { 'params.yaml': 'x: {list: [no, yes]}\n', 'more.json': '{"deep": {"y": true}}', 'part.yaml': 'a: 1\nb: 2.50\n' },
    );

    expect(command).toBe('yes true 3 2.5');
  });

  test('a value of vars of the stage is known to the stage alone; its files are relative to its working folder', async () => {
    const { stages } = await pipelineOf({
      'sub/v.yaml': 'a: 1\n',
      'dvc.yaml': "stages:\n  s: {wdir: sub, vars: [v.yaml, {b: 2}], cmd: '${a} ${b}'}\n",
    });

    expect(stages[0]?.command).toBe('1 2');
    expect(await failure({ 'dvc.yaml': "stages:\n  s: {vars: [{b: 2}], cmd: x}\n  t: {cmd: '${b}'}\n" })).toMatch(
      /dvc\.yaml line 3: stage 't': \$\{b\} is not in params\.yaml or vars$/,
    );
  });

  test('a backslash keeps one as it is; a map in a command becomes options', async () => {
    expect(await one("stages: {s: {cmd: 'echo \\${HOME} $${x}'}}", { 'params.yaml': 'x: 1' })).toBe('echo ${HOME} $1');
    expect(
      await one("stages: {s: {cmd: 'run ${o}'}}", {
        'params.yaml': `o: {lr: 0.1, deep: {n: 3}, on: true, off: false, name: "it's", list: [1, b c]}`,
      }),
    ).toBe(`run --lr 0.1 --deep.n 3 --on --name 'it'"'"'s' --list 1 'b c'`);
  });

  test('a key in two places is an error, and so are a list in a text and what is no template', async () => {
    const files = { 'params.yaml': 'a: {b: 1}\nl: [1]\n' };
    const fails = async (yaml: string): Promise<string> => await failure({ ...files, 'dvc.yaml': yaml });

    expect(await fails('vars: [{a: {b: 2}}]')).toMatch(/dvc\.yaml line 1: 'vars' redefines 'a\.b'$/);
    expect(await fails("stages:\n  s:\n    cmd: 'x ${l}'")).toMatch(/line 3: stage 's': a list or map stands where/);
    expect(await fails("stages:\n  s:\n    cmd: x\n    outs: ['${a}']")).toMatch(
      /stage 's': a list or map stands where/,
    );
    expect(await fails("stages:\n  s:\n    cmd: '${a..b}'")).toMatch(/\$\{a\.\.b\} is not a template$/);
    expect(await fails("stages:\n  s:\n    cmd: '${a.b.c}'")).toMatch(/\$\{a\.b\.c\} is not in/);
  });

  test('what cannot be loaded is told of only where it is missed', async () => {
    const vars = 'vars: [gone.yaml, config.toml]\n';
    expect(await one(`${vars}stages: {s: {cmd: plain}}`)).toBe('plain');
    expect(await failure({ 'dvc.yaml': `${vars}stages: {s: {cmd: '\${x}'}}` })).toMatch(
      /is not in params\.yaml or vars; there is no gone\.yaml; config\.toml is neither YAML nor JSON/,
    );
  });
});

describe('loops', () => {
  test('foreach over a list of values, of maps, and over a map', async () => {
    const pipeline = await pipelineOf({
      'params.yaml': 'maps: [{n: a}, {n: b}]\n',
      'dvc.yaml': `
stages:
  simple: {foreach: [us, 1e-5, true, "\${maps[0].n}"], do: {cmd: "x \${item}", outs: ["s/\${item}"]}}
  maps: {foreach: "\${maps}", do: {cmd: x, outs: ["m/\${item.n}"]}}
  keys: {foreach: {k1: {n: 7}, 2: {n: 8}}, do: {cmd: x, outs: ["\${key}-\${item.n}"]}}
`,
    });

    expect(names(pipeline)).toEqual([
      'simple@us',
      'simple@1e-05',
      'simple@true',
      'simple@a',
      'maps@0',
      'maps@1',
      'keys@k1',
      'keys@2',
    ]);
    expect(paths(pipeline, 'simple@1e-05')).toEqual(['s/1e-05']);
    expect(paths(pipeline, 'maps@1')).toEqual(['m/b']);
    expect(paths(pipeline, 'keys@2')).toEqual(['2-8']);
  });

  test('matrix is every combination in the order of its variables', async () => {
    const pipeline = await pipelineOf({
      'params.yaml': 'sizes: [{n: 1}, {n: 2}]\n',
      'dvc.yaml': `
stages:
  train:
    matrix: {model: [cnn, rnn], size: "\${sizes}"}
    cmd: x \${item.model}
    outs: ["\${key}/\${item.model}\${item.size.n}"]
`,
    });

    expect(names(pipeline)).toEqual(['train@cnn-size0', 'train@cnn-size1', 'train@rnn-size0', 'train@rnn-size1']);
    expect(paths(pipeline, 'train@rnn-size1')).toEqual(['rnn-size1/rnn2']);
  });

  test('a loop over nothing that can be looped over, without do, or too large is an error', async () => {
    const fails = async (yaml: string): Promise<string> => await failure({ 'dvc.yaml': `stages:\n  s: ${yaml}\n` });

    expect(await fails('{foreach: 3, do: {cmd: x}}')).toMatch(
      /line 2: stage 's': 'foreach' is neither a list nor a map$/,
    );
    expect(await fails('{foreach: [1]}')).toMatch(/stage 's': it has 'foreach' and no 'do'$/);
    expect(await fails('{matrix: {a: 1}, cmd: x}')).toMatch(/stage 's': 'a' of 'matrix' is not a list$/);
    const list = `[${Array.from({ length: 100 }, (_, index) => index).join(', ')}]`;
    expect(await fails(`{matrix: {a: ${list}, b: ${list}, c: ${list}}, cmd: x}`)).toMatch(/more than 100000 stages$/);
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
  train: {foreach: [fast, slow], do: {wdir: "\${item}", cmd: "new \${item}", outs: [model.pkl, more]}}
`;

  test('is the truth where it has a stage; the others come from dvc.yaml, and what dvc.yaml lost is gone', async () => {
    const { stages, lockMd5 } = await pipelineOf({ 'dvc.yaml': YAML, 'dvc.lock': LOCK });

    expect(stages[0]).toEqual({
      name: 'train@fast',
      command: 'python train.py 3',
      deps: [{ path: 'fast/data/raw', md5: '6fdb5336fce0dbfd669f83065f107551.dir', size: 123, nfiles: 2 }],
      outs: [{ path: 'fast/model.pkl', md5: 'de7371b0119f4f75f9de703c7c3bac16', size: 9 }],
      params: { 'params.yaml': { lr: 1e-5, layers: { size: 3, names: ['a', 'b'] } } },
    });
    expect(stages[1]).toMatchObject({
      name: 'train@slow',
      command: 'new slow',
      outs: [{ path: 'slow/model.pkl' }, {}],
    });
    expect(stages).toHaveLength(2);
    expect(lockMd5).toMatch(/^[0-9a-f]{32}$/);
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
    expect(await fails(`stages: ${'['.repeat(5000)}`)).toMatch(/it nests too deep$|not valid YAML/);
    expect(await fails(`# ${'x'.repeat(16 * 1024 * 1024)}`)).toMatch(/it has more than 16777216 bytes$/);
  });

  test('templates that multiply what they say are stopped', async () => {
    const list = `[${Array.from({ length: 20 }, (_, index) => index).join(', ')}]`;
    const long = 'x'.repeat(100_000);
    const yaml = `vars: [{long: ${long}}]\nstages:\n  s: {matrix: {a: ${list}, b: ${list}}, cmd: "\${long}\${long}\${long}\${long}"}\n`;

    expect(await fails(yaml)).toMatch(/expand to more than 64 MiB$/);
  });

  test('a pipe in place of the file is not waited for', async () => {
    const folder = await folderWith({});
    await mkdir(join(folder, 'dvc.yaml'));

    await expect(readPipeline(folder)).rejects.toThrow(/dvc\.yaml is not a file$/);
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
