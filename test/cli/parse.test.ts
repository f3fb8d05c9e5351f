// The traps of the tokenizer, and everything else that can be typed.
import { describe, expect, test } from 'vitest';
import { parseCommand } from '../../src/cli/parse-command.js';
import { findNode } from '../../src/cli/tree.js';
import { program } from '../../src/commands/index.js';
import { callUpload, runSample } from './sample-tree.js';

const values = async (...argv: string[]) => (await callUpload(['dir', ...argv])).values;
const refusal = async (...argv: string[]) => {
  const { status, stdout, stderr } = await runSample(['upload', 'dir', ...argv]);
  expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
  return stderr;
};

describe('values', () => {
  test('every kind is typed', async () => {
    const argv = [
      '--shard-count=8',
      '--ratio',
      '.5',
      '--frame-size',
      '1MB',
      '--older-than',
      '7d',
      '--strategy',
      'hash',
      '--files',
      'a, b',
      '--files',
      'c',
      '--shard-ids',
      '0,7',
      '--file',
      'x',
      '--file',
      'y,z',
      '--sample',
      '5%',
      '--tag',
      'a=b=c',
      '--tag',
      'd=',
      '--no-verify',
      '--dry-run',
    ];

    const seen = await values(...argv);

    expect(seen).toMatchObject({
      shardCount: 8,
      ratio: 0.5,
      frameSize: 1e6,
      olderThan: 604_800_000,
      strategy: 'hash',
      files: ['a', 'b', 'c'],
      shardIds: [0, 7],
      file: ['x', 'y,z'],
      sample: 0.05,
      tag: { a: 'b=c', d: '' },
      verify: false,
      dryRun: true,
    });
  });

  test('what is not given has its default, an empty collection, or nothing', async () => {
    const seen = await values();

    expect(seen).toMatchObject({ shardCount: 0, frameSize: 16 * 1024 ** 2, verify: true, dryRun: false, prefix: '' });
    expect(seen).toMatchObject({ files: [], file: [], tag: {}, level: undefined, hash: undefined });
  });

  test.each([
    [['--hash', '-x'], '-x'],
    [['--hash', '-5'], '-5'],
    [['--hash=-x'], '-x'],
    [['--hash=--all'], '--all'],
    [['--hash', '-'], '-'],
    [['--hash="quoted"'], '"quoted"'],
    [['--hash', "'"], "'"],
    [['--hash', '""'], '""'],
    [['--hash', 'a=b'], 'a=b'],
    [['--hash', 'true'], 'true'],
    [['--hash', '0x10'], '0x10'],
    [['--hash', 'line\nline'], 'line\nline'],
    [['--hash', '[object]'], '[object]'],
  ])('%j keeps its text', async (argv, text) => {
    expect(await values(...argv)).toMatchObject({ hash: text });
  });

  test('short flags stand alone, in groups, and with their value attached', async () => {
    expect(await values('-nqy')).toMatchObject({ dryRun: true, yes: true });
    expect(await values('-nb', 'box')).toMatchObject({ dryRun: true, bucket: 'box' });
    expect(await values('-nbbox')).toMatchObject({ dryRun: true, bucket: 'box' });
    expect(await values('-b=box')).toMatchObject({ bucket: 'box' });
  });

  test('a switch never takes the word after it', async () => {
    const call = await callUpload(['--dry-run', 'false', 's3://b']);

    expect(call.values['dryRun']).toBe(true);
    expect(call.args).toEqual(['false', 's3://b']);
  });

  test('a switch can be set by value and by its negative, under its alias too', async () => {
    expect(await values('--verify=false')).toMatchObject({ verify: false });
    expect(await values('--no-dry-run')).toMatchObject({ dryRun: false });
    expect(await values('--no-cleanup')).toMatchObject({ cleanupOnFailure: false });
    expect(await values('--no-cleanup-on-failure')).toMatchObject({ cleanupOnFailure: false });
  });

  test('-- ends the flags', async () => {
    const call = await callUpload(['--dry-run', '--', '--all', 's3://b']);

    expect(call.args).toEqual(['--all', 's3://b']);
    expect(call.values['all']).toBe(false);
  });

  test('an empty value counts only where it means something', async () => {
    expect(await values('--prefix=')).toMatchObject({ prefix: '' });
    expect(await refusal('--hash=')).toContain('--hash must not be empty');
  });
});

