// A call of a command of every day loads it without the others (src/commands/called.ts), and behaves as if all were there.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { describeNode } from '../../src/cli/describe.js';
import { helpPage } from '../../src/cli/help.js';
import { commandsUnder, findNode } from '../../src/cli/tree.js';
import { programFor } from '../../src/commands/called.js';
import { EVERYDAY } from '../../src/commands/everyday.js';
import { program } from '../../src/commands/index.js';
import { runCommand, type CommandRun } from '../support/run-command.js';
import { tempFolder } from '../support/temp-folder.js';

const whole = program();
const firstWords = [...new Set(EVERYDAY.map(({ path }) => path.split(' ')[0] ?? ''))];

async function both(
  folder: string,
  argv: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<CommandRun> {
  const root = await programFor(argv);
  expect(root.whole).toBeDefined();
  const ran = await runCommand({ root, folder, env }, argv);
  expect(ran).toEqual(await runCommand({ root: whole, folder, env }, argv));
  return ran;
}

test.each(firstWords)('%s is loaded with all that begins with this word, and with nothing else', async (word) => {
  const part = await programFor([word]);
  const [node, all] = [findNode(part, [word]), findNode(whole, [word])];

  if (node === undefined || all === undefined) throw new Error(`${word} is not there`);
  expect(helpPage(node, true)).toBe(helpPage(all, true));
  expect(describeNode(node)).toEqual(describeNode(all));
  expect([...commandsUnder(part)]).toHaveLength([...commandsUnder(all)].length);
  expect(part.globals).toEqual(whole.globals);
});

test.each([[[]], [['--json', 'list']], [['lst']], [['help']], [['cost', 'report']], [['__complete', '--', 'l']]])(
  '%j takes all commands',
  async (argv) => {
    const root = await programFor(argv);

    expect(root.whole).toBeUndefined();
    expect([...commandsUnder(root)]).toHaveLength([...commandsUnder(whole)].length);
  },
);

describe('what needs the others gets them', () => {
  test('a config file may have keys of another command, and none that no command has', async () => {
    const folder = await tempFolder();
    await mkdir(join(folder, 'store'));
    const file = join(folder, '.archiver.yaml');
    await writeFile(file, 'verify:\n  deep: true\nscuttle:\n  keepLast: 3\n');
    const call = ['list', './store'];
    const unknown = await both(folder, call);
    await writeFile(file, 'balance:\n  json: true\n');
    const known = await both(folder, call);

    expect(unknown).toMatchObject({ status: 2, stderr: expect.stringContaining('scuttle.keepLast') as string });
    expect(known.stderr).not.toContain('balance');
  });

  test('a variable that is nearly one of another command is told', async () => {
    const folder = await tempFolder();
    await mkdir(join(folder, 'store'));
    const env = { ARCHIVER_FLEETAGENT_RUN_QUITE: '1', ARCHIVER_FLEETAGENT_RUN_QUIET: '1' };

    const { stderr } = await both(folder, ['list', './store'], env);

    expect(stderr).toContain('did you mean ARCHIVER_FLEETAGENT_RUN_QUIET?');
    expect(stderr.match(/did you mean/g)).toHaveLength(1);
  });

  test.each([
    [['restore', 'jbos']],
    [['list', '--verson', '1']],
    [['resume', 'list', 'too', 'many']],
    [['work']],
    [['upload', '--help']],
    [['cat', '-h']],
  ])('%j says the same', async (argv) => {
    const { stdout, stderr } = await both(await tempFolder(), argv);

    expect(`${stdout}${stderr}`).not.toBe('');
  });
});
