// What a person asked for, as a test on entries and, where possible, as byte strings that the lines of the wanted
// entries must hold, so that finding one file among a million does not parse a million lines.
import picomatch from 'picomatch';
import { displayPath, printable, type RawPath, rawFromText, textFromRaw, withEnd } from '../paths/raw-path.js';
import { typedGlob, typedPath } from '../paths/typed-path.js';
import { usageError } from '../failures/errors.js';
import type { Entry, ManifestHead } from './manifest-types.js';
import { isOfStage } from './provenance.js';

export interface Selectors {
  /** Everything; the others are then not looked at. */
  readonly all?: boolean;
  /** Exact paths as they are typed (`typedPath`); a folder stands for all below it. */
  readonly files?: readonly string[];
  /** The same as byte strings, for names that were read from the manifest itself. */
  readonly paths?: readonly RawPath[];
  readonly md5?: string;
  readonly pattern?: string;
  /** A git commit in hex, or at least the first seven digits of one. */
  readonly gitCommit?: string;
  /** The name of a DVC stage. */
  readonly stage?: string;
  readonly shards?: readonly number[];
}

export interface Selection {
  /** Before the first entry. Every entry belongs to the commit of its manifest. */
  begin(head: Pick<ManifestHead, 'git'>): void;
  /** `shard` is that of the entry's chunk; undefined for an entry without one. */
  matches(entry: Matched, shard: number | undefined): boolean;
  /** See `ReadManifestOptions.needles`. */
  readonly needles: readonly RawPath[] | undefined;
  /** What was asked for and nothing has matched, as the person wrote it. @throws usage when `gitCommit` fits several commits */
  unmatched(): readonly string[];
}

type Matched = Pick<Entry, 'path' | 'md5' | 'type' | 'stage' | 'commit'>;

/** A test for paths by glob; files that begin with a dot are files like others. A name that is not UTF-8 is compared byte by byte. */
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

/** How a text appears in a manifest line; the closing quote is left out for a folder. */
const literalOf = (text: string): RawPath => rawFromText(JSON.stringify(text));

const SLASH = rawFromText('/');
const ROUND = rawFromText('@');

/** With more paths than this, reading every line is faster than searching for each. */
const MAX_NEEDLED = 64;

class Wanted {
  private readonly paths = new Map<RawPath, string>();
  private readonly found = new Set<string>();
  private isStageFound = false;
  private readonly md5: string | undefined;
  private readonly isGlobMatch: ((path: RawPath) => boolean) | undefined;
  private readonly commits: WantedCommits | undefined;

  constructor(private readonly selectors: Selectors) {
    const { files = [], paths = [], md5, pattern, gitCommit } = selectors;
    for (const path of paths) this.paths.set(path, displayPath(path));
    for (const file of files) this.paths.set(typedPath(cleanPath(file)), file);
    this.md5 = md5?.toLowerCase();
    this.isGlobMatch = pattern === undefined ? undefined : globMatcher(pattern);
    this.commits = gitCommit === undefined ? undefined : new WantedCommits(gitCommit);
  }

  begin(head: Pick<ManifestHead, 'git'>): void {
    this.commits?.begin(head.git?.commit);
  }

  matches({ path, md5, stage, commit }: Matched): boolean {
    const file = this.fileFor(path);
    if (file !== undefined) this.found.add(file);
    const isHash = this.md5 !== undefined && md5 === this.md5;
    if (isHash) this.found.add(this.md5);
    const isStage = this.selectors.stage !== undefined && isOfStage(stage, this.selectors.stage);
    if (isStage) this.isStageFound = true;
    const isCommit = this.commits?.matches(commit) === true;
    return file !== undefined || isHash || isStage || isCommit || this.isGlobMatch?.(path) === true;
  }

  private fileFor(path: RawPath): string | undefined {
    if (this.paths.size === 0) return undefined;
    let prefix = path;
    for (;;) {
      const file = this.paths.get(prefix);
      if (file !== undefined) return file;
      const slash = prefix.lastIndexOf('/');
      if (slash < 0) return undefined;
      prefix = prefix.slice(0, slash);
    }
  }

