import { PassThrough } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { requireConfirmation, hasTerminal } from '../../../src/commands/kit/ask.js';
import { datasetBase } from '../../../src/commands/kit/dataset-target.js';
import { fact, firstLines, ofKnown, textOf } from '../../../src/commands/kit/lines.js';
import { isGiven, stopwatch, warnOf } from '../../../src/commands/kit/run.js';
import { withStore } from '../../../src/commands/kit/store.js';
import { column, numbers, tableText } from '../../../src/commands/kit/table.js';
import { command as list } from '../../../src/commands/dataset/list.js';
import { bucketUrl } from '../../../src/core/store/store-url.js';
import { tempFolder } from '../../support/temp-folder.js';

const numbered = (count: number): string[] => Array.from({ length: count }, (_, index) => `line ${index}`);
const clock = (...seconds: number[]) => ({ now: () => new Date((seconds.shift() ?? 0) * 1000) });

describe('lines', () => {
  test('values of facts begin in one column', () => {
    expect(textOf([fact('failed', 'a'), fact('abandoned', 'b')])).toBe('  failed    a\n  abandoned b\n');
  });

  test.each([
    [numbered(10), {}, 10, 'line 9'],
    [numbered(11), {}, 11, '            and 1 more'],
    [numbered(12), { isVerbose: false }, 11, '            and 2 more; --verbose shows them'],
    [numbered(12), { isVerbose: true }, 12, 'line 11'],
    [numbered(12), { isVerbose: true, total: 5000 }, 13, '            and 4 988 more'],
    [numbered(11), { indent: '  ' }, 11, '  and 1 more'],
  ])('a long list is cut: %#', (lines, cut, count, last) => {
    const shown = firstLines(lines, cut);
    expect(shown).toHaveLength(count);
    expect(shown.at(-1)).toBe(last);
  });

  test('what is not known has no text', () => {
    expect([ofKnown(null, String), ofKnown(undefined, String), ofKnown(0, String)]).toEqual([
      undefined,
      undefined,
      '0',
    ]);
  });
});

describe('tables', () => {
  const columns = [column<{ n: number }>('NAME', ({ n }) => (n > 1 ? `n${n}` : undefined)), numbers('COUNT', () => 7)];

  test('have a line for each row, and a dash for what is unknown', async () => {
    const stdout = new PassThrough();
    const text = await tableText([{ n: 1 }, { n: 2 }], columns, { stdout, json: false });
    expect(text.split('\n').map((line) => line.trim().split(/\s+/))).toEqual([
      ['NAME', 'COUNT'],
      ['-', '7'],
      ['n2', '7'],
      [''],
    ]);
  });

  test('are not made with --json', async () => {
    expect(await tableText([{ n: 1 }], columns, { stdout: new PassThrough(), json: true })).toBe('');
  });
});

describe('runs', () => {
  test('time is taken from the clock of the command', () => {
    const elapsed = stopwatch(clock(10, 12));
    expect(elapsed()).toBe(2000);
  });

  test('of many warnings the first ten are shown', () => {
    const warnings: string[] = [];
    warnOf(numbered(13), { warn: (text) => warnings.push(text) });
    expect(warnings).toHaveLength(11);
    expect(warnings.at(-1)).toBe('and 3 more warnings');
  });

  test('a default is not given', () => {
    const context = { origins: { a: 'config', b: 'default' } } as const;
    expect(['a', 'b', 'c'].map((key) => isGiven(context, key))).toEqual([true, false, false]);
  });
});

describe('questions', () => {
  test('a no ends the command', async () => {
    const answer = (yes: boolean) =>
      requireConfirmation({ confirm: () => Promise.resolve(yes) }, 'Sure?', 'nothing was deleted');
    await expect(answer(true)).resolves.toBeUndefined();
    await expect(answer(false)).rejects.toMatchObject({
      code: 'usage',
      message: 'nothing was deleted: the answer was no',
    });
  });

  test('a person is there when both ends are a terminal', () => {
    const stream = (isTTY: boolean) => Object.assign(new PassThrough(), { isTTY });
    expect(hasTerminal({ stdin: stream(true), stderr: stream(true) })).toBe(true);
    expect(hasTerminal({ stdin: stream(true), stderr: stream(false) })).toBe(false);
  });
});

describe('places', () => {
  test('a dataset lies above uploads/, and a writer has a part of its own', () => {
    expect(datasetBase('s3://acme/lab', undefined)).toBe('s3://acme/lab');
    expect(datasetBase('s3://acme/lab', 'web-01')).toBe('s3://acme/lab/writers/web-01');
    expect(() => datasetBase('s3://acme/lab/uploads/20251114-093012-1a2b3c4d', undefined)).toThrow('is an upload');
  });

  test('--bucket takes a name, a URL or a path', () => {
    const taken = ['acme', 'file:///x', '/mnt/backup', './here'].map((text) => bucketUrl(text, '/cwd'));
    expect(taken).toEqual(['s3://acme', 'file:///x', 'file:///mnt/backup', 'file:///cwd/here']);
  });
});

describe('stores', () => {
  const values = { region: 'us-west-2', profile: undefined, endpointUrl: undefined, caBundle: undefined };
  const context = () => ({
    cwd: '/',
    home: '/',
    env: {},
    origins: {},
    account: { isRecorded: false, open: undefined, values: {} },
    pricing: { discount: undefined, own: {}, provider: undefined },
    now: () => new Date(),
    signal: new AbortController().signal,
    note: () => undefined,
    warn: () => undefined,
  });

  test('a store is open for the work, also when that fails', async () => {
    const baseUrl = `file://${await tempFolder()}`;
    const call = { baseUrl, values, context: context() };
    expect(await withStore(call, ({ store }) => Promise.resolve(store.url))).toBe(baseUrl);
    await expect(withStore(call, () => Promise.reject(new Error('torn')))).rejects.toThrow('torn');
  });

  test('a command runs with what it names of the context, and nothing else', async () => {
    const url = `file://${await tempFolder()}`;
    const texts: string[] = [];
    const status = await list.run({ ...values, writerId: undefined, cost: false, allWriters: false }, [url], {
      ...context(),
      json: false,
      pricing: { discount: undefined, own: {}, provider: undefined },
      quiet: false,
      stdout: new PassThrough(),
      stderr: new PassThrough(),
      colors: { stdout: false, stderr: false },
      now: () => new Date(),
      result: (_, text) => void texts.push(text()),
      outcome: (_, text) => void texts.push(text()),
    });
    expect([status, texts]).toEqual([0, [`no datasets under ${url}\n`]]);
  });
});
