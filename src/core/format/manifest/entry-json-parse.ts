// Parses one line of `files` as an Entry: typed, bounded, without duplicate keys. Paths are checked in path-rules.ts, and positions in
// manifest-check.ts. Most lines are plain (plain-line.ts); this reads those too, if need be.
import { integrityError } from '../../platform/failures/errors.js';
import { type RawPath, textFromRaw, rawFromBase64, TOP } from '../../platform/paths/raw-path.js';
import { JsonScanner } from '../../platform/json/json-scanner.js';
import { parseMode } from './head-schema.js';
import type { Entry, EntryType, Segment, Timestamp, Tombstone } from './manifest-types.js';
import { type Draft, MAX_ID, readPlain, TYPES } from './plain-line.js';
import { COMMIT, isStageName } from './provenance-schema.js';
import { parseTimestamp } from './timestamp.js';

/** An entry of a type that this version does not know: it is reported, never restored. */
export interface ForeignEntry {
  readonly path: RawPath;
  readonly foreignType: RawPath;
}

/** In the order in which they are written (entry-line.ts), which is the fastest to read. */
const KEYS = [
  'path',
  'pathBase64',
  'type',
  'size',
  'mtime',
  'mode',
  'uid',
  'gid',
  'user',
  'group',
  'md5',
  'sha256',
  'xxh64',
  'chunk',
  'offset',
  'target',
  'targetBase64',
  'linkGroup',
  'segments',
  'holes',
  'xattrs',
  'changed',
  'ctime',
  'inode',
  'stage',
  'commit',
] as const;
type Key = (typeof KEYS)[number];
const POSITIONS = new Map<string, number>(KEYS.map((key, position) => [key, position]));
const WRITTEN = KEYS.map((key) => `"${key}":`);
/** A list takes a dozen times the memory of its text. The line of a file with more holes would be too long to be written. */
export const MAX_PIECES = 1 << 22;
const MD5 = /^[0-9a-f]{32}$/;
const SHA256 = /^[0-9a-f]{64}$/;
const XXH64 = /^[0-9a-f]{16}$/;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** Keys of a deletion: its path and its type. */
const TOMBSTONE_BITS = bitsOf(['path', 'pathBase64', 'type']);

function bitsOf(keys: readonly Key[]): number {
  return keys.reduce((bits, key) => bits | (1 << KEYS.indexOf(key)), 0);
}

/** Keys that restoring does not need: a quarter of a line. */
const DESCRIPTIVE_BITS = bitsOf(['ctime', 'inode', 'user', 'group', 'sha256']);

/** Parses lines of `files`; one instance serves all lines of a manifest. */
export class EntryParser {
  private readonly scanner = new JsonScanner();
  private draft: Draft = {};
  private seen = 0;

  /**
   * Without `isDescriptive`, ctime, inode, sha256 and the names of owners are skipped. Deletions are accepted in a delta only, and
   * files that are stored nowhere with `isPlaceless`.
   * `positions` are those of the chunks in the list that entries are to refer to.
   */
  constructor(
    private readonly isDescriptive = true,
    private readonly isDelta = false,
    private readonly positions?: Uint32Array,
    private readonly isPlaceless = false,
  ) {}

  private chunk(): number {
    return this.moved(this.scanner.count());
  }

  /** A position of a chunk; one that is not in the list stays outside of every list. */
  private moved(chunk: number): number {
    return this.positions === undefined ? chunk : (this.positions[chunk] ?? Number.MAX_SAFE_INTEGER);
  }