describe('refusals', () => {
  test.each([
    [['--shard-count', 'abc'], '--shard-count wants 0 or a whole number from 4 to 32, got "abc"'],
    [['--shard-count='], '--shard-count must not be empty\n  fix   give a value, or leave --shard-count out'],
    [['--hash', ''], '--hash must not be empty'],
    [['--tag', ''], '--tag must not be empty'],
    [['--files', ' , '], '--files names nothing, got " , "'],
    [['--bucket'], '--bucket needs a value'],
    [['--bucket', '--all'], '--bucket needs a value, and --all is a flag'],
    [['--bucket', '-n'], '--bucket needs a value, and -n is a flag'],
    [['--bucket', '--'], '--bucket needs a value, and -- is a flag'],
    [['--tag', 'a=b', '--tag'], '--tag needs a value'],
    [['--tag', 'novalue'], '--tag wants key=value, got "novalue"'],
    [['--tag', 'a=1', '--tag', 'a=2'], '--tag names the key a twice'],
    [['--files'], '--files needs a value'],
    [['--shard-ids', '1,8'], '--shard-ids wants a whole number from 0 to 7, got "1,8"'],
    [['--shard-cuont', '3'], '--shard-cuont is not a flag here; did you mean --shard-count?'],
    [['--no-verfy'], '--no-verfy is not a flag here; did you mean --no-verify?'],
    [['--no-hash'], '--no-hash is not a flag here'],
    [['--xyzzy'], '--xyzzy is not a flag here'],
    [['-nX'], '-X is not a flag here'],
    [['--strategy', 'hahs'], 'did you mean hash?'],
    [['--no-verify=true'], '--no-verify takes no value'],
    [['--verify='], '--verify wants true or false after the ='],
    [['--verify=maybe'], '--verify is a switch and wants true or false, got "maybe"'],
    [['-n=true'], '-n takes no value; write --dry-run=true'],
    [['--hash', 'a', '--hash', 'b'], '--hash is given twice with different values: "a" and "b"'],
    [['--verify', '--no-verify'], '--verify is given twice with different values'],
    [['--__proto__=x'], '--__proto__ is not a flag here'],
    [['--constructor', 'x'], '--constructor is not a flag here'],
    [
      ['s3://b', 'more', 'and more'],
      'too many arguments: "more" "and more"; this command takes SOURCE_DIR DESTINATION',
    ],
    [['nowhere'], 'DESTINATION wants a store URL'],
    [[''], 'DESTINATION must not be empty'],
    [['--profile'], '--profile needs a value'],
    [['--verboose'], '--verboose is not a flag here; did you mean --verbose?'],
  ])('%j', async (argv, sentence) => {
    expect(await refusal(...argv)).toContain(sentence);
  });

  test('a repeated flag with the same value is no contradiction', async () => {
    expect(await values('--hash', 'a', '--hash', 'a')).toMatchObject({ hash: 'a' });
  });

  test('a secret is not repeated in the message', async () => {
    expect(await refusal('--pin', 'hunter2')).not.toContain('hunter2');
    expect(await refusal('--token', 'hunter2', '--token', 'hunter3')).not.toContain('hunter');
  });

  test('missing arguments are named', async () => {
    const { status, stderr } = await runSample(['upload']);

    expect(status).toBe(2);
    expect(stderr).toBe('✗ SOURCE_DIR is missing\n  fix   archiver upload --help\n');
  });

  test('missing required flags are named with their variable', async () => {
    const { status, stderr } = await runSample(['prune']);

    expect(status).toBe(2);
    expect(stderr).toContain('--bucket is missing');
    expect(stderr).toContain('ARCHIVER_BUCKET');
  });
});

describe('what is needed and not given is one sentence', () => {
  test.each([
    ['create upload', {}, 'SOURCE and DESTINATION (or --bucket) are missing'],
    ['create upload', { ARCHIVER_BUCKET: 'abc' }, 'SOURCE is missing'],
    ['upload', {}, 'SOURCE and DESTINATION (or --bucket) are missing'],
    ['upload', { ARCHIVER_BUCKET: 'abc' }, 'SOURCE is missing'],
    [
      'restore',
      {},
      'S3_URL (or --bucket), OUTPUT_DIR (or --to-tar or --to-zip) and one of --file, --pattern, --hash, --git-commit, --dvc-stage, --regex, --larger-than, --smaller-than, --exclude-larger-than, --files-from, --files-from-raw or --all are missing',
    ],
    [
      'dataset prune',
      {},
      'S3_URL (or --bucket), one of --dataset-id or --all-datasets and one of --keep-last, --keep-within, --keep-hourly, --keep-daily, --keep-weekly, --keep-monthly or --keep-yearly are missing',
    ],
  ])('%s %j', async (path, env, sentence) => {
    const command = findNode(program(), path.split(' '))?.command;
    const input = { argv: [], env, config: () => Promise.resolve(() => undefined) };

    await expect(command && parseCommand(command, input)).rejects.toMatchObject({ message: sentence });
  });
});

describe('rules', () => {
  test.each([
    [['--all', '--hash', 'x'], '--all cannot be combined with --hash'],
    [['--all', '--file', 'x', '--hash', 'y'], '--all cannot be combined with --hash or --file'],
    [['--encrypt-manifest'], '--encrypt-manifest needs --kms-key-id'],
    [['--sample', '5%'], '--sample is for --no-verify only'],
  ])('%j is refused', async (argv, sentence) => {
    expect(await refusal(...argv)).toContain(sentence);
  });

  test.each([
    [['--all']],
    [['--no-all', '--hash', 'x']],
    [['--encrypt-manifest', '--kms-key-id', 'k']],
    [['--kms-key-id', 'k']],
  ])('%j passes', async (argv) => {
    await expect(values(...argv)).resolves.toBeDefined();
  });

  test.each([
    [['--keep-last', '0'], 2],
    [[], 2],
    [['--keep-last', '1'], 0],
  ])('--keep-last must be given and at least 1: %j', async (argv, status) => {
    expect((await runSample(['prune', '--bucket', 'b', ...argv])).status).toBe(status);
  });

  test('a rule names the variables that flags came from; what is typed wins over them', async () => {
    const env = { ARCHIVER_ALL: 'true', ARCHIVER_UPLOAD_HASH: 'x' };
    const { stderr } = await runSample(['upload', 'dir'], undefined, { env });

    expect(stderr).toContain(
      '--all cannot be combined with --hash (--all comes from ARCHIVER_ALL; --hash comes from ARCHIVER_UPLOAD_HASH)',
    );
    expect((await runSample(['upload', 'dir', '--all'], undefined, { env })).status).toBe(0);
  });
});
