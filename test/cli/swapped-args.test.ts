// A store and another argument in the wrong order, for every command that takes both.
import { describe, expect, test } from 'vitest';
import { argUsage } from '../../src/cli/arg.js';
import { refuseSwapped } from '../../src/cli/swapped-args.js';
import { commandsUnder } from '../../src/cli/tree.js';
import { program } from '../../src/commands/index.js';
import { runCommand } from '../support/run-command.js';
import { tempFolder } from '../support/temp-folder.js';

const root = program();
const commands = [...commandsUnder(root)].filter(
  // Of a copy both are stores.
  ({ path, args = [] }) => path !== 'copy' && args.length > 1 && args.some(({ store }) => store !== undefined),
);
const run = async (argv: readonly string[], env: Record<string, string> = {}) =>
  runCommand({ root, folder: await tempFolder(), env }, argv);

const STORE = 's3://acme-archive/lab';
/** What is typed for the arguments that are no store. */
const OTHERS: Readonly<Record<string, readonly string[]>> = {
  PATTERN: ['*.csv'],
  SOURCE_ARCHIVE: ['photos.tar.gz'],
  TAG: ['submitted'],
  VERSION: ['v12'],
};

test('these are the commands with a store and another argument', () => {
  expect(commands.map(({ path }) => path).sort()).toEqual([
    'browse',
    'create upload',
    'dataset tag',
    'download',
    'dvc export',
    'dvc status',
    'find',
    'fleetagent run',
    'history',
    'migrate',
    'mount',
    'plan',
    'restore',
    'sync',
    'upload',
  ]);
});

describe.each(commands)('$path', ({ path, args = [] }) => {
  const isFirst = args[0]?.store !== undefined;
  const others = args.filter(({ store }) => store === undefined).flatMap(({ name }) => OTHERS[name] ?? ['./folder']);
  const usage = `archiver ${path} ${args.map(argUsage).join(' ')}`;

  test.each(isFirst ? others.map((_, index) => index + 1) : [0])('says what comes first: URL at %i', async (at) => {
    const { status, stdout, stderr } = await run([...path.split(' '), ...others.toSpliced(at, 0, STORE)]);

    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toContain(`"${STORE}" is a store, and ${args[0]?.name} comes first: ${usage}\n`);
    const words = (isFirst ? [STORE, ...others] : [...others, STORE]).map((word) =>
      word === '*.csv' ? "'*.csv'" : word,
    );
    expect(stderr).toContain(`archiver ${path} ${words.join(' ')}\n`);
  });

  test('says nothing of the order where it is right, or where nobody can know', () => {
    const right = isFirst ? [STORE, ...others] : [...others, STORE];
    const calls = [right, right.map(() => STORE), right.map(() => './folder'), [STORE], ['./folder'], []];
    for (const texts of calls) expect(() => refuseSwapped({ path, args }, texts)).not.toThrow();
  });
});

test('an archive may have a URL, and a store a path', () => {
  const migrate = commands.find(({ path }) => path === 'migrate') ?? { path: '' };

  for (const store of ['./lab', './run.tar'])
    expect(() => refuseSwapped(migrate, ['s3://acme-archive/old/run.tar.zst', store])).not.toThrow();
});
