// A store is named in the same forms to every command that takes one: by its URL or path, by a name of the config file, by --store, by
// --bucket and --prefix, by a variable, by the config file.
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import type { Command } from '../../src/cli/command.js';
import type { ConfigLookup } from '../../src/cli/layers.js';
import type { NamedStores } from '../../src/cli/named-stores.js';
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
const of = (text: string) => ({ texts: [text], where: text, line: 1 });
const STORES: NamedStores = new Map(
  [
    { name: 'acme', place: 's3://acme-archive', settings: new Map([['profile', of('acme')]]) },
    { name: 'here', place: './store', settings: new Map() },
  ].map((store) => [store.name, store]),
);
/** Of what else these commands need. */
const NEEDED: Readonly<Record<string, string>> = {
  cat: '--file a',
  'cost upload': '--upload-id 20251114-093012-1a2b3c4d',
  'dataset diff': '--from 1',
  'dataset prune': '--dataset-id d --keep-last 1',
  'dataset restore-version': '--dataset-id d --version 1',
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
  args.flatMap(({ store, optional, orFlags, name }, index) =>
    store !== undefined ||
    (optional && orFlags.length === 0 && args.slice(0, index).some((one) => one.store !== undefined))
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
  const layer = Object.assign(lookup, { stores: STORES });
  const input = { argv: [...texts, ...needed, ...argv], env, cwd: '/work', config: () => Promise.resolve(layer) };
  return await parseCommand(command, input).then(
    (parsed) => parsed?.args[at],
    (error: Error) => error.message,
  );
}

const NAMES = 'the config file names the stores acme and here';

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

  it('and by its name in the config file', async () => {
    const forms: readonly Named[] = [
      { url: 'acme:lab' },
      { argv: ['--store', 'acme:lab'] },
      { argv: ['-b', 'acme:lab'] },
      { argv: ['-b', 'acme:', '-p', 'lab'] },
    ];
    for (const form of forms)
      expect([form, await placeOf(command, form)]).toEqual([
        form,
        form.argv?.[1] === 'acme:lab' && form.argv[0] === '-b' ? alone(command, STORE) : STORE,
      ]);
    expect(await placeOf(command, { argv: ['--store', 'here'] })).toBe('file:///work/store');
    expect(await placeOf(command, { argv: ['--store', STORE] })).toBe(STORE);
    for (const form of [{ argv: ['--store', 'else'] }, { argv: ['--store', 'else:lab'] }])
      expect(await placeOf(command, form)).toContain(`is no store: ${NAMES}, got "else:`);
    const two = { url: STORE, argv: ['--store', 'acme'] };
    expect(await placeOf(command, two)).toContain('is given twice with different values');
  });

  it('and from lower layers, unless what it deletes is to be typed', async () => {
    const forms: readonly Named[] = [
      { env: { ARCHIVER_STORE: STORE } },
      { env: { ARCHIVER_BUCKET: 'acme-archive', ARCHIVER_PREFIX: 'lab' } },
      { env: { ARCHIVER_STORE: 'acme:lab' } },
      { config: { url: STORE } },
      { config: { url: 'acme:lab' } },
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

describe('what the config file says of a store', () => {
  const list = taking.find(({ path }) => path === 'list');
  const profileOf = async (argv: readonly string[], env = {}): Promise<unknown> => {
    const all = { aws: of('general') } as const;
    const lookup: ConfigLookup = (key) => (key === 'profile' ? all.aws : undefined);
    const config = () => Promise.resolve(Object.assign(lookup, { stores: STORES }));
    return list && (await parseCommand(list, { argv, env, cwd: '/work', config }))?.values['profile'];
  };

  it('holds for it, whether it is named or a URL is in it, and for no other', async () => {
    for (const place of ['acme:', 'acme:lab', 's3://acme-archive', STORE])
      expect(await profileOf([place])).toBe('acme');
    expect(await profileOf(['--bucket', 'acme-archive'])).toBe('acme');
    for (const place of ['s3://acme-archive-2', 'here:']) expect(await profileOf([place])).toBe('general');
  });

  it('stands below flags and variables', async () => {
    expect(await profileOf(['acme:', '--profile', 'typed'])).toBe('typed');
    expect(await profileOf(['acme:'], { ARCHIVER_PROFILE: 'exported' })).toBe('exported');
  });

  it('is not taken for a place that is reached like the store of the run', async () => {
    await expect(profileOf([STORE, '--budget-store', 'acme:'])).rejects.toThrow('is not a flag here');
    const upload = taking.find(({ path }) => path === 'upload');
    const config = () => Promise.resolve(Object.assign(() => undefined, { stores: STORES }));
    const parsed = async (place: string) =>
      upload &&
      (await parseCommand(upload, { argv: ['a', STORE, '--budget-store', place], env: {}, cwd: '/work', config }))
        ?.values['budgetStore'];

    expect(await parsed('here:budgets')).toBe('file:///work/store/budgets');
    await expect(parsed('acme:')).rejects.toThrow('without the profile that acme has');
  });
});

describe('in use', () => {
  async function start(): Promise<(call: string, env?: Record<string, string>) => Promise<CommandRun>> {
    const folder = await tempFolder();
    for (const name of ['photos', 'letters']) {
      mkdirSync(join(folder, name));
      writeFileSync(join(folder, name, 'a'), name);
    }
    writeFileSync(join(folder, 'named.yaml'), CONFIG);
    writeFileSync(join(folder, 'set.yaml'), `${CONFIG}storage: { url: "nas:" }\n`);
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

  // Each as it is without the store, of which only the place differs.
  const CALLS: readonly { readonly call: string; readonly more?: string; readonly isBehind?: boolean }[] = [
    ...['list', 'info', 'repair', 'verify --quick', 'balance --dry-run', 'analyze', 'cost upload', 'dataset list'].map(
      (call) => ({ call }),
    ),
    ...['dataset versions', 'dataset diff --from 1 --to 1'].map((call) => ({ call })),
    { call: 'dataset tag', more: 'kept v1' },
    { call: 'dataset prune --dataset photos --keep-last 1 --dry-run' },
    { call: 'restore --all --dry-run', more: './out' },
    { call: 'download --dry-run', more: './out' },
    ...['find a', 'sync letters --dry-run', 'upload letters --dry-run', 'create upload letters --dry-run'].map(
      (call) => ({
        call,
        isBehind: true,
      }),
    ),
  ];
  const CONFIG = 'stores:\n  nas: { url: ./store/lab }\n';

  it('finds the same store however it is named', { timeout: 60_000 }, async () => {
    const run = await start();
    const [env, set] = ['./named.yaml', './set.yaml'].map((path) => ({ ARCHIVER_CONFIG: path }));
    for (const { call, more = '', isBehind = false } of CALLS) {
      const said = async (place: string, env = {}, end = ''): Promise<unknown> => {
        const words = isBehind ? [call, more, place] : [call, place, more];
        const { status, stderr } = await run([...words, end].filter((word) => word !== '').join(' '), env);
        return [call, place, env, status, status === 0 ? '' : stderr];
      };

      expect(await said('', env)).toEqual([call, '', env, 2, expect.stringContaining('is missing') as string]);
      expect(await said('nas:', env)).toEqual([call, 'nas:', env, 0, '']);
      expect(await said('', env, '--store nas')).toEqual([call, '', env, 0, '']);
      const variable = { ...env, ARCHIVER_STORE: 'nas:' };
      expect(await said('', variable)).toEqual([call, '', variable, 0, '']);
      expect(await said('', set)).toEqual([call, '', set, 0, '']);
    }
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