  /** Reads the value of each key. */
  private readonly readers: Readonly<Record<Key, () => void>> = {
    path: () => (this.draft.path = this.scanner.raw()),
    pathBase64: () => (this.draft.path = this.base64('pathBase64')),
    type: () => this.type(),
    size: () => (this.draft.size = this.scanner.count()),
    mtime: () => (this.draft.mtime = this.time('mtime')),
    ctime: () => (this.draft.ctime = this.time('ctime')),
    mode: () =>
      (this.draft.mode = parseMode(this.scanner.raw()) ?? this.scanner.fail("'mode' is not four octal digits")),
    uid: () => (this.draft.uid = this.id('uid')),
    gid: () => (this.draft.gid = this.id('gid')),
    user: () => (this.draft.user = this.scanner.raw()),
    group: () => (this.draft.group = this.scanner.raw()),
    inode: () => (this.draft.inode = this.scanner.raw()),
    md5: () => (this.draft.md5 = this.hex(MD5, "'md5' is not an MD5")),
    sha256: () => (this.draft.sha256 = this.hex(SHA256, "'sha256' is not a SHA-256")),
    xxh64: () => (this.draft.xxh64 = this.hex(XXH64, "'xxh64' is not an XXH64")),
    chunk: () => (this.draft.chunk = this.chunk()),
    offset: () => (this.draft.offset = this.scanner.count()),
    segments: () => (this.draft.segments = this.segments()),
    holes: () => (this.draft.holes = this.holes()),
    target: () => (this.draft.target = this.scanner.raw()),
    targetBase64: () => (this.draft.target = this.base64('targetBase64')),
    linkGroup: () => (this.draft.linkGroup = this.scanner.count()),
    xattrs: () => (this.draft.xattrs = this.xattrs()),
    changed: () => (this.draft.changed = this.scanner.boolean()),
    stage: () => (this.draft.stage = this.stage()),
    commit: () => (this.draft.commit = this.commit()),
  };

  private readonly readersInOrder = KEYS.map((key) => this.readers[key]);

  /** Parses the bytes of one element, without its comma. @throws integrity without the place: the caller knows it */
  parse(line: RawPath): Entry | Tombstone | ForeignEntry {
    const plain = readPlain(line, this.isDescriptive);
    if (plain !== undefined) {
      if (plain.chunk !== undefined) plain.chunk = this.moved(plain.chunk);
      return complete(plain, this.isPlaceless);
    }
    const { scanner } = this;
    this.draft = {};
    this.seen = 0;
    scanner.open(line);
    scanner.objectOf(WRITTEN, this.known, this.other);
    if (!scanner.isAtEnd()) scanner.fail('something follows the entry');
    return this.draft.isDeleted === true ? this.tombstone() : complete(this.draft, this.isPlaceless);
  }

  private tombstone(): Tombstone {
    const { path } = this.draft;
    if (path === undefined) return this.scanner.fail("it has no 'path'");
    if (!this.isDelta) this.scanner.fail('it is a deletion, and a full listing has none');
    if ((this.seen & ~TOMBSTONE_BITS) !== 0) this.scanner.fail('it is a deletion and has more than a path');
    return { path, type: 'deleted' };
  }

  private readonly known = (position: number): void => {
    const bit = 1 << position;
    if ((this.seen & bit) !== 0) this.scanner.fail(`it names the key '${KEYS[position]}' twice`);
    this.seen |= bit;
    if (this.isDescriptive || (bit & DESCRIPTIVE_BITS) === 0) this.readersInOrder[position]?.();
    else this.scanner.skip();
  };

  private readonly other = (key: string): void => {
    const position = POSITIONS.get(key);
    if (position === undefined) this.scanner.skip();
    else this.known(position);
  };

  private type(): void {
    const type = this.scanner.raw();
    if (TYPES.has(type)) this.draft.type = type as EntryType;
    else if (type === 'deleted') this.draft.isDeleted = true;
    else this.draft.foreignType = type;
  }

  private hex(form: RegExp, what: string): string {
    const text = this.scanner.raw();
    return form.test(text) ? text : this.scanner.fail(`${what} in hex`);
  }

