import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { EntryTableBuilder, KIND, openEntryTable, STATUS } from '../../../../src/core/format/columns/entry-table.js';
import {
  type AccountNames,
  type EntryExtra,
  entryLine,
  type LineSources,
} from '../../../../src/core/format/manifest/entry-line.js';
import { octalMode, rawProperty } from '../../../../src/core/format/manifest/line-text.js';
import { formatTimestamp, parseTimestamp } from '../../../../src/core/format/manifest/timestamp.js';
import { HOSTILE_NAMES } from '../../archive/trees.js';
import { raw } from '../../../support/raw.js';
import { rawFromText } from '../../../../src/core/platform/paths/raw-path.js';

const nobody: AccountNames = { user: () => undefined, group: () => undefined };

function table(path: string, kind: number = KIND.file) {
  const builder = new EntryTableBuilder();
  const index = builder.add(raw(path));
  builder.columns.kind[index] = kind;
  builder.columns.chunk[index] = 3;
  builder.columns.status[index] = STATUS.stored;
  return { builder, open: () => openEntryTable(builder.finish()) };
}

const lineOf = (path: string, kind?: number, extra?: EntryExtra, names = nobody): Record<string, unknown> => {
  const line = entryLine(table(path, kind).open(), 0, names, extra);
  expect(line).not.toContain('\n');
  return JSON.parse(line) as Record<string, unknown>;
};

const rawOf = (entry: Record<string, unknown>, key: string): string => {
  const text = entry[key];
  return typeof text === 'string'
    ? Buffer.from(text, 'utf8').toString('latin1')
    : Buffer.from(String(entry[`${key}Base64`]), 'base64').toString('latin1');
};

describe('names', () => {
  test.each(HOSTILE_NAMES.map((name) => [JSON.stringify(name).slice(0, 40), name]))(
    '%s survives JSON',
    (_shown, name) => {
      expect(rawOf(lineOf(name), 'path')).toBe(name);
    },
  );

  test('every byte string survives, as text exactly when it is UTF-8', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 40 }), (bytes) => {
        const name = Buffer.from(bytes).toString('latin1');
        const parsed = JSON.parse(`{${rawProperty('path', raw(name))}}`) as Record<string, unknown>;
        expect(rawOf(parsed, 'path')).toBe(name);
        const isUtf8 = Buffer.from(Buffer.from(bytes).toString('utf8'), 'utf8').equals(Buffer.from(bytes));
        expect(Object.keys(parsed)).toEqual([isUtf8 ? 'path' : 'pathBase64']);
      }),
      { numRuns: 500 },
    );
  });

  test('every text survives', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', minLength: 1, maxLength: 30 }), (text) => {
        const name = Buffer.from(text, 'utf8').toString('latin1');
        expect(rawOf(JSON.parse(`{${rawProperty('path', raw(name))}}`) as Record<string, unknown>, 'path')).toBe(name);
      }),
      { numRuns: 500 },
    );
  });

  test('targets, attributes and account names are escaped too', () => {
    const { builder, open } = table('l', KIND.symlink);
    builder.targets.push(raw('bad-\xff\n'));
    const names = { user: () => raw('dom\\"user'), group: () => rawFromText('gr\u00fcppe') };
    const xattrs = new Map([
      [raw('user."\n'), Buffer.from([0, 255])],
      [raw('user.\xff'), Buffer.alloc(0)],
    ]);

    const entry = JSON.parse(entryLine(open(), 0, names, { xattrs })) as Record<string, unknown>;

    expect(rawOf(entry, 'target')).toBe('bad-\xff\n');
    expect(entry).toMatchObject({ user: 'dom\\"user', group: 'gr\u00fcppe' });
    expect(entry['xattrs']).toEqual({ 'user."\n': 'AP8=', 'base64:dXNlci7/': '' });
  });
});

