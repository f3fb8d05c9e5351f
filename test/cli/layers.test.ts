import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { allFlags } from '../../src/cli/global-flags.js';
import { envNames } from '../../src/cli/env-names.js';
import { resolveLayers } from '../../src/cli/layers.js';
import { commandsUnder } from '../../src/cli/tree.js';
import { callUpload, runSample, sampleTree } from './sample-tree.js';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'archiver-layers-'));
});
afterAll(async () => {
  await rm(folder, { recursive: true });
});

let files = 0;
async function configFile(text: string): Promise<string> {
  files += 1;
  const path = join(folder, `config-${files}.yaml`);
  await writeFile(path, text);
  return path;
}

const upload = async (argv: readonly string[], env: Record<string, string>, config?: string) => {
  const file = config === undefined ? {} : { ARCHIVER_CONFIG: await configFile(config) };
  return callUpload(['dir', ...argv], { env: { ...env, ...file } });
};
const refusal = async (env: Record<string, string>, config?: string) => {
  const path = config === undefined ? '' : await configFile(config);
  const file = config === undefined ? {} : { ARCHIVER_CONFIG: path };
  const { status, stderr } = await runSample(['upload', 'dir'], undefined, { env: { ...env, ...file } });
  expect(status).toBe(2);
  return path === '' ? stderr : stderr.replaceAll(path, 'FILE');
};

describe('precedence', () => {
  const config = 'upload: { bucket: from-section }\nstorage: { bucket: from-storage }\n';

  test('flag, command variable, variable, command section, shared section, default', async () => {
    const env = { ARCHIVER_BUCKET: 'from-env', ARCHIVER_UPLOAD_BUCKET: 'from-own-env' };
    const steps = [
      await upload(['--bucket', 'from-flag'], env, config),
      await upload([], env, config),
      await upload([], { ARCHIVER_BUCKET: 'from-env' }, config),
      await upload([], {}, config),
      await upload([], {}, 'storage: { bucket: from-storage }'),
      await upload([], {}, 'defaults: { bucket: from-defaults }'),
      await upload([], {}),
    ];

    expect(steps.map(({ values, context }) => [values['bucket'], context.origins['bucket']])).toEqual([
      ['from-flag', 'flag'],
      ['from-own-env', 'environment'],
      ['from-env', 'environment'],
      ['from-section', 'config'],
      ['from-storage', 'config'],
      ['from-defaults', 'config'],
      [undefined, 'default'],
    ]);
  });

  test('a flag that repeats its default still wins', async () => {
    const { values, context } = await upload(['--region', 'us-west-2'], { ARCHIVER_REGION: 'eu-west-1' });

    expect([values['region'], context.origins['region']]).toEqual(['us-west-2', 'flag']);
  });

  test('a layer that is overridden is not read', async () => {
    const { values } = await upload(['--level', '3'], { ARCHIVER_LEVEL: 'abc' });

    expect(values['level']).toBe(3);
  });

  test('an empty variable is no value', async () => {
    const { values, context } = await upload([], { ARCHIVER_UPLOAD_REGION: '', ARCHIVER_REGION: 'eu-west-1' });

    expect([values['region'], context.origins['region']]).toEqual(['eu-west-1', 'environment']);
  });

  test('a required flag can come from any layer', async () => {
    expect((await runSample(['prune', '--keep-last', '1'], undefined, { env: { ARCHIVER_BUCKET: 'b' } })).status).toBe(
      0,
    );
  });

  test('switches and collections are read from variables and from the file', async () => {
    const env = {
      ARCHIVER_VERIFY: 'no',
      ARCHIVER_UPLOAD_FILE: 'a,b\nc',
      ARCHIVER_UPLOAD_TAG: 'x=1,y=2',
      ARCHIVER_UPLOAD_FILES: 'p,q',
    };
    const config =
      'upload:\n  dryRun: true\n  shardIds: [1, 2]\n  token: 0123\n  hash: 1.10\n  file: [m, n]\n  tag: { a: 1 }\n';

    expect((await upload([], env)).values).toMatchObject({
      verify: false,
      file: ['a,b', 'c'],
      tag: { x: '1', y: '2' },
      files: ['p', 'q'],
    });
    expect((await upload([], {}, config)).values).toMatchObject({
      dryRun: true,
      shardIds: [1, 2],
      token: '0123',
      hash: '1.10',
      file: ['m', 'n'],
      tag: { a: '1' },
    });
  });

  test('variables with a meaning of their own stand for no flag', () => {
    expect(envNames('upload', 'home')).toEqual(['ARCHIVER_UPLOAD_HOME']);
    expect(envNames('fleetagent run', 'config')).toEqual(['ARCHIVER_FLEETAGENT_RUN_CONFIG']);
    expect(envNames('access-check', 'kmsKeyId')).toEqual(['ARCHIVER_ACCESS_CHECK_KMS_KEY_ID', 'ARCHIVER_KMS_KEY_ID']);
  });

  test('words that images use for the program itself have the variable of the command only', () => {
    expect(envNames('restore', 'version')).toEqual(['ARCHIVER_RESTORE_VERSION']);
    expect(envNames('dataset diff', 'from')).toEqual(['ARCHIVER_DATASET_DIFF_FROM']);
  });

  test('every flag of every command is accepted from the environment', () => {
    for (const command of commandsUnder(sampleTree())) {
      for (const [key, flag] of Object.entries(allFlags(command))) {
        for (const name of envNames(command.path, key)) {
          const { origins } = resolveLayers(
            { [key]: { ...flag, required: false } },
            { path: command.path, texts: {}, env: { [name]: flag.type.sample }, config: () => undefined },
          );
          expect([name, origins[key]]).toEqual([name, 'environment']);
        }
      }
    }
  });
});

