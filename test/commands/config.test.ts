import { chmod, lstat, mkdir, mkdtemp, readFile, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { commandsUnder } from '../../src/cli/tree.js';
import { exampleYaml } from '../../src/cli/config-generate.js';
import { allProblems } from '../../src/cli/config-problems.js';
import { configSchema } from '../../src/cli/config-tree.js';
import { parseSize } from '../../src/cli/value-type.js';
import { MIN_MEMORY_BYTES } from '../../src/core/platform/limits/memory-plan.js';
import { parseConfig } from '../../src/core/config/parse-config.js';
import { command as config } from '../../src/commands/config.js';
import { runSample, sampleTree } from '../cli/sample-tree.js';
import { treeOf } from '../support/tree-of.js';

const root = treeOf([...commandsUnder(sampleTree()), config], [], 'a sample');
let home = '';

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'archiver-config-test-'));
});
afterEach(async () => {
  await rm(home, { recursive: true, force: true });
});

const run = (argv: readonly string[], env: Record<string, string> = {}, extra = {}) =>
  runSample(['config', ...argv], root, { env, userHome: home, cwd: home, ...extra });
const write = async (text: string | Buffer, name = '.archiver.yaml'): Promise<string> => {
  await writeFile(join(home, name), text);
  return join(home, name);
};
const problemsOf = async (text: string) => {
  const schema = configSchema(root);
  return allProblems(schema, await parseConfig(Buffer.from(text), schema));
};

describe('config', () => {
  test.each([
    [[], 'one of --generate, --show, --validate, --validate-detailed or --edit is missing'],
    [['--show', '--validate'], '--show and --validate cannot be combined'],
  ])('%j is a usage error', async (argv, sentence) => {
    const { status, stderr } = await run(argv);

    expect(status).toBe(2);
    expect(stderr).toContain(sentence);
  });
});

