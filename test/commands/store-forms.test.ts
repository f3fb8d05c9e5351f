// A store is named in the same forms to every command that takes one: by its URL or path, by --bucket and --prefix, by a
// variable, by the config file.
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import type { Command } from '../../src/cli/command.js';
import type { ConfigLookup } from '../../src/cli/layers.js';
import { parseCommand } from '../../src/cli/parse-command.js';
import { storeArg } from '../../src/cli/store-setting.js';
import { commandsUnder } from '../../src/cli/tree.js';
import { program } from '../../src/commands/index.js';
import { type CommandRun, json, runCommand } from '../support/run-command.js';
import { tempFolder } from '../support/temp-folder.js';

const root = program();
const all = [...commandsUnder(root)];
const taking = all.filter((command) => storeArg(command) !== undefined);
const STORE = 's3://acme-archive/lab';
/** Of what else these commands need. */
const NEEDED: Readonly<Record<string, string>> = {
  'cost upload': '--upload-id 20251114-093012-1a2b3c4d',
  'dataset diff': '--from 1',
  'dataset prune': '--dataset-id d --keep-last 1',
  'fleet lock-extend': '--until 2030-01-01',
  'fleetagent adopt': '--writer-id w',
  'fleetagent iam-policy': '--writer-id w',
  'fleetagent init': '--writer-id w --public-key k',
  'fleetagent run': '--writer-id w',
  restore: '--all',
  'submit batch': '--image i --queue q',
  'submit kubernetes': '--image i',
  work: '--part 0',
};
/** What is typed for the arguments that are needed, or come before the store. */
const others = ({ args = [] }: Command): readonly string[] =>
  args.flatMap(({ store, optional, name }, index) =>
    store !== undefined || (optional && args.slice(0, index).some((one) => one.store !== undefined))
      ? []
      : [name === 'VERSION' ? 'v1' : name.toLowerCase()],
  );

interface Named {
  readonly argv?: readonly string[];
  readonly url?: string;
  readonly env?: Record<string, string>;
  readonly config?: Readonly<Record<string, string>>;
}

/** The store that a call works on; what is wrong with the call where there is none. */
async function placeOf(command: Command, { argv = [], url, env = {}, config = {} }: Named): Promise<unknown> {
  const at = (command.args ?? []).findIndex(({ store }) => store !== undefined);
  const texts = url === undefined ? others(command) : others(command).toSpliced(at, 0, url);
  const lookup: ConfigLookup = (key) => {
    const text = config[key];
    return text === undefined ? undefined : { texts: [text], where: key, line: 1 };
  };
  const needed = (NEEDED[command.path] ?? '').split(' ').filter((word) => word !== '');
  const input = { argv: [...texts, ...needed, ...argv], env, cwd: '/work', config: () => Promise.resolve(lookup) };
  return await parseCommand(command, input).then(
    (parsed) => parsed?.args[at],
    (error: Error) => error.message,
  );
}

test('whoever takes --bucket takes the URL as well', () => {
  const byFlag = all.filter(({ flags = {} }) => 'bucket' in flags || 'prefix' in flags);

  expect(byFlag.map(({ path }) => path)).toEqual(taking.map(({ path }) => path));
  for (const { flags = {} } of taking) expect(flags).toMatchObject({ bucket: { short: 'b' }, prefix: { short: 'p' } });
});

/** What `--bucket` alone means: the specification gives `cost upload` a prefix. */
const alone = ({ path }: Command, url: string): string => (path === 'cost upload' ? `${url}/archiver` : url);