describe('a bad value names its layer', () => {
  test.each([
    [{ ARCHIVER_LEVEL: 'abc' }, undefined, 'ARCHIVER_LEVEL wants a whole number from 1 to 22, got "abc"'],
    [{ ARCHIVER_UPLOAD_LEVEL: '99' }, undefined, 'ARCHIVER_UPLOAD_LEVEL wants a whole number from 1 to 22, got "99"'],
    [{ ARCHIVER_DRY_RUN: 'maybe' }, undefined, 'ARCHIVER_DRY_RUN is a switch and wants true or false, got "maybe"'],
    [{}, 'a:\n', 'FILE line 1: a is not a setting'],
    [
      { ARCHIVER_STORE: 'https://me:hunter2@x/y?a=b' },
      undefined,
      'ARCHIVER_STORE wants a store URL (s3://bucket/prefix, file:///absolute/folder), or a path that begins with / or ./, got "https://(hidden)@x/y?a=b"',
    ],
    [{ ARCHIVER_UPLOAD_TAG: 'token:hunter2' }, undefined, 'ARCHIVER_UPLOAD_TAG wants key=value, got "token:(hidden)"'],
    [{}, 'upload:\n  hash: ""\n', '✗ upload.hash in FILE (line 2) must not be empty\n'],
    [{}, 'upload: { file: [a, ""] }\n', '✗ upload.file in FILE (line 1) must not be empty\n'],
    [{}, 'upload: { files: "," }\n', 'upload.files in FILE (line 1) names nothing, got ","'],
    [{}, 'upload:\n  level: high\n', 'upload.level in FILE (line 2) wants a whole number from 1 to 22, got "high"'],
    [{}, 'defaults:\n\n  level: 99\n', 'defaults.level in FILE (line 3) wants a whole number from 1 to 22, got "99"'],
    [{}, 'upload:\n  shardCuont: 3\n', 'FILE line 2: upload.shardCuont is not a setting'],
    [{}, 'upload:\n  shardCuont: 3\n', 'did you mean upload.shardCount?'],
    [{}, 'uplod:\n  level: 3\n', 'did you mean upload?'],
    [{}, 'upload:\n  level:\n', 'FILE line 2: upload.level has no value'],
    [{}, 'upload: 3\n', 'FILE line 1: upload is a section: put its settings below it'],
    [{}, 'upload:\n  level: [1, 2]\n', 'FILE line 2: upload.level wants one value'],
    [{}, 'upload:\n  tag: { a: [1] }\n', 'FILE line 2: upload.tag wants a map of texts'],
    [{}, '- upload\n', 'FILE line 1: the file must hold sections, such as aws:'],
    [{}, 'upload:\n  level: 3\n  level: 4\n', 'FILE line 3: the file is not valid YAML: Map keys must be unique'],
    [{}, 'upload: {\n', 'the file is not valid YAML'],
    [{}, 'upload:\n  hash: !secret x\n', 'FILE line 2: the file is not valid YAML: Unresolved tag: !secret'],
    [
      {},
      'aws: { region: a }\ndefaults: { region: b }\n',
      'FILE line 2: defaults.region means the same as aws.region in line 1',
    ],
    [
      {},
      'aws: { secretAccessKey: hunter2 }\n',
      'FILE line 1: aws.secretAccessKey is a secret and is not read from this file',
    ],
    [{}, 'aws: { aws_access_key_id: hunter2 }\n', 'is a secret'],
    [
      { ARCHIVER_CONFIG: '/nowhere/at/all' },
      undefined,
      'there is no config file /nowhere/at/all (named by ARCHIVER_CONFIG)',
    ],
  ])('%j %j', async (env, config, sentence) => {
    const stderr = await refusal(env, config);

    expect(stderr).toContain(sentence);
    expect(stderr).not.toContain('hunter2');
  });

  test('a file nested without end is refused like any other', async () => {
    const sentence = await refusal({}, '['.repeat(100_000));

    expect(sentence.slice(0, 60)).toContain('FILE line 1: the file nests too deep');
  });

  test('a mistyped flag is told before a broken file is', async () => {
    const env = { ARCHIVER_CONFIG: await configFile('broken: [') };
    const { stderr } = await runSample(['upload', 'dir', '--nonsense'], undefined, { env });

    expect(stderr).toContain('--nonsense is not a flag here');
  });

  test('a broken file does not stop help', async () => {
    const env = { ARCHIVER_CONFIG: await configFile('broken: [') };

    expect((await runSample(['upload', '--help'], undefined, { env })).status).toBe(0);
  });

  test('an unset section is fine', async () => {
    expect((await upload([], {}, 'aws:\nupload:\n  # level: 3\n')).values['level']).toBeUndefined();
  });

  test('an anchor gives its value', async () => {
    expect(
      (await upload([], {}, 'aws: { region: &r eu-west-1 }\nprune: { bucket: *r }\nupload: { hash: *r }')).values,
    ).toMatchObject({
      hash: 'eu-west-1',
    });
  });
});
