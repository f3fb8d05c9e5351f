import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { program } from '../../src/commands/index.js';
import { JSON_DOCUMENTS, JSON_LINES, OTHER_DOCUMENTS } from '../../src/json/documents.js';
import { JSON_KEYS } from '../../src/json/keys.js';
import { checkJson, undocumented } from '../support/check-json.js';
import { runCommand } from '../support/run-command.js';
import { tempFolder } from '../support/temp-folder.js';

const run = async (argv: readonly string[]) => await runCommand({ root: program(), folder: await tempFolder() }, argv);
const printed = (document: object) => ({ stdout: JSON.stringify(document), stderr: '' });

describe('JSON documents', () => {
  test('every command has one, and every key is explained once', () => {
    const used = [...Object.values(JSON_DOCUMENTS), ...Object.values(OTHER_DOCUMENTS), ...Object.values(JSON_LINES)]
      .flatMap((keys) => keys.split(' '))
      .map((key) => key.replace('?', ''));

    expect(undocumented()).toEqual([]);
    expect(used.filter((key) => key !== '' && !(key in JSON_KEYS))).toEqual([]);
    expect(Object.keys(JSON_KEYS)).toEqual(Object.keys(JSON_KEYS).toSorted());
  });

  test('a result, a failure, a help page and the version carry the schema version', async () => {
    for (const argv of [
      ['context', '--json'],
      ['info', 'file:///nowhere', '--json'],
      ['--help', '--json'],
      ['--version', '--json'],
    ])
      expect(JSON.parse((await run(argv)).stdout)).toMatchObject({ schemaVersion: 2 });
  });

  test('names in them cannot act on a terminal, and are what they were', async () => {
    const folder = await tempFolder();
    const name = 'a\u009b31m\u202ebc';
    await mkdir(join(folder, name));
    await writeFile(join(folder, name, name), 'x');
    const call = async (...argv: string[]) => await runCommand({ root: program(), folder }, argv);

    const uploaded = await call('upload', name, 'file:///store', '--progress-format', 'json', '--json');
    const { location } = JSON.parse(uploaded.stdout) as { readonly location: string };
    const listed = await call('list', location, '--json');

    for (const text of [uploaded.stdout, uploaded.stderr, listed.stdout]) expect(text).not.toMatch(/[\u009b\u202e]/);
    expect(uploaded.stderr).toContain('a\\u009b31m\\u202ebc');
    expect(JSON.parse(listed.stdout)).toMatchObject({ contents: [{ path: name }] });
  });

  test('an unknown key, a missing one and one of another form are found', () => {
    const argv = ['context', '--json'];
    const document = { schemaVersion: 2, context: 'repl', setBy: 'default' };

    expect(() => checkJson(argv, printed(document))).not.toThrow();
    expect(() => checkJson(argv, printed({ ...document, source: '' }))).toThrow('source');
    expect(() => checkJson(argv, printed({ schemaVersion: 2, context: 'repl' }))).toThrow('setBy');
    expect(() => checkJson(argv, printed({ ...document, setBy: 1 }))).toThrow('setBy');
    expect(() => checkJson(argv, printed({ context: 'repl', setBy: 'default' }))).toThrow('schemaVersion');
    expect(() => checkJson(argv, printed({ ...document, source: '' }), program())).toThrow('source');
    const size = { schemaVersion: 2, bytes: 1.5 };
    expect(() => checkJson(['list', '--json'], printed(size))).toThrow('/bytes must be integer');
  });

  test('docs/json.md says what they hold, and docs/json-keys.md what each key means', async () => {
    await expect(documentsPage()).toMatchFileSnapshot('../../docs/json.md');
    await expect(keysPage()).toMatchFileSnapshot('../../docs/json-keys.md');
  });
});

const code = (keys: string): string =>
  keys === ''
    ? 'none'
    : keys
        .split(' ')
        .map((key) => `\`${key}\``)
        .join(' ');

const table = (documents: Readonly<Record<string, string>>, name: (key: string) => string): readonly string[] => [
  '| | keys |',
  '| --- | --- |',
  ...Object.entries(documents).map(([key, keys]) => `| ${name(key)} | ${code(keys)} |`),
];

function documentsPage(): string {
  return [
    '# JSON',
    '',
    'With `--json` a command prints one document on stdout, also on failure. Each has `schemaVersion`, which counts up when a key',
    'goes away or changes its meaning; keys are added without, so readers pass over those that they do not know. A key means the',
    'same wherever it stands. Bytes are whole numbers, times are ISO 8601 in UTC, `?` marks what may be missing. The names of',
    'counts are plural nouns; bytes are content before compression, except for names that begin with `stored`. The tests check',
    'every document that they make against the JSON Schemas, which like this page are made of src/json/keys.ts and documents.ts.',
    '',
    '`archiver json-schema COMMAND` prints the JSON Schema (draft 2020-12) of what a command answers, `archiver json-schema error`, `help`, `version`',
    'and `progress` those of a failure, of `--help --json`, of `--version --json` and of a line of `--progress-format json`. They allow the keys of this version',
    'alone; take them from the program that you call. The meaning of each key is its `description` there. To write them all to files:',
    '',
    '```sh',
    'archiver json-schema | while read -r name; do',
    '  archiver json-schema $name > "$name.schema.json"',
    'done',
    '```',
    '',
    'The exit status says more than the document where a command has several ends: that of a restore which only asked for chunks in',
    'cold storage is 5, and `status` is `pending`. `archiver COMMAND --help --json` lists the exit statuses.',
    '',
    '## Documents',
    '',
    ...table(JSON_DOCUMENTS, (path) => `\`archiver ${path}\``),
    '',
    'Instead of that, any command may print:',
    '',
    ...table(
      OTHER_DOCUMENTS,
      (key) => ({ error: 'a failure', call: '`--help --json`', programVersion: '`--version --json`' })[key] ?? key,
    ),
    '',
    '`--progress-format json` prints a line on stderr for each step, and one of type `error` for a failure, also where no operation had begun, or after the summary of',
    'one that was interrupted; stderr has no other words for it, but the stack with `--trace`:',
    '',
    ...table(JSON_LINES, (type) => `\`"type": "${type}"\``),
    '',
  ].join('\n');
}

/** Not in the package: the schemas say it, too. */
function keysPage(): string {
  return [
    '# Keys of JSON documents',
    '',
    '| key | form | meaning |',
    '| --- | --- | --- |',
    ...Object.entries(JSON_KEYS).map(([name, { form, means }]) => `| \`${name}\` | ${form} | ${means} |`),
    '',
  ].join('\n');
}
