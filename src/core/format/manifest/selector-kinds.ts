// The kinds of selectors, each a test on entries that remembers what it has found.
import picomatch from 'picomatch';
import type { Part } from '../../platform/part.js';
import {
  comparableText,
  displayPath,
  type RawPath,
  rawFromText,
  textFromRaw,
  withEnd,
} from '../../platform/paths/raw-path.js';
import { linearRegex } from '../../platform/text/linear-regex.js';
import { typedGlob, typedPath } from '../../platform/text/typed-path.js';
import type { Failure } from '../../platform/failures/failure-list.js';
import { NOT_HERE } from './nothing-selected.js';
import { type PathRange, rangesOfGlob, rangesOfPath } from './path-range.js';
import { Commits } from './commit-kind.js';
import { INSTEAD, type Kind, kindText, type Matched, type Recorded } from './selector-kind.js';
import { isOfStage, stagePrefixes } from './provenance.js';

/** Selectors: an entry must match one of each kind that is given. */
export interface Selectors {
  /** Selects everything; all others except `shards` and `part` are ignored. */
  readonly all?: boolean;
  /** Exact paths as they are typed (`typedPath`); a folder includes everything below it. */
  readonly files?: readonly string[];
  /** Like `files`, as byte strings, for names that were read from the manifest itself. */
  readonly paths?: readonly RawPath[];
  readonly md5s?: readonly string[];
  readonly patterns?: readonly string[];
  /** Git commits in hex, or at least the first seven digits of each. */
  readonly commits?: readonly string[];
  /** Names of DVC stages. */
  readonly stages?: readonly string[];
  /** Regular expressions of which one finds something in the path (`linearRegex`). */
  readonly regexes?: readonly string[];
  /** Only files with more bytes than this; a link is an empty file. */
  readonly largerThanBytes?: number;
  /** Only files with fewer bytes than this. */
  readonly smallerThanBytes?: number;
  readonly shards?: readonly number[];
  /** One of several parts of what the others select, which as many restores write into one folder. */
  readonly part?: Part;
}

/** Matches paths by glob; files that begin with a dot are not special. A name that is not UTF-8 is compared byte by byte. */
export function globMatcher(pattern: string): (path: RawPath) => boolean {
  const bytes = typedGlob(pattern);
  const text = textFromRaw(bytes);
  const isTextMatch = text === undefined ? () => false : picomatch(text, { dot: true });
  const isBytesMatch = picomatch(bytes, { dot: true });
  return (path) => {
    const name = textFromRaw(path);
    return name === undefined ? isBytesMatch(path) : isTextMatch(name);
  };
}

/** `./a/b/` and `a/b` are the same path. */
const cleanPath = (text: string): string => text.replace(/^(?:\.\/+)+/, '').replace(/\/+$/, '');

/** The form of a text in a manifest line; the closing quote is left out for a folder. */
const literalOf = (text: string): RawPath => rawFromText(JSON.stringify(text));

const SLASH = rawFromText('/');

/** With more paths than this, parsing every line is faster than searching for each. */
const MAX_NEEDLED = 64;

/** With more paths than this, reading every segment is faster than looking for each path in the list of segments. */
const MAX_RANGED = 1000;

class Paths implements Kind {
  readonly text: string;
  private readonly texts = new Map<RawPath, string>();
  private readonly found = new Set<string>();
  private readonly named: readonly string[];

  constructor({ files = [], paths = [] }: Selectors) {
    for (const path of paths) this.texts.set(path, displayPath(path));
    for (const file of files) this.texts.set(typedPath(cleanPath(file)), file);
    this.named = [...paths.map(displayPath), ...files];
    this.text = kindText('path', 'paths', this.named);
  }

  matches({ path }: Matched): boolean {
    let prefix = path;
    for (;;) {
      const file = this.texts.get(prefix);
      if (file !== undefined) {
        this.found.add(file);
        return true;
      }
      const slash = prefix.lastIndexOf('/');
      if (slash < 0) return false;
      prefix = prefix.slice(0, slash);
    }
  }

  get needles(): readonly RawPath[] | undefined {
    // Each path is searched in the whole text, and a name that is not UTF-8 does not appear there unchanged.
    const texts = [...this.texts.keys()].flatMap((path) => textFromRaw(path) ?? []);
    if (texts.length < this.texts.size || texts.length > MAX_NEEDLED) return undefined;
    return texts.flatMap((text) => {
      const literal = literalOf(text);
      return [literal, withEnd(literal.slice(0, -1), SLASH)];
    });
  }

  get ranges(): readonly PathRange[] | undefined {
    if (this.texts.size > MAX_RANGED) return undefined;
    return [...this.texts.keys()].flatMap(rangesOfPath);
  }

  unmatched(): readonly Failure[] {
    return this.named.flatMap((path) => (this.found.has(path) ? [] : { path, reason: NOT_HERE }));
  }
}

/** A kind in which each text is a test of its own. */
class Each implements Kind {
  readonly text: string;
  private readonly tests: readonly { readonly text: string; readonly fits: (entry: Matched) => boolean }[];
  private readonly found = new Set<string>();
  private reason: string = NOT_HERE;

