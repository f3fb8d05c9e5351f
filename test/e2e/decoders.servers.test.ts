// What six decoders of zstd and six readers of tar, as Debian has them, make of our chunks: all that trees.ts makes, counted.
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { describeTree, type Described, isRoot, makeEverything } from '../core/archive/trees.js';
import { notOnPath } from '../servers/serve.js';
import { uploadJson } from './in-process.js';
import { onlyUpload } from './upload-cli.js';

const LIMIT = { timeout: 120_000 };
/** That of Debian, which has its packages. */
const PYTHON = '/usr/bin/python3';
const DECODE = `import shutil, sys, zstandard
with open(sys.argv[1], "rb") as chunk:
    shutil.copyfileobj(zstandard.ZstdDecompressor().stream_reader(chunk, read_across_frames=True), sys.stdout.buffer)`;
const UNPACK = `import sys, tarfile
with tarfile.open(sys.argv[1]) as tar:
    tar.extraction_filter = staticmethod(lambda member, path: member)
    tar.extractall(".", numeric_owner=True)`;

const home = mkdtempSync(join(tmpdir(), 'archiver-test-'));
const source = join(home, 'source');
const chunks: string[] = [];
const tars: string[] = [];
if (!isRoot) process.stderr.write('left out: what other programs read of chunks (owners need root)\n');

/** Why a program cannot be used here; it is said. */
function isMissing(name: string, [program = '', ...flags]: readonly string[]): boolean {
  const hasModule = flags[1] !== DECODE || spawnSync(PYTHON, ['-c', 'import zstandard']).status === 0;
  const why = notOnPath(program) ?? (hasModule ? undefined : 'there is no python3-zstandard');
  if (why !== undefined) process.stderr.write(`left out: ${name} (${why})\n`);
  return why !== undefined;
}

const decoded = ([program = '', ...flags]: readonly string[], chunk: string): Buffer =>
  execFileSync(program, [...flags, chunk], { maxBuffer: 2 ** 28, stdio: ['ignore', 'pipe', 'ignore'] });

const ZSTD = ['zstd', '-dcq'];
const DECODERS = [
  { name: 'zstd', command: ZSTD },
  { name: 'unzstd', command: ['unzstd', '-cq'] },
  { name: 'pzstd', command: ['pzstd', '-dcq'] },
  { name: '7z', command: ['7z', 'e', '-so', '-tzstd'] },
  { name: 'bsdcat (libarchive)', command: ['bsdcat'] },
  { name: 'python3-zstandard', command: [PYTHON, '-c', DECODE] },
];

beforeAll(async () => {
  if (!isRoot) return;
  mkdirSync(source);
  makeEverything(source);
  await uploadJson(home, [source, `file://${home}/store`]);
  const upload = onlyUpload(join(home, 'store'));
  for (const path of readdirSync(upload, { recursive: true }).map(String).sort()) {
    if (!path.endsWith('.tar.zst')) continue;
    chunks.push(join(upload, path));
    tars.push(join(home, `${tars.length}.tar`));
    writeFileSync(join(home, `${tars.length - 1}.tar`), decoded(ZSTD, join(upload, path)));
  }
}, LIMIT.timeout);
afterAll(() => rmSync(home, { recursive: true, force: true }));

describe.skipIf(!isRoot)('zstd', () => {
  test.each(DECODERS)('$name decodes 8 of 8 chunks to the same bytes', LIMIT, ({ name, command }) => {
    if (isMissing(name, command)) return;
    const sums = (how: readonly string[]): string[] =>
      chunks.map((chunk) => createHash('sha256').update(decoded(how, chunk)).digest('hex'));

    expect(chunks).toHaveLength(8);
    expect(sums(command)).toEqual(sums(ZSTD));
  });
});

/** What there is to give back, by aspect and by path. Times of folders are left out: those of several chunks are touched again. */
function aspectsOf(tree: Readonly<Record<string, Described>>): Record<string, Map<string, string | undefined>> {
  const entries = Object.entries(tree);
  const others = entries.filter(([, { type }]) => type !== 'directory');
  const only = (type: string): typeof entries => entries.filter(([, entry]) => entry.type === type);
  const map = (of: typeof entries, value: (entry: Described) => string | undefined) =>
    new Map(of.map(([path, entry]) => [path, value(entry)]));
  return {
    paths: map(entries, ({ type }) => type),
    contents: map(only('file'), ({ size, content }) => `${size} ${content}`),
    targets: map(only('symlink'), ({ target }) => target),
    'hard links': map(
      entries.filter(([, { sameAs }]) => sameAs !== undefined),
      ({ sameAs }) => sameAs,
    ),
    modes: map(
      entries.filter(([, { type }]) => type !== 'symlink'),
      ({ mode }) => mode.toString(8),
    ),
    owners: map(entries, ({ owner }) => owner),
    seconds: map(others, ({ time }) => time.split('.')[0]),
    nanoseconds: map(others, ({ time }) => time),
    attributes: new Map(
      entries.flatMap(([path, { xattrs }]) =>
        Object.entries(xattrs ?? {}).map(([name, value]) => [`${path} ${name}`, value]),
      ),
    ),
  };
}

