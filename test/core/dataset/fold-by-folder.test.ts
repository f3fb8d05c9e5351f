import { expect, test } from 'vitest';
import { type FoldedRow, FolderFold } from '../../../src/core/dataset/fold-by-folder.js';
import { rawFromText, type RawPath } from '../../../src/core/platform/paths/raw-path.js';

interface Row {
  readonly path: RawPath;
  readonly kind: string;
}

const row = (kind: string, path: string): Row => ({ kind, path: rawFromText(path) });
const many = (kind: string, folder: string, count: number): Row[] =>
  Array.from({ length: count }, (_, at) => row(kind, `${folder}/${String(at).padStart(6, '0')}`));

function textOf(folded: FoldedRow<Row>): string {
  if ('row' in folded) return `${folded.row.kind} ${folded.row.path}`;
  const { files, folders, bytes, sample } = folded;
  return `${sample.kind} ${folded.folder}: ${files}${folders > 0 ? `+${folders}` : ''}, ${bytes} B`;
}

function fold(rows: readonly Row[]): string[] {
  const fold = new FolderFold<Row>({
    path: ({ path }) => path,
    bytes: () => 2,
    isFolder: ({ path }) => path.endsWith('D'),
    kind: ({ kind }) => kind,
  });
  const given = rows.toSorted((a, b) => (a.path < b.path ? -1 : 1)).flatMap((one) => [...fold.add(one)].map(textOf));
  return [...given, ...Array.from(fold.end(), textOf)];
}

test('a folder of one kind is a row, the highest one; fewer than ten are rows of their own', () => {
  expect(
    fold([...many('-', 'data/run-3/a', 20), ...many('-', 'data/run-3/b', 5), row('+', 'data/x'), row('-', 'top')]),
  ).toEqual(['- data/run-3: 25, 50 B', '+ data/x', '- top']);
  expect(fold(many('-', 'data', 9))).toHaveLength(9);
});

test('where kinds meet, folders below are rows, and so are the files of each kind there', () => {
  const rows = [
    ...many('-', 'data/a', 30),
    row('+', 'data/a/new'),
    ...many('-', 'data/b', 12),
    ...many('+', 'data/c', 3),
    ...many('-', 'data', 11),
  ];

  expect(fold(rows)).toEqual([
    '- data/a: 30, 60 B',
    '+ data/a/new',
    '- data/b: 12, 24 B',
    '- data: 11, 22 B',
    '+ data/c/000000',
    '+ data/c/000001',
    '+ data/c/000002',
  ]);
});

test('a folder counts with what is in it, also where another name comes between', () => {
  expect(fold([row('-', 'aD'), row('-', 'aD.b'), ...many('-', 'aD', 10)])).toEqual([
    '- aD',
    '- aD.b',
    '- aD: 10, 20 B',
  ]);
  expect(fold([row('-', 'x/aD'), ...many('-', 'x/aD', 10)])).toEqual(['- x: 10+1, 20 B']);
});

test('with more rows than are held a folder stays one row, and nothing is lost', () => {
  const rows = [
    ...Array.from({ length: 10_050 }, (_, at) => row('-', `d/${String(at).padStart(6, '0')}/f`)),
    row('+', 'd/zz'),
    ...many('-', 'd/zzz', 10),
  ];

  expect(fold(rows)).toEqual(['- d: 10050, 20100 B', '- d/zzz: 10, 20 B', '+ d/zz']);
});

test('random rows: each is told once, in a row of its own or in one that has its kind and a folder above it', () => {
  let state = 7;
  const random = (below: number): number => (state = (state * 48271) % 2147483647) % below;
  for (let round = 0; round < 200; round++) {
    const paths = new Set(
      Array.from({ length: random(120) }, () => [random(3), random(3), random(30)].slice(random(3)).join('/') + 'f'),
    );
    const rows = Array.from(paths, (path) => row(random(10) === 0 ? '+' : '-', path));
    const told = fold(rows);
    const files = told.reduce((sum, text) => sum + Number(/: (\d+)/.exec(text)?.[1] ?? 1), 0);
    expect(files).toBe(rows.length);
    for (const kind of ['+', '-']) {
      const of = told.filter((text) => text.startsWith(kind));
      const count = of.reduce((sum, text) => sum + Number(/: (\d+)/.exec(text)?.[1] ?? 1), 0);
      expect(count).toBe(rows.filter((one) => one.kind === kind).length);
    }
  }
});