describe('keys', () => {
  test('are those of the format for each type', () => {
    const always = ['path', 'type', 'mtime', 'mode', 'uid', 'gid', 'ctime', 'inode'];

    expect(Object.keys(lineOf('d', KIND.directory)).sort()).toEqual([...always, 'chunk'].sort());
    expect(Object.keys(lineOf('f')).sort()).toEqual([...always, 'size', 'chunk', 'offset'].sort());
    const segments = [{ chunk: 1, offset: 2, size: 3 }];
    expect(Object.keys(lineOf('c', KIND.file, { segments })).sort()).toEqual([...always, 'size', 'segments'].sort());
    expect(lineOf('s', KIND.file, { holes: [[0, 5]] })['holes']).toEqual([[0, 5]]);
  });

  test('stage and commit are there where they are known, and nothing else is different', () => {
    const view = table('data/a "b".csv').open();
    const commit = 'c'.repeat(40);
    const stages = { outs: new Map([[raw('data'), 'größe "1"']]), areAll: true };
    const line = (provenance?: LineSources['provenance']): string => entryLine(view, 0, { ...nobody, provenance });
    const parsed = (text: string) => JSON.parse(text) as Record<string, unknown>;

    expect(line({})).toBe(line());
    expect(line({ stages: { outs: new Map([[raw('dat'), 's']]), areAll: true } })).toBe(line());
    expect(parsed(line({ commit }))).toEqual({ ...parsed(line()), commit });
    expect(parsed(line({ stages }))).toEqual({ ...parsed(line()), stage: 'größe "1"' });
    expect(parsed(line({ commit, stages }))).toEqual({ ...parsed(line()), commit, stage: 'größe "1"' });
  });

  test('a changed file says so, a linked one its group, a checksum all its digits', () => {
    const { builder, open } = table('h', KIND.hardlink);
    builder.columns.status[0] = STATUS.changed;
    builder.columns.group[0] = 7;
    builder.columns.size[0] = 2 ** 45 + 1;
    builder.columns.inode[0] = 18_446_744_073_709_551_615n;
    builder.columns.mode[0] = 0o4755;
    const view = open();
    view.md5[15] = 1;
    view.sha256[31] = 1;

    expect(JSON.parse(entryLine(view, 0, nobody))).toMatchObject({
      type: 'hardlink',
      changed: true,
      linkGroup: 7,
      size: 35_184_372_088_833,
      inode: '18446744073709551615',
      mode: '4755',
      md5: '00000000000000000000000000000001',
      sha256: `${'0'.repeat(63)}1`,
    });
  });

  test.each([
    [0, '0000'],
    [0o644, '0644'],
    [0o7777, '7777'],
    [0o100644, '0644'],
  ])('mode %s is %s', (mode, text) => {
    expect(octalMode(mode)).toBe(text);
  });
});

describe('times', () => {
  test('agree with Date wherever Date reaches, and come back', () => {
    fc.assert(
      fc.property(fc.integer({ min: -62_167_219_200, max: 253_402_300_799 }), fc.nat(999_999_999), (seconds, nanos) => {
        const text = formatTimestamp(seconds, nanos);
        expect(text).toBe(`${new Date(seconds * 1000).toISOString().slice(0, 19)}.${String(nanos).padStart(9, '0')}Z`);
        expect(parseTimestamp(text)).toEqual({ seconds, nanos });
      }),
      { numRuns: 1000 },
    );
  });

  test('come back from any year that a file system can say', () => {
    fc.assert(
      fc.property(fc.integer({ min: -(2 ** 45), max: 2 ** 45 }), fc.nat(999_999_999), (seconds, nanos) => {
        expect(parseTimestamp(formatTimestamp(seconds, nanos))).toEqual({ seconds, nanos });
      }),
      { numRuns: 1000 },
    );
  });

  test.each([
    [0, 0, '1970-01-01T00:00:00.000000000Z'],
    [-1, 999_999_999, '1969-12-31T23:59:59.999999999Z'],
    [2 ** 31, 0, '2038-01-19T03:14:08.000000000Z'],
    [2 ** 32, 1, '2106-02-07T06:28:16.000000001Z'],
    [951_782_400, 0, '2000-02-29T00:00:00.000000000Z'],
    [253_402_300_800, 0, '+010000-01-01T00:00:00.000000000Z'],
    [-62_167_219_201, 0, '-000001-12-31T23:59:59.000000000Z'],
  ])('%s s and %s ns are %s', (seconds, nanos, text) => {
    expect(formatTimestamp(seconds, nanos)).toBe(text);
  });
});
