import { describe, expect, test } from 'vitest';
import { checkFormat, readJson, readValue } from '../../../../src/core/platform/documents/read-document.js';
import * as s from '../../../../src/core/platform/documents/schema.js';

const WRITER = s.schema(() =>
  s.object({
    name: s.text,
    age: s.orNull(s.countTo(150)),
    note: s.optional(s.text),
    state: s.oneOf(['up', 'down']),
    since: s.date,
    sources: s.listOf(s.object({ path: s.text, isGood: s.flag }), { least: 1, most: 2 }),
    days: s.mapOf(s.object({ bytes: s.whole, share: s.fraction }), s.day),
  }),
);
const GOOD = {
  name: 'web-01',
  age: 3,
  state: 'up',
  since: '2026-03-04T05:06:07Z',
  sources: [{ path: '/a', isGood: true }],
  days: { '2026-03-04': { bytes: -1, share: 0.5 } },
};

describe('a document', () => {
  test('is read as its schema has it, and keys that nobody knows are left out', () => {
    const { age: _, ...rest } = GOOD;

    expect(readValue(WRITER, { ...rest, mood: 'fine' }, 'it')).toEqual({
      ...GOOD,
      age: null,
      since: new Date('2026-03-04T05:06:07Z'),
      days: new Map([['2026-03-04', { bytes: -1, share: 0.5 }]]),
    });
  });

  test('keeps keys that nobody knows where it is written back', () => {
    const open = s.schema(() => s.openObject({ name: s.text }));

    expect(readValue(open, { name: 'a', mood: 'fine' }, 'it')).toEqual({ name: 'a', mood: 'fine' });
  });

  test.each<[string, unknown, string]>([
    ['no object', [], 'it is not an object'],
    ['a key that is missing', { ...GOOD, name: undefined }, "'name' of it is not a text"],
    ['a number beyond', { ...GOOD, age: 151 }, "'age' of it is not a whole number from 0 to 150"],
    ['a fraction', { ...GOOD, age: 1.5 }, "'age' of it is not a whole number from 0 to 150"],
    ['null for what may be missing', { ...GOOD, note: null }, "'note' of it is not a text"],
    ['another word', { ...GOOD, state: 'left' }, "'state' of it is not one of up, down"],
    ['a time that is none', { ...GOOD, since: 'once' }, "'since' of it is not a time"],
    ['no list', { ...GOOD, sources: { length: 1 } }, "'sources' of it is not a list"],
    ['a wrong item', { ...GOOD, sources: [GOOD.sources[0], 7] }, 'source 2 of it is not an object'],
    ['a key of an item', { ...GOOD, sources: [{ path: 1, isGood: true }] }, "'path' of source 1 of it is not a text"],
    ['too few', { ...GOOD, sources: [] }, 'it has fewer than 1 sources'],
    ['too many', { ...GOOD, sources: [1, 2, 3] }, 'it has more than 2 sources'],
    ['a key of a map', { ...GOOD, days: { once: GOOD.days['2026-03-04'] } }, "'once' of 'days' of it is not a day"],
    [
      'a value of a map',
      { ...GOOD, days: { '2026-03-04': { bytes: 1, share: 2 } } },
      "'share' of '2026-03-04' of 'days' of it is not a number from 0 to 1",
    ],
    ['a name that acts on terminals', { ...GOOD, days: { '\x1b[2J': 0 } }, "'\\x1b[2J' of 'days' of it is not a day"],
  ])('with %s is refused in our words', (_name, value, message) => {
    expect(() => readValue(WRITER, value, 'it')).toThrow(expect.objectContaining({ code: 'integrity', message }));
  });

  test('says what to do about it', () => {
    expect(() => readValue(WRITER, 0, 'it', { hint: 'remove it' })).toThrow(
      expect.objectContaining({ hint: 'remove it' }),
    );
  });

  test('has each key once, and nests no deeper than is read', () => {
    const any = s.schema(() => s.object({}));

    expect(() => readJson(any, '{"a":1,"a":2}', 'it', 8)).toThrow('it has the key "a" twice in one object');
    expect(() => readJson(any, '[[[', 'it', 2)).toThrow('it nests more than 2 levels deep');
  });

  test.each([
    ['number', s.number, [0, -1, 0.5]],
    ['numberThat', s.numberThat((one) => one < 1, 'below 1'), [0, -1, 0.5]],
    ['whole', s.whole, [0, -1]],
    ['amount', s.amount, [0, 0.5, 3.5]],
    ['fraction', s.fraction, [0, 0.5]],
    ['orNull', s.orNull(s.whole), [0, -1, null]],
    ['orElse', s.orElse(s.whole, 7), [0, -1]],
  ])('keeps values that are what its schema would return: %s', (_name, type, plain) => {
    const values = [0, -1, 0.5, 3.5, Number.NaN, Infinity, -Infinity, 2 ** 53, null, undefined, '1', [], {}];
    const found = values.filter((one) => s.isPlain(type, one));

    expect(found).toEqual(expect.arrayContaining(plain));
    for (const one of found) expect(type.safeParse(one)).toEqual({ success: true, data: one });
    expect(found.length).toBeLessThan(6);
  });

  const ITEMS = s.schema(() => s.listOfMany(s.object({ at: s.count, note: s.exactOptional(s.nullable(s.text)) })));
  const DAMAGED = [{ at: 1 }, { at: -1 }, {}];

  test.each<[string, unknown, unknown]>([
    ['a key that nobody knows', { at: 1, mood: 'fine' }, { at: 1 }],
    ['__proto__', JSON.parse('{"at":1,"__proto__":{"note":"x"}}'), { at: 1 }],
    ['null', { at: 1, note: null }, { at: 1, note: null }],
  ])('that has millions of items keeps the plain ones, and reads one with %s', (_name, odd, read) => {
    const plain = { at: 1, note: 'a' };
    const found = readValue(ITEMS, [plain, odd], 'it');

    expect(found).toEqual([plain, read]);
    expect(Object.keys(found[1] ?? {})).toEqual(Object.keys(read as object));
    expect(found[0]).toBe(plain);
  });

  test('is read up to the first problem', () => {
    const list = s.schema(() => s.object({ items: s.listOfMany(s.object({ at: s.count })) }));
    const seen: unknown[] = [];
    const looked = s.schema(() => s.listOf(s.textThat((one) => seen.push(one) < 0, 'wanted')));

    expect(() => readValue(list, { items: DAMAGED }, 'it')).toThrow(
      "'at' of item 2 of it is not a whole number from 0",
    );
    expect(() => readValue(looked, ['a', 'b', 'c'], 'it')).toThrow('is not wanted');
    expect(new Set(seen)).toEqual(new Set(['a']));
  });

  test('cannot change what objects are', () => {
    const map = s.schema(() => s.object({ by: s.mapOf(s.object({ name: s.text })) }));
    const read = readJson(map, '{"by":{"__proto__":{"name":"x"}},"__proto__":{"name":"y"}}', 'it', 8);

    expect([Object.getPrototypeOf(read), [...read.by]]).toEqual([Object.prototype, [['__proto__', { name: 'x' }]]]);
  });

  test.each<[unknown, string, string]>([
    [2, 'unsupported', 'it has format 2, and this archiver reads 1'],
    [0, 'integrity', "'format' of it is not 1"],
    ['1', 'integrity', "'format' of it is not 1"],
  ])('of format %j is none that is read', (format, code, message) => {
    expect(() => checkFormat({ format: 1 }, 'format', 1, 'it')).not.toThrow();
    expect(() => checkFormat({ format }, 'format', 1, 'it')).toThrow(expect.objectContaining({ code, message }));
  });
});