const NOTHING = /^(?!)/;
const ALL = /^/;
const SPARSE = /^sparse\/./;
// Before 1970, and after what twelve octal digits hold.
const FAR_TIMES = /^(?:times\/[3478]|sparse\/.*)$/;
// Numbers that no header has room for.
const LARGE_OWNERS = /^(?:links\/owned|modes\/(?:huge|small)|sparse\/.*)$/;
const WITHOUT_SPARSE = { paths: SPARSE, contents: SPARSE, 'hard links': SPARSE, modes: SPARSE, owners: LARGE_OWNERS };
// A path of 613 bytes, and a target of 4,000.
const TOO_LONG = /^(?:long\/d+\/e+\/f+|links\/long-target|sparse\/.*)$/;

/** `contents` is how many of 96 come back at least, `lost` what does not, by aspect; all else has to. */
const READERS: readonly Reader[] = [
  {
    name: 'GNU tar',
    command: ['tar', '--acls', '--xattrs', '--xattrs-include=*', '--numeric-owner', '-xpf'],
    contents: 96,
    lost: {},
  },
  {
    name: 'bsdtar',
    command: ['bsdtar', '--acls', '--xattrs', '--numeric-owner', '-xpf'],
    contents: 96,
    // Of the quarter before 1970, and of attributes with `=` in their names.
    lost: { seconds: /^times\/3$/, nanoseconds: /^times\/3$/, attributes: / user\.a=b/ },
  },
  {
    name: 'busybox tar',
    command: ['busybox', 'tar', '-xpf'],
    contents: 89,
    lost: { ...WITHOUT_SPARSE, seconds: /^(?:links\/|times\/[3478]$|sparse\/)/, nanoseconds: ALL, attributes: ALL },
  },
  {
    name: 'pax',
    command: ['pax', '-r', '-p', 'e', '-f'],
    contents: 88,
    lost: {
      paths: TOO_LONG,
      contents: TOO_LONG,
      targets: TOO_LONG,
      'hard links': SPARSE,
      modes: TOO_LONG,
      owners: new RegExp(`${LARGE_OWNERS.source}|${TOO_LONG.source}`),
      seconds: new RegExp(`${FAR_TIMES.source}|${TOO_LONG.source}`),
      nanoseconds: ALL,
      attributes: ALL,
    },
  },
  {
    name: '7z',
    command: ['7z', 'x', '-y', '-snl'],
    contents: 89,
    // It makes no links that lead out of their folder.
    lost: {
      ...WITHOUT_SPARSE,
      paths: /^(?:sparse|links)\//,
      targets: ALL,
      modes: /^(?:sparse|modes)\//,
      seconds: /^(?:sparse|links)\//,
      nanoseconds: ALL,
      attributes: ALL,
    },
  },
  {
    name: 'tarfile of Python',
    command: [PYTHON, '-c', UNPACK],
    contents: 96,
    // It counts times in floating point, and gives links none.
    lost: { seconds: /^(?:links\/|times\/5$)/, nanoseconds: ALL, attributes: ALL },
  },
];

interface Reader {
  readonly name: string;
  readonly command: readonly string[];
  readonly contents: number;
  readonly lost: Readonly<Record<string, RegExp>>;
}

describe.skipIf(!isRoot)('tar', () => {
  test.each(READERS)('$name gives back $contents of 96 contents, and says what else', LIMIT, (reader) => {
    const { name, command, contents, lost } = reader;
    if (isMissing(name, command)) return;
    const [program = '', ...flags] = command;
    const out = mkdtempSync(join(home, 'out-'));
    for (const tar of tars) spawnSync(program, [...flags, tar], { cwd: out, stdio: 'ignore' });

    const wanted = aspectsOf(describeTree(source));
    const found = aspectsOf(describeTree(out));
    const missed = Object.entries(wanted).map(([aspect, values]) => {
      const paths = [...values].filter(([path, value]) => found[aspect]?.get(path) !== value).map(([path]) => path);
      return { aspect, of: values.size, paths };
    });
    const counts = missed.map(({ aspect, of, paths }) => `${of - paths.length} of ${of} ${aspect}`);
    process.stderr.write(`${name} gives back ${counts.join(', ')}\n`);

    expect(
      missed.flatMap(({ aspect, paths }) => paths.filter((path) => !(lost[aspect] ?? NOTHING).test(path))),
    ).toEqual([]);
    const { of = 0, paths = [] } = missed.find(({ aspect }) => aspect === 'contents') ?? {};
    expect([of, of - paths.length]).toEqual([96, contents]);
    rmSync(out, { recursive: true });
  });
});
