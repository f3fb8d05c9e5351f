// What is typed and can do nothing is refused; what a variable says is meant for other calls.
import { describe, expect, test } from 'vitest';
import type { Command } from '../../src/cli/command.js';
import { envNames } from '../../src/cli/env-names.js';
import { kebab } from '../../src/cli/flag.js';
import { parseCommand } from '../../src/cli/parse-command.js';
import { storeArg } from '../../src/cli/store-setting.js';
import { commandsUnder, findNode } from '../../src/cli/tree.js';
import { program } from '../../src/commands/index.js';

const root = program();
const commands = [...commandsUnder(root)];

/** The sentence that a call is refused with; undefined where its flags can be read. */
async function refusal(
  command: Command | undefined,
  argv: readonly string[],
  env: Record<string, string> = {},
): Promise<string | undefined> {
  const config = () => Promise.resolve(() => undefined);
  try {
    await (command && parseCommand(command, { argv, env, config }));
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

const argsOf = (command: Command, store: string): readonly string[] =>
  (command.args ?? []).map((arg) => (arg.store === undefined ? arg.type.sample : store));

/** They open nothing. Those about IAM refuse a folder whatever the flags are; to adopt takes no flag of a store. */
const OPENS_NONE = new Set(['fleetagent iam-policy', 'fleetagent init', 'fleetagent adopt']);

const withStore = commands.filter((command) => storeArg(command) !== undefined && !OPENS_NONE.has(command.path));

describe.each(withStore.map((command) => [command.path, command] as const))('%s on a folder', (path, command) => {
  const keys = Object.entries(command.flags ?? {}).filter(([, { only }]) => only === 's3');

  test('refuses each flag that reaches S3 alone, and takes it from a variable', async () => {
    // The region is that of prices, too, where a folder of this computer is analyzed.
    const region = path === 'analyze' ? [] : ['region'];
    expect(keys.map(([key]) => key)).toEqual(expect.arrayContaining([...region, 'profile', 'endpointUrl', 'caBundle']));
    for (const [key, { type }] of keys) {
      const typed = await refusal(command, [...argsOf(command, 'file:///x'), `--${kebab(key)}=${type.sample}`]);
      const [name = ''] = envNames(path, key);
      const set = await refusal(command, argsOf(command, 'file:///x'), { [name]: type.sample });

      expect(typed).toBe(`--${kebab(key)} can do nothing for file:///x, which is a folder and not in S3`);
      expect(set ?? '').not.toContain('can do nothing');
    }
  });

  test('and takes them for a bucket', async () => {
    const flags = keys.map(([key, { type }]) => `--${kebab(key)}=${type.sample}`);

    expect((await refusal(command, [...argsOf(command, 's3://abc'), ...flags])) ?? '').not.toContain('can do nothing');
  });
});

test('--bucket may name the folder, and migrate reads from a bucket into one', async () => {
  const create = findNode(root, ['create', 'upload'])?.command;
  const migrate = findNode(root, ['migrate'])?.command;

  expect(await refusal(create, ['.', '-b', './x', '--no-http2', '--profile', 'p'])).toBe(
    '--profile and --no-http2 can do nothing for file:///x, which is a folder and not in S3',
  );
  expect(await refusal(create, ['.', '-b', 'abc', '--no-http2', '--profile', 'p'])).toBeUndefined();
  expect(await refusal(migrate, ['s3://abc/a.tar', 'file:///x', '--region', 'r'])).toBeUndefined();
});

test.each(['budget list', 'cost budget status'])('%s on this computer or in a folder reaches no S3', async (path) => {
  const command = findNode(root, path.split(' '))?.command;
  const args = argsOf(command!, '');

  expect(await refusal(command, [...args, '--region', 'r'])).toBe(
    '--region can do nothing for local, which is a folder and not in S3',
  );
  expect(await refusal(command, [...args, '--store', './x', '--profile', 'p'])).toBe(
    '--profile can do nothing for file:///x, which is a folder and not in S3',
  );
  expect(await refusal(command, [...args, '--store', 's3://abc', '--region', 'r'])).toBeUndefined();
  expect(await refusal(command, args, { ARCHIVER_REGION: 'r' })).toBeUndefined();
});

test.each([['cost pricing'], ['cost estimate', '--size', '1GB'], ['estimate', '.']])(
  '%s refuses what lists of prices do not ask about',
  async (path, ...more) => {
    const command = findNode(root, path.split(' '))?.command;

    expect(await refusal(command, [...more, '--profile', 'p'])).toContain('--profile needs --real-time-pricing');
    expect(await refusal(command, more, { ARCHIVER_PROFILE: 'p', ARCHIVER_REGION: 'r' })).toBeUndefined();
    expect(await refusal(command, [...more, '--profile', 'p', '--real-time-pricing'])).toBeUndefined();
    expect(await refusal(command, [...more, '--region', 'r', '--provider', 'b2'])).toContain(
      '--region is a region of AWS',
    );
    expect(await refusal(command, [...more, '--provider', 'b2'], { ARCHIVER_REGION: 'r' })).toBeUndefined();
  },
);

test('--memory-limit is refused by every command that it cannot limit', async () => {
  const limited: string[] = [];
  for (const command of commands) {
    const sentence = await refusal(command, [...argsOf(command, 'file:///x'), '--memory-limit', '1GiB']);
    if (sentence?.includes('--memory-limit has nothing to limit') !== true) limited.push(command.path);
  }

  expect(limited.toSorted()).toEqual([
    'browse',
    'cat',
    'copy',
    'create upload',
    'download',
    'drill',
    'estimate',
    'fleetagent run',
    'migrate',
    'restore',
    'restore jobs download',
    'resume',
    'shell',
    'sync',
    'upload',
    'work',
  ]);
  const verify = findNode(root, ['verify'])?.command;
  expect(await refusal(verify, ['file:///x', '--sample', '5%', '--memory-limit', '1GiB'])).toBeUndefined();
});

test.each([
  ['config --validate --format yaml', '--format needs --generate or --show'],
  ['config --edit --format json', '--format needs --generate or --show'],
  ['config --show --format json', 'taken'],
  ['create upload . -b abc --max-idle-conns 0 --idle-conn-timeout 1m', 'leave out --idle-conn-timeout'],
  ['create upload . -b abc --max-idle-conns 1 --idle-conn-timeout 1m', 'taken'],
  ['create upload . -b abc --no-http2 --http2-max-streams 250', 'leave out --no-http2'],
  ['upload . s3://abc --no-optimization --transporter none', 'leave out --no-optimization'],
  ['upload . s3://abc --no-optimization --transporter basic', 'leave out --no-optimization'],
  ['upload . s3://abc --no-optimization --transporter adaptive', 'taken'],
])('%s: %s', async (line, sentence) => {
  const words = line.split(' ');
  const length = words[0] === 'create' ? 2 : 1;
  const command = findNode(root, words.slice(0, length))?.command;

  const refused = await refusal(command, words.slice(length));

  expect(refused ?? 'taken').toContain(sentence);
});

test('a variable beside it stays silent', async () => {
  const upload = findNode(root, ['upload'])?.command;
  const config = findNode(root, ['config'])?.command;
  const env = { ARCHIVER_UPLOAD_OPTIMIZATION: 'false', ARCHIVER_CONFIG_FORMAT: 'json', ARCHIVER_MEMORY_LIMIT: '1GiB' };

  expect(await refusal(upload, ['.', 's3://abc', '--transporter', 'none'], env)).toBeUndefined();
  expect(await refusal(config, ['--validate'], env)).toBeUndefined();
});