  // A commit cannot be searched for: that of the head, which comes after the search has begun, may be the one.
  get needles(): readonly RawPath[] | undefined {
    const { stage } = this.selectors;
    if (this.isGlobMatch !== undefined || this.commits !== undefined) return undefined;
    // Each is looked for in the whole text, and a name that is not UTF-8 does not appear there as it is.
    const texts = [...this.paths.keys()].flatMap((path) => textFromRaw(path) ?? []);
    if (texts.length < this.paths.size || texts.length > MAX_NEEDLED) return undefined;
    const paths = texts.flatMap((text) => {
      const literal = literalOf(text);
      return [literal, withEnd(literal.slice(0, -1), SLASH)];
    });
    return [
      ...paths,
      ...(this.md5 === undefined ? [] : [rawFromText(this.md5)]),
      ...(stage === undefined ? [] : [literalOf(stage), withEnd(literalOf(stage).slice(0, -1), ROUND)]),
    ];
  }

  unmatched(): readonly string[] {
    const { files = [], paths = [], stage } = this.selectors;
    const named = [...paths.map(displayPath), ...files];
    return [
      ...named.filter((file) => !this.found.has(file)),
      ...(this.md5 === undefined || this.found.has(this.md5) ? [] : [this.md5]),
      ...(stage === undefined || this.isStageFound ? [] : [stage]),
      ...(this.commits?.unmatched() ?? []),
    ];
  }
}

const MIN_COMMIT_DIGITS = 7;

/** One commit, of which perhaps only the beginning is known. */
class WantedCommits {
  private readonly prefix: string;
  private readonly found = new Set<string>();
  private isHead = false;

  /** @throws usage */
  constructor(private readonly text: string) {
    this.prefix = text.toLowerCase();
    if (!/^[0-9a-f]*$/.test(this.prefix) || this.prefix.length < MIN_COMMIT_DIGITS || this.prefix.length > 64)
      throw usageError(
        `'${printable(text)}' is not a git commit`,
        `a commit is its SHA in hex, or at least the first ${MIN_COMMIT_DIGITS} digits of it`,
      );
  }

  begin(commit: string | undefined): void {
    this.isHead = this.matches(commit);
  }

  matches(commit: string | undefined): boolean {
    const isFound = commit?.startsWith(this.prefix) === true;
    if (isFound) this.found.add(commit);
    return isFound || this.isHead;
  }

  /** @throws usage when several commits begin like that */
  unmatched(): readonly string[] {
    if (this.found.size > 1)
      throw usageError(
        `${this.found.size} commits of this upload begin with '${printable(this.text)}'`,
        `give more digits: ${[...this.found].slice(0, 10).join(', ')}`,
      );
    return this.found.size === 0 ? [this.text] : [];
  }
}

/** Combines selectors: all but shards add up, shards narrow them down. Nothing but shards selects all of them. @throws usage */
export function createSelection(selectors: Selectors): Selection {
  const { all = false, files = [], paths = [], md5, pattern, gitCommit, stage, shards } = selectors;
  const isWhole = all || (files.length + paths.length === 0 && (md5 ?? pattern ?? gitCommit ?? stage) === undefined);
  const shardSet = shards === undefined ? undefined : new Set(shards);
  const isInShard = (shard: number | undefined): boolean =>
    shardSet === undefined || (shard !== undefined && shardSet.has(shard));
  if (isWhole)
    return {
      begin: () => undefined,
      matches: (_entry, shard) => isInShard(shard),
      needles: undefined,
      unmatched: () => [],
    };
  const wanted = new Wanted(selectors);
  return {
    begin: (head) => wanted.begin(head),
    matches: (entry, shard) => wanted.matches(entry) && isInShard(shard),
    needles: wanted.needles,
    unmatched: () => wanted.unmatched(),
  };
}