describe('config --generate', () => {
  test('the example is valid as it is, with every line taken in, and line by line', async () => {
    const example = exampleYaml(root);
    const settings = example.split('\n').filter((line) => /^# {2,}\w+:/.test(line));
    const all = example.replaceAll(/^#(?= {2,}\w+:)/gm, '');

    expect(settings.length).toBeGreaterThan(30);
    expect(await problemsOf(example)).toEqual([]);
    expect(await problemsOf(all)).toEqual([]);
    expect((await parseConfig(Buffer.from(all), configSchema(root))).settings.length).toBe(settings.length);
    for (const line of settings.slice(0, 40))
      expect(await problemsOf(example.replace(line, line.slice(1)))).toEqual([]);
  });

  test('every flag of every command is in the example, in its section or a shared one', () => {
    const example = exampleYaml(root);
    for (const key of configSchema(root).keys.values()) expect(example).toContain(`  ${key.flagKey}: `);
  });

  test('the JSON example has the sections, is valid and sets nothing; --json wraps the YAML in one document', async () => {
    const { stdout, stderr } = await run(['--generate', '--format', 'json']);
    expect(JSON.parse(stdout)).toMatchObject({ aws: {}, storage: {}, defaults: {}, restore: { jobs: { clean: {} } } });
    expect(stderr).toContain('JSON has no comments');
    expect(await parseConfig(Buffer.from(stdout), configSchema(root))).toEqual({ settings: [], problems: [] });
    await write(stdout);
    expect((await run(['--validate'])).stdout).toContain('is valid: 0 settings');
    expect(JSON.parse((await run(['--generate', '--json'])).stdout)).toMatchObject({ yaml: exampleYaml(root) });
  });

  test('no example is below what an upload needs', () => {
    const [, limit = ''] = /memoryLimit: "?(\w+)/.exec(exampleYaml(root)) ?? [];
    expect(parseSize(limit)).toBeGreaterThanOrEqual(MIN_MEMORY_BYTES);
  });
});

describe('config --validate', () => {
  test('a valid file is valid', async () => {
    const path = await write('upload: { level: 3 }\naws: { region: eu-west-1 }\n');

    expect(await run(['--validate'])).toEqual({ status: 0, stdout: `✓ ${path} is valid: 2 settings\n`, stderr: '' });
  });

  test('every problem is listed with its line, and the status is 1', async () => {
    const path = await write('upload:\n  level: 99\n  shardCuont: 3\nrestore: { jobs: { clean: { olderThan: 7 } } }\n');
    const { status, stdout } = await run(['--validate']);

    expect(status).toBe(1);
    expect(stdout).toBe(
      `✗ ${path} line 2: upload.level wants a whole number from 1 to 22, got "99"\n` +
        `✗ ${path} line 3: upload.shardCuont is not a setting\n  fix   did you mean upload.shardCount?\n` +
        `✗ ${path} line 4: restore.jobs.clean.olderThan wants a duration such as 5s, 1m, 24h or 7d, got "7"\n`,
    );
    expect(JSON.parse((await run(['--validate', '--json'])).stdout)).toMatchObject({
      ok: false,
      file: path,
      problems: [{ line: 2, setting: 'upload.level' }, { line: 3 }, { line: 4 }],
    });
  });

  test('a shared value must suit every command that has the flag', async () => {
    expect(await problemsOf('defaults: { olderThan: soon }')).toMatchObject([{ key: 'defaults.olderThan' }]);
    expect(await problemsOf('defaults: { olderThan: 7d }')).toEqual([]);
  });

  test('one meaning set in two places is a problem', async () => {
    expect(await problemsOf('aws: { region: a }\ndefaults: { region: b }\n')).toEqual([
      { line: 2, key: 'defaults.region', message: 'means the same as aws.region in line 1: keep one' },
    ]);
  });

  test('damaged YAML is one sentence with its line', async () => {
    const path = await write('upload:\n  level: 3\n bad\n');
    const { status, stdout } = await run(['--validate']);

    expect(status).toBe(1);
    expect(stdout).toMatch(new RegExp(`^✗ ${path} line \\d+: the file is not valid YAML: .+\n$`));
  });

  test.each([
    [
      'two documents',
      'upload:\n  level: 3\n---\nupload:\n  level: 9\n',
      3,
      'the file holds a second document, which begins here: keep one',
    ],
    [
      'an empty second document',
      'upload:\n  level: 3\n---\n',
      3,
      'the file holds a second document, which begins here: keep one',
    ],
    ['bytes that are not UTF-8', Buffer.from('aws:\n  profile: caf\u00e9\n', 'latin1'), 2, 'the file is not UTF-8'],
    ['UTF-16', Buffer.from('\ufeffaws:\n', 'utf16le'), 1, 'the file is UTF-16 and not UTF-8'],
  ])('%s are refused with the line, by every command', async (_name, content, line, sentence) => {
    const path = await write(content);

    expect(await run(['--validate'])).toMatchObject({ status: 1, stdout: `✗ ${path} line ${line}: ${sentence}\n` });
    const upload = await runSample(['upload', 'dir'], root, { userHome: home, cwd: home });
    expect(upload).toMatchObject({ status: 2, stdout: '' });
    expect(upload.stderr).toContain(`✗ ${path} line ${line}: ${sentence}\n`);
  });

  test('one document between marks is one, and a byte order mark is none of its text', async () => {
    await write('\ufeff---\nupload: { level: 3 }\n...\n');

    expect((await run(['--validate'])).status).toBe(0);
  });

  test('what steers a terminal is escaped, in the path as well', async () => {
    const name = 'a\u001b[2J\nfix.yaml';
    await write('"up\\e[31mload\\nx": 1\nupload:\n  level: "\\e]0;x\\a"\n', name);

    const validated = await run(['--validate', '--file', name]);
    const shown = await run(['--show', '--file', name]);
    const used = await runSample(['upload', 'dir'], root, { env: { ARCHIVER_CONFIG: join(home, name) } });
    const missing = await run(['--validate', '--file', `${name}2`]);

    for (const { stdout, stderr } of [validated, shown, used, missing])
      // oxlint-disable-next-line no-control-regex
      expect(stdout + stderr).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
    expect(validated.stdout.split('\n')).toEqual([
      expect.stringMatching(/a\\x1b\[2J\\x0afix\.yaml line 1: up\\x1b\[31mload\\x0ax is not a setting$/),
      expect.stringMatching(/line 3: upload\.level wants a whole number from 1 to 22, got "\\x1b\]0;x\\x07"$/),
      '',
    ]);
    expect(used.stderr.split('\n')[0]).toContain('up\\x1b[31mload\\x0ax is not a setting');
  });

  test('a secret is refused and not printed', async () => {
    await write('aws:\n  secretAccessKey: hunter2\nupload:\n  pin: hunter2\n');
    const { status, stdout } = await run(['--validate']);

    expect(status).toBe(1);
    expect(stdout).toContain('line 2: aws.secretAccessKey is a secret');
    expect(stdout).not.toContain('hunter2');
  });

  test('without a file the places are named', async () => {
    const { status, stderr } = await run(['--validate'], { XDG_CONFIG_HOME: '/x' });

    expect(status).toBe(1);
    expect(stderr).toContain(
      `${home}/.archiver.yaml, /x/archiver/.archiver.yaml, ${home}/.config/archiver/.archiver.yaml`,
    );
  });

  test('--file names the file, also relative to the current folder', async () => {
    await write('upload: { level: 99 }\n');
    await write('upload: { level: 9 }\n', 'other.yaml');

    expect((await run(['--validate', '--file', 'other.yaml'])).status).toBe(0);
    expect((await run(['--validate', '--file', 'missing.yaml'])).status).toBe(2);
  });
});

describe('config --validate-detailed', () => {
  test('without a bucket it says that there is nothing to reach', async () => {
    await write('aws: { region: eu-west-1 }\n');

    const { status, stdout } = await run(['--validate-detailed']);

    expect(status).toBe(0);
    expect(stdout).toContain('- no store is configured (storage.url or storage.bucket)');
  });

  test('a store that cannot be reached fails the check and says why', async () => {
    await write('aws: { region: us-east-1, endpointUrl: "http://127.0.0.1:9" }\nstorage: { bucket: my-bucket }\n');
    const env = { AWS_ACCESS_KEY_ID: 'x', AWS_SECRET_ACCESS_KEY: 'hunter2' };
    const { status, stdout } = await run(['--validate-detailed', '--json'], env);

    expect(status).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ ok: false, problems: [], store: { status: 'failed' } });
    expect(stdout).not.toContain('hunter2');
  });
});

describe('config --show', () => {
  test('each setting has its value and its origin', async () => {
    const path = await write('upload:\n  level: 3\n  token: hunter2\nstorage:\n  bucket: from-file\n');
    const { status, stdout } = await run(['--show'], { ARCHIVER_REGION: 'eu-west-1', ARCHIVER_UPLOAD_HASH: 'h' });

    expect(status).toBe(0);
    expect(stdout).toContain(`# config file: ${path}\n`);
    expect(stdout).toContain('  region: eu-west-1 # environment, ARCHIVER_REGION\n');
    expect(stdout).toContain('  bucket: from-file # config, line 5\n');
    expect(stdout).toContain('  level: 3 # config, line 2\n');
    expect(stdout).toContain('  hash: h # environment, ARCHIVER_UPLOAD_HASH\n');
    expect(stdout).toContain('  frameSize: 16MiB # default\n');
    expect(stdout).not.toContain('hunter2');
  });

  test('JSON has the same, by --format json and by --json', async () => {
    await write('restore:\n  jobs:\n    clean:\n      olderThan: 7d\n');
    const byFormat: unknown = JSON.parse((await run(['--show', '--format', 'json'])).stdout);
    const byFlag: unknown = JSON.parse((await run(['--show', '--json'])).stdout);

    expect(byFormat).toEqual(byFlag);
    expect(byFlag).toMatchObject({ problems: [] });
    expect((byFlag as { settings: unknown[] }).settings).toContainEqual({
      setting: 'restore.jobs.clean.olderThan',
      value: '7d',
      origin: 'config',
      setBy: 'line 4',
    });
  });

  test('passwords in settings, URLs and tags are hidden, and what is told around them stays', async () => {
    const endpoint = 'https://me:hunter2@minio.lab:9000/x?token=hunter2&region=here';
    const tag = '{ dbPassword: hunter2, grant: R01 }';
    await write(`aws: { endpointUrl: "${endpoint}" }\nupload: { tag: ${tag}, hash: 'Api-Key=hunter2' }\n`);
    const environment = { ARCHIVER_RESTORE_ENDPOINT_URL: 'http://hunter2@x' };

    for (const args of [['--show'], ['--show', '--format', 'json'], ['--show', '--json']]) {
      const { status, stdout } = await run(args, environment);
      expect(status).toBe(0);
      expect(stdout).not.toContain('hunter2');
      for (const kept of [
        'https://(hidden)@minio.lab:9000/x?token=(hidden)&region=here',
        'dbPassword=(hidden)',
        'grant=R01',
      ])
        expect(stdout).toContain(kept);
    }
  });

  test('characters that steer a terminal or turn text around are escaped, and the value is the same', async () => {
    const value = 'a\u001b[31m\u009b\u202eb\u2028c\nd\u007f # e';
    await write(`upload:\n  hash: ${JSON.stringify(value)}\n  file: [plain, ${JSON.stringify(value)}]\n`);
    const yaml = (await run(['--show'])).stdout;
    const json = (await run(['--show', '--format', 'json'])).stdout;

    // oxlint-disable-next-line no-control-regex
    const steering = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2028\u2029]/;
    expect([steering.test(yaml), steering.test(json)]).toEqual([false, false]);
    expect(parse(yaml)).toMatchObject({ upload: { hash: value, file: ['plain', value] } });
    expect(JSON.parse(json)).toMatchObject({
      settings: expect.arrayContaining([expect.objectContaining({ setting: 'upload.hash', value })]),
    });
  });

  test('a damaged file is warned about and the rest still shown', async () => {
    await write('nonsense: 1\n');
    const { status, stdout, stderr } = await run(['--show']);

    expect([status, stderr.includes('nonsense is not a setting'), stdout.includes('frameSize')]).toEqual([
      0,
      true,
      true,
    ]);
  });
});

describe('config --edit', () => {
  const terminal = () => {
    const stdin = Object.assign(new PassThrough(), { isTTY: true });
    const stdout = Object.assign(new PassThrough(), { isTTY: true, text: '' });
    stdout.on('data', (chunk: Buffer) => (stdout.text += chunk.toString()));
    return { stdin, stdout };
  };
  const edit = async (script: string, argv: readonly string[] = [], env: Record<string, string> = {}) => {
    const editor = join(home, 'editor');
    await writeFile(editor, `#!/bin/sh\n${script}\n`);
    await chmod(editor, 0o755);
    return run(['--edit', ...argv], { EDITOR: editor, ...env }, terminal());
  };

  test('without a terminal it is a usage error', async () => {
    const { status, stderr } = await run(['--edit'], { EDITOR: 'true' });

    expect(status).toBe(2);
    expect(stderr).toContain('needs a terminal');
  });

  test('a valid result replaces the file, keeping its mode and a link to it', async () => {
    await mkdir(join(home, 'dotfiles'));
    const target = await write('upload: { level: 3 }\n', 'dotfiles/archiver.yaml');
    await chmod(target, 0o640);
    await symlink(target, join(home, '.archiver.yaml'));

    const { status, stdout } = await edit(`sed -i 's/3/9/' "$1"`);

    expect([status, stdout]).toEqual([0, `${home}/.archiver.yaml is saved\n`]);
    expect(await readFile(target, 'utf8')).toBe('upload: { level: 9 }\n');
    expect((await stat(target)).mode & 0o777).toBe(0o640);
    expect((await lstat(join(home, '.archiver.yaml'))).isSymbolicLink()).toBe(true);
    expect(await readdir(join(home, 'dotfiles'))).toEqual(['archiver.yaml']);
  });

  test('a missing file starts from the example, and VISUAL comes first', async () => {
    const { status } = await edit(`echo '# mine' >> "$1"`, [], { VISUAL: `${join(home, 'editor')} `, EDITOR: 'false' });
    const text = await readFile(join(home, '.archiver.yaml'), 'utf8');

    expect(status).toBe(0);
    expect(text).toBe(`${exampleYaml(root)}# mine\n`);
    expect((await stat(join(home, '.archiver.yaml'))).mode & 0o777).toBe(0o600);
  });

  test('an invalid result leaves the file as it was and keeps the copy', async () => {
    const path = await write('upload: { level: 3 }\n');
    const { status, stderr } = await edit(`echo 'upload: { level: 99 }' > "$1"`);

    expect(status).toBe(1);
    expect(stderr).toContain(`${path} was not changed: `);
    expect(stderr).toContain('upload.level wants a whole number from 1 to 22, got "99"');
    expect(await readFile(path, 'utf8')).toBe('upload: { level: 3 }\n');
    const copy = /--file (\S+)/.exec(stderr)?.[1] ?? '';
    expect(await readFile(copy, 'utf8')).toBe('upload: { level: 99 }\n');
    await rm(join(copy, '..'), { recursive: true });
  });

  test('an editor that fails changes nothing', async () => {
    const path = await write('upload: { level: 3 }\n');
    const { status, stderr } = await edit(`echo broken > "$1"; exit 7`);

    expect([status, stderr.includes('ended with status 7')]).toEqual([1, true]);
    expect(await readFile(path, 'utf8')).toBe('upload: { level: 3 }\n');
  });

  test('a file that someone else changed meanwhile is left alone', async () => {
    const path = await write('upload: { level: 3 }\n');
    const { status, stderr } = await edit(`echo 'upload: { level: 5 }' > ${path}; echo 'upload: { level: 9 }' > "$1"`);

    expect([status, stderr.includes('changed by someone else')]).toEqual([1, true]);
    expect(await readFile(path, 'utf8')).toBe('upload: { level: 5 }\n');
  });

  test('no change is no write', async () => {
    const path = await write('upload: { level: 3 }\n');
    const before = (await stat(path)).ino;

    expect((await edit('true')).stdout).toBe(`${path} is unchanged\n`);
    expect((await stat(path)).ino).toBe(before);
  });
});

describe('stores by name', () => {
  const NAMED = 'stores:\n  nas: { url: /mnt/nas, profile: home }\n  cloud: { url: "s3://acme-archive/lab" }\n';
  const messagesOf = async (text: string): Promise<readonly string[]> =>
    (await problemsOf(text)).map(({ line, key, message }) => `${line} ${key} ${message}`);

  test('each has a URL, and settings of its own', async () => {
    expect(await problemsOf(NAMED)).toEqual([]);
    expect(await problemsOf(`${NAMED}storage: { url: "nas:lab" }\n`)).toEqual([]);
    expect(await messagesOf('stores:\n  nas: { profile: home }\n')).toEqual([
      '2 stores.nas has no url, which says where the store is',
    ]);
    expect(await messagesOf('stores:\n  my nas: { url: /mnt/nas }\n')).toEqual([
      '2 stores.my nas is no name: letters, digits, - and _ make one, at most 64',
    ]);
    expect(await messagesOf('stores:\n  nas: { url: /mnt/nas, shardCount: 3 }\n')).toEqual([
      '2 stores.nas.shardCount is not a setting',
    ]);
    for (const url of ['cloud', 'nas:lab', 's3://A'])
      expect(await messagesOf(`stores:\n  nas: { url: "${url}" }\n`)).toEqual([
        expect.stringMatching(/^2 stores\.nas\.url (?:wants a store URL|is no store)/),
      ]);
  });

  test('the default store may be one of them, and no other name', async () => {
    expect(await messagesOf(`${NAMED}storage: { url: "tape:" }\n`)).toEqual([
      '4 storage.url is no store: the config file names the stores cloud and nas, got "tape:"',
    ]);
  });

  test('every command stops at one without a URL', async () => {
    await write('stores:\n  nas: { profile: home }\n');

    const { status, stderr } = await runSample(['upload', 'a', '/mnt/b'], root, { userHome: home, cwd: home });

    expect(status).toBe(2);
    expect(stderr).toContain('stores.nas has no url');
  });
});