  constructor(
    [noun, plural]: readonly [string, string],
    texts: readonly string[],
    testOf: (text: string) => (entry: Matched) => boolean,
    private readonly needlesOf: (text: string) => readonly RawPath[] | undefined,
    private readonly lackOf: (head: Recorded) => string | undefined = () => undefined,
    private readonly rangesOf: (text: string) => readonly PathRange[] | undefined = () => undefined,
  ) {
    this.tests = texts.map((text) => ({ text, fits: testOf(text) }));
    this.text = kindText(noun, plural, texts);
  }

  begin(head: Recorded): void {
    this.reason = this.lackOf(head) ?? NOT_HERE;
  }

  matches(entry: Matched): boolean {
    let isAny = false;
    for (const { text, fits } of this.tests) {
      if (!fits(entry)) continue;
      this.found.add(text);
      isAny = true;
    }
    return isAny;
  }

  get needles(): readonly RawPath[] | undefined {
    return joined(this.tests.map(({ text }) => this.needlesOf(text)));
  }

  get ranges(): readonly PathRange[] | undefined {
    return joined(this.tests.map(({ text }) => this.rangesOf(text)));
  }

  unmatched(): readonly Failure[] {
    const { reason } = this;
    return this.tests.flatMap(({ text }) => (this.found.has(text) ? [] : { path: text, reason }));
  }
}

/** All lists joined; undefined when one of them is. */
export function joined<T>(lists: readonly (readonly T[] | undefined)[]): readonly T[] | undefined {
  const all: T[] = [];
  for (const list of lists) {
    if (list === undefined) return undefined;
    all.push(...list);
  }
  return all;
}

/** The caller checks that a shard exists, with the manifest's list of shards. */
export const shardKind = (shards: readonly number[]): Kind => ({
  text: kindText('shard', 'shards', shards.map(String)),
  matches: (_entry, shard) => shard !== undefined && shards.includes(shard),
  needles: [],
  unmatched: () => [],
});

/** The kinds that are given, except shards. @throws usage for an invalid commit */
export function kindsOf({
  files = [],
  paths = [],
  md5s = [],
  patterns = [],
  commits = [],
  stages = [],
  regexes = [],
  largerThanBytes,
  smallerThanBytes,
}: Selectors): Kind[] {
  const each = (texts: readonly string[], kind: () => Kind): readonly Kind[] => (texts.length === 0 ? [] : [kind()]);
  return [
    ...each([...files, ...paths], () => new Paths({ files, paths })),
    ...each(
      patterns,
      () =>
        new Each(
          ['pattern', 'patterns'],
          patterns,
          patternTest,
          () => undefined,
          () => undefined,
          rangesOfGlob,
        ),
    ),
    ...each(regexes, () => new Each(['regex', 'regexes'], regexes, regexTest, () => undefined)),
    ...(largerThanBytes === undefined
      ? []
      : [sizeKind(`files larger than ${largerThanBytes} bytes`, (size) => size > largerThanBytes)]),
    ...(smallerThanBytes === undefined
      ? []
      : [sizeKind(`files smaller than ${smallerThanBytes} bytes`, (size) => size < smallerThanBytes)]),
    ...each(md5s, () => new Each(['hash', 'hashes'], md5s, md5Test, md5Needles, lackOfMd5s)),
    ...each(commits, () => new Commits(commits)),
    ...each(stages, () => new Each(['stage', 'stages'], stages, stageTest, stageNeedles, lackOfStages)),
  ];
}

function patternTest(pattern: string): (entry: Matched) => boolean {
  const isMatch = globMatcher(pattern);
  return ({ path }) => isMatch(path);
}

function regexTest(source: string): (entry: Matched) => boolean {
  const isMatch = linearRegex(source, `--regex ${source}`);
  return ({ path }) => isMatch(comparableText(path));
}

function sizeKind(text: string, fits: (sizeBytes: number) => boolean): Kind {
  let isFound = false;
  return {
    text,
    matches({ type, size }) {
      const isFit = type !== 'directory' && (size === undefined || fits(type === 'symlink' ? 0 : size));
      isFound ||= isFit;
      return isFit;
    },
    needles: undefined,
    unmatched: () => (isFound ? [] : [{ path: text, reason: NOT_HERE }]),
  };
}

// Explain that the upload never recorded what is searched for, however it is typed.

const lackOfMd5s = ({ settings }: Recorded): string | undefined =>
  settings.fileChecksums ? undefined : `this upload was made with --no-file-checksums and recorded no MD5s; ${INSTEAD}`;

const lackOfStages = ({ dvc }: Recorded): string | undefined =>
  dvc === undefined ? `this upload was made without --dvc-auto and recorded no DVC stages; ${INSTEAD}` : undefined;

const md5Needles = (md5: string): readonly RawPath[] => [rawFromText(md5.toLowerCase())];

function md5Test(text: string): (entry: Matched) => boolean {
  const wanted = text.toLowerCase();
  return ({ md5 }) => md5 === wanted;
}

const stageTest =
  (wanted: string) =>
  ({ stage }: Matched): boolean =>
    isOfStage(stage, wanted);

const stageNeedles = (wanted: string): readonly RawPath[] | undefined =>
  stagePrefixes(wanted)?.map(({ text, isWhole }) => literalOf(text).slice(0, isWhole ? undefined : -1));