  private stage(): string {
    const stage = textFromRaw(this.scanner.raw());
    return stage !== undefined && isStageName(stage) ? stage : this.scanner.fail("'stage' is not the name of a stage");
  }

  private commit(): string {
    const commit = this.scanner.raw();
    return COMMIT.test(commit) ? commit : this.scanner.fail("'commit' is not a git commit in hex");
  }

  private id(key: string): number {
    const value = this.scanner.count();
    return value <= MAX_ID ? value : this.scanner.fail(`'${key}' is too large`);
  }

  private time(key: string): Timestamp {
    return parseTimestamp(this.scanner.raw()) ?? this.scanner.fail(`'${key}' is not a time with nine decimals`);
  }

  private base64(key: string): RawPath {
    const text = this.scanner.raw();
    if (!BASE64.test(text) || text === '') this.scanner.fail(`'${key}' is not base64`);
    return rawFromBase64(text);
  }

  private segments(): Segment[] {
    const { scanner } = this;
    const segments: Segment[] = [];
    scanner.list(() => {
      const segment: { chunk?: number; offset?: number; size?: number } = {};
      scanner.object((key: string) => {
        if (key === 'chunk') segment.chunk = this.chunk();
        else if (key === 'offset' || key === 'size') segment[key] = scanner.count();
        else scanner.skip();
      });
      const { chunk, offset, size } = segment;
      if (chunk === undefined || offset === undefined || size === undefined) {
        scanner.fail("a part of 'segments' lacks a key");
      } else {
        if (segments.length >= MAX_PIECES) scanner.fail(`it has more than ${MAX_PIECES} parts`);
        segments.push({ chunk, offset, size });
      }
    });
    return segments;
  }

  private holes(): [number, number][] {
    const { scanner } = this;
    const holes: [number, number][] = [];
    scanner.list(() => {
      if (holes.length >= MAX_PIECES) scanner.fail(`it has more than ${MAX_PIECES} holes`);
      scanner.expect('[');
      const offset = scanner.count();
      scanner.expect(',');
      holes.push([offset, scanner.count()]);
      scanner.expect(']');
    });
    return holes;
  }

  private xattrs(): Map<RawPath, Buffer> {
    const { scanner } = this;
    const xattrs = new Map<RawPath, Buffer>();
    scanner.object((key) => {
      const encoded = key.startsWith('base64:') ? key.slice(7) : undefined;
      const value = scanner.raw();
      if (!BASE64.test(encoded ?? '') || !BASE64.test(value)) scanner.fail('an extended attribute is not base64');
      const name = encoded === undefined ? key : rawFromBase64(encoded);
      if (xattrs.has(name)) scanner.fail('it names an extended attribute twice');
      xattrs.set(name, Buffer.from(value, 'base64'));
    });
    return xattrs;
  }
}

function complete(draft: Draft, isPlaceless: boolean): Entry | ForeignEntry {
  const { path, mtime } = draft;
  if (path === undefined) throw integrityError("it has no 'path'");
  if (draft.foreignType !== undefined) return { path, foreignType: draft.foreignType };
  for (const key of ['type', 'mtime', 'mode', 'uid', 'gid'] as const) {
    if (draft[key] === undefined) throw integrityError(`it has no '${key}'`);
  }
  draft.ctime ??= mtime as Timestamp;
  draft.inode ??= TOP;
  if (draft.type === 'file' || draft.type === 'hardlink') checkContent(draft, isPlaceless);
  else draft.size = 0;
  if (draft.type === 'symlink' && draft.target === undefined) throw integrityError("it has no 'target'");
  return draft as Entry;
}

function checkContent({ size, chunk, offset, segments }: Draft, isPlaceless: boolean): void {
  if (size === undefined) throw integrityError("it has no 'size'");
  if (!isPlaceless && segments === undefined && size > 0 && (chunk === undefined || offset === undefined)) {
    throw integrityError("it does not say in which 'chunk' and at which 'offset' it lies");
  }
}