describe.each(taking.map((command) => [command.path, command] as const))('%s', (_path, command) => {
  it('takes its store in each form', async () => {
    const whole: readonly Named[] = [
      { url: STORE },
      { argv: ['--bucket', 'acme-archive', '--prefix', 'lab'] },
      { argv: ['-b', 'acme-archive', '-p', 'lab'] },
    ];
    for (const form of whole) expect([form, await placeOf(command, form)]).toEqual([form, STORE]);
    expect(await placeOf(command, { argv: ['--bucket', STORE] })).toBe(alone(command, STORE));
    const path = 'file:///work/store';
    expect(await placeOf(command, { argv: ['-b', '.', '-p', 'store'] })).toBe(path);
    expect(await placeOf(command, { argv: ['-b', './store'] })).toBe(alone(command, path));
    // Behind folders, of which there may be any number, a path is one of them.
    const url = command.args?.[0]?.many === true ? path : './store';
    expect(await placeOf(command, { url })).toBe(path);
  });

  it('and from lower layers, unless what it deletes is to be typed', async () => {
    const forms: readonly Named[] = [
      { env: { ARCHIVER_STORE: STORE } },
      { env: { ARCHIVER_BUCKET: 'acme-archive', ARCHIVER_PREFIX: 'lab' } },
      { config: { url: STORE } },
      { config: { bucket: 'acme-archive', prefix: 'lab' } },
    ];
    for (const form of forms) {
      const isFound = (await placeOf(command, form)) === STORE;
      expect([form, isFound]).toEqual([form, storeArg(command)?.store !== 'typed']);
    }
  });

  it('refuses a call that names two', async () => {
    expect(await placeOf(command, { url: STORE, argv: ['-b', 'other'] })).toBe(
      'give either a URL or --bucket, not both',
    );
  });
});

test('only what deletes everything, and what is for what runs unattended, wants its store typed', () => {
  const typed = taking.filter((command) => storeArg(command)?.store === 'typed');

  expect(typed.map(({ path }) => path)).toEqual(['fleetagent adopt', 'fleetagent run', 'scuttle']);
});

describe('in use', () => {
  async function start(): Promise<(call: string, env?: Record<string, string>) => Promise<CommandRun>> {
    const folder = await tempFolder();
    for (const name of ['photos', 'letters']) {
      mkdirSync(join(folder, name));
      writeFileSync(join(folder, name, 'a'), name);
    }
    const run = (call: string, env: Record<string, string> = {}): Promise<CommandRun> =>
      runCommand({ root, folder, env }, call.split(' '));
    expect(await run('upload photos ./store/lab --dataset-id photos')).toMatchObject({ status: 0 });
    return run;
  }

  it.each([
    'dataset versions -b ./store -p lab',
    'dataset list --bucket ./store --prefix lab',
    'find a -b ./store -p lab',
    'dataset tag -b ./store -p lab kept 1',
    'sync letters -b ./store -p lab',
    'create upload photos letters --bucket ./store --prefix lab',
    'dashboard -b ./store -p lab --once --view inventory',
    'analyze -b ./store -p lab',
  ])('%s', async (call) => {
    const run = await start();

    expect(await run(call)).toMatchObject({ status: 0 });
  });

  it('tags without a store where a variable names it', async () => {
    const run = await start();
    const env = { ARCHIVER_BUCKET: './store', ARCHIVER_PREFIX: 'lab' };

    expect(await run('dataset tag kept 1', env)).toMatchObject({
      status: 0,
      stdout: 'v1 of dataset photos is tagged kept\n',
    });
    expect(await run('dataset tag kept v1 latest', env)).toMatchObject({ status: 0 });
  });

  it('several folders go to a URL behind them, and nowhere else', async () => {
    const run = await start();
    const folder = await tempFolder();
    const url = `file://${folder}/more`;

    expect(json((await run(`create upload photos letters ${url} --json`)).stdout)).toMatchObject({
      location: expect.stringContaining(`${url}/uploads/`) as string,
    });
    expect(readdirSync(join(folder, 'more', 'uploads'))).toHaveLength(1);
    expect(await run(`create upload photos ${url} letters`)).toEqual({
      status: 2,
      stdout: '',
      stderr: expect.stringContaining(
        `"${url}" is a store, and SOURCE comes first: archiver create upload SOURCE... [DESTINATION]`,
      ) as string,
    });
  });

  it('the costs of an upload are those of its URL, and of the newest version of a store', async () => {
    const run = await start();
    const { stdout } = await run('info ./store/lab --json');
    const { uploadId } = json(stdout) as { uploadId: string };

    for (const call of [`./store/lab/uploads/${uploadId}`, './store/lab', `-b ./store -p lab -u ${uploadId}`])
      expect(json((await run(`cost upload ${call} --json`)).stdout)).toMatchObject({ uploadId });
  });
});
