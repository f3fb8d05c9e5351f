// What a person asked for, as a test on entries and, where possible, as byte strings that the lines of the wanted
// entries must hold, so that finding one file among a million does not parse a million lines.
import picomatch from 'picomatch';
import { type RawPath, rawFromText, textFromRaw } from '../raw-path.js';
import type { Entry } from './manifest-types.js';

export interface Selectors {
  /** Everything; the others are then not looked at. */
  readonly all?: boolean;
  /** Exact paths as text; a folder stands for all below it. */
  readonly files?: readonly string[];
  readonly md5?: string;
  readonly pattern?: string;
  readonly shards?: readonly number[];
}

export interface Selection {
  /** `shard` is that of the entry's chunk; undefined for an entry without one. */
  matches(entry: Pick<Entry, 'path' | 'md5' | 'type'>, shard: number | undefined): boolean;
  /** See `ReadManifestOptions.needles`. */
  readonly needles: readonly string[] | undefined;
  /** Paths and hashes asked for that nothing has matched, as the person wrote them. */
  unmatched(): readonly string[];
}

/** A test for paths by glob; files that begin with a dot are files like others. */
export function globMatcher(pattern: string): (path: RawPath) => boolean {
  const isMatch = picomatch(pattern, { dot: true });
  return (path) => isMatch(textFromRaw(path) ?? path);
}

/** `./a/b/` and `a/b` are the same path. */
const cleanPath = (text: string): string => text.replace(/^(?:\.\/+)+/, '').replace(/\/+$/, '');

/** How a path appears in a manifest line; the closing quote is left out for a folder. */
const literalOf = (path: string): string => Buffer.from(JSON.stringify(path), 'utf8').toString('latin1');

class Wanted {
  private readonly paths = new Map<RawPath, string>();
  private readonly found = new Set<string>();

  constructor(
    private readonly files: readonly string[],
    private readonly md5: string | undefined,
    private readonly isGlobMatch: ((path: RawPath) => boolean) | undefined,
  ) {
    for (const file of files) this.paths.set(rawFromText(cleanPath(file)), file);
  }

  matches({ path, md5 }: Pick<Entry, 'path' | 'md5'>): boolean {
    const file = this.fileFor(path);
    if (file !== undefined) this.found.add(file);
    const isHash = this.md5 !== undefined && md5 === this.md5;
    if (isHash) this.found.add(this.md5);
    return file !== undefined || isHash || this.isGlobMatch?.(path) === true;
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

  get needles(): readonly string[] | undefined {
    if (this.isGlobMatch !== undefined) return undefined;
    const paths = this.files.flatMap((file) => {
      const literal = literalOf(cleanPath(file));
      return [literal, `${literal.slice(0, -1)}/`];
    });
    return this.md5 === undefined ? paths : [...paths, this.md5];
  }

  unmatched(): readonly string[] {
    const wanted = this.md5 === undefined ? this.files : [...this.files, this.md5];
    return wanted.filter((name) => !this.found.has(name));
  }
}

/** Combines selectors: paths, hash and pattern add up; shards narrow them down. Nothing but shards selects all of them. */
export function createSelection({ all = false, files = [], md5, pattern, shards }: Selectors): Selection {
  const isWhole = all || (files.length === 0 && md5 === undefined && pattern === undefined);
  const shardSet = shards === undefined ? undefined : new Set(shards);
  const isInShard = (shard: number | undefined): boolean =>
    shardSet === undefined || (shard !== undefined && shardSet.has(shard));
  if (isWhole) return { matches: (_entry, shard) => isInShard(shard), needles: undefined, unmatched: () => [] };
  const wanted = new Wanted(files, md5?.toLowerCase(), pattern === undefined ? undefined : globMatcher(pattern));
  return {
    matches: (entry, shard) => wanted.matches(entry) && isInShard(shard),
    needles: wanted.needles,
    unmatched: () => wanted.unmatched(),
  };
}
