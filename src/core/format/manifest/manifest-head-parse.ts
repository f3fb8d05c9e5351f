// The head of a manifest, everything but its entries, from text that nobody vouches for.
import { ArchiverError, integrityError } from '../../platform/failures/errors.js';
import { rawFromText } from '../../platform/paths/raw-path.js';
import { Fields } from '../../platform/json/json-fields.js';
import { parseBoundedJson } from '../../platform/json/json-guard.js';
import { readListing } from './listing-parse.js';
import {
  FORMAT_VERSION,
  type ChunkRecord,
  type Deduplicated,
  type FrameRecord,
  type ManifestHead,
  type ShardRecord,
  type SourceRecord,
} from './manifest-types.js';
import { readObjectLock } from './object-lock.js';
import { readDvcRecord, readGitRecord } from './provenance-parse.js';
import { parseTimestamp } from './timestamp.js';
import { readRequirements } from './requirements.js';
import { readTotals } from './totals-parse.js';
import { defined } from '../../platform/defined.js';
import { mayBeUploadId, readUploadId } from '../../store/ids/upload-id.js';

const MAX_DEPTH = 16;
const MAX_ID = 0xff_ff_ff_ff;

export interface ParsedHead {
  readonly head: ManifestHead;
  /** The document as it was written, without `files`, for those who print it. */
  readonly document: Readonly<Record<string, unknown>>;
}

/** Reads a head whose `files` list is empty. `name` is the manifest's key. @throws integrity, unsupported */
export function parseHead(text: string, name: string): ParsedHead {
  const what = `the manifest ${name}`;
  const parsed = parseBoundedJson(text, MAX_DEPTH, what);
  const fields = new Fields(parsed, what);
  if (fields.get('type') !== 'archiver-manifest') throw integrityError(`${name} is not a manifest of archiver`);
  checkFormat(fields.get('format'), name);
  const { files: _files, ...document } = parsed as Record<string, unknown>;
  return { head: readHead(fields), document };
}

function checkFormat(format: unknown, name: string): void {
  if (format === FORMAT_VERSION) return;
  if (typeof format === 'number' && format > FORMAT_VERSION) {
    throw new ArchiverError(
      'unsupported',
      `the manifest ${name} has format ${format}, and this archiver reads ${FORMAT_VERSION}`,
      {
        hint: 'update archiver',
      },
    );
  }
  throw integrityError(`'format' of the manifest ${name} is not ${FORMAT_VERSION}`);
}

function readHead(fields: Fields): ManifestHead {
  const requires = readRequirements(fields);
  const writerId = fields.optionalText('writerId');
  const project = fields.optionalText('project');
  const tags = fields.get('tags') === undefined ? undefined : fields.object('tags').texts();
  return {
    format: FORMAT_VERSION,
    type: 'archiver-manifest',
    ...requires,
    tool: fields.text('tool'),
    codec: fields.text('codec'),
    uploadId: readUploadId(fields, mayBeUploadId),
    createdAt: fields.text('createdAt'),
    ...readListing(fields, readTotals),
    datasetId: fields.text('datasetId'),
    ...(writerId === undefined ? {} : { writerId }),
    source: readSource(fields.object('source')),
    storage: fields.object('storage').texts(),
    ...defined({ objectLock: readObjectLock(fields), project, tags }),
    settings: readSettings(fields.object('settings')),
    ...(fields.get('dedup') === undefined ? {} : { dedup: readDeduplicated(fields.object('dedup')) }),
    ...(fields.get('git') === undefined ? {} : { git: readGitRecord(fields.object('git')) }),
    ...(fields.get('dvc') === undefined ? {} : { dvc: readDvcRecord(fields.object('dvc')) }),
    totals: readTotals(fields.object('totals')),
    shards: fields
      .list('shards')
      .map((shard, index) => readShard(new Fields(shard, `shard ${index} of ${fields.what}`))),
    chunks: fields
      .list('chunks')
      .map((chunk, index) => readChunk(new Fields(chunk, `chunk ${index} of ${fields.what}`))),
  };
}

/** `"0644"` as a number. */
export function parseMode(text: string): number | undefined {
  return /^[0-7]{4}$/.test(text) ? Number.parseInt(text, 8) : undefined;
}

function readSource(fields: Fields): SourceRecord {
  const user = fields.optionalText('user');
  const group = fields.optionalText('group');
  return {
    path: fields.raw('path'),
    host: fields.text('host'),
    mode: parseMode(fields.text('mode')) ?? fields.fail('mode', 'four octal digits'),
    mtime: parseTimestamp(fields.text('mtime')) ?? fields.fail('mtime', 'a time'),
    uid: fields.count('uid', MAX_ID),
    gid: fields.count('gid', MAX_ID),
    ...(user === undefined ? {} : { user: rawFromText(user) }),
    ...(group === undefined ? {} : { group: rawFromText(group) }),
  };
}

function readSettings(fields: Fields): ManifestHead['settings'] {
  const compression = fields.object('compression');
  return {
    shardStrategy: fields.text('shardStrategy'),
    shardCount: fields.count('shardCount'),
    compression: {
      algorithm: compression.text('algorithm'),
      level: compression.get('level') === null ? null : compression.count('level'),
    },
    frameSize: fields.count('frameSize'),
    chunkSize: fields.count('chunkSize'),
    fileChecksums: fields.flag('fileChecksums'),
    ...(fields.get('dedup') === undefined ? {} : { dedup: fields.flag('dedup') }),
  };
}

const readDeduplicated = (fields: Fields): Deduplicated => ({
  files: fields.count('files'),
  bytes: fields.count('bytes'),
});

const readShard = (fields: Fields): ShardRecord => ({
  shard: fields.count('shard', 1_000_000),
  prefix: fields.text('prefix'),
  chunks: fields.count('chunks'),
  files: fields.count('files'),
  bytes: fields.count('bytes'),
  storedBytes: fields.count('storedBytes'),
});

/** An element of `chunks`. @throws integrity */
export function readChunk(fields: Fields): ChunkRecord {
  const storageClass = fields.optionalText('storageClass');
  return {
    chunk: fields.count('chunk', MAX_ID),
    key: fields.text('key'),
    shard: fields.count('shard', 1_000_000),
    size: fields.count('size'),
    rawSize: fields.count('rawSize'),
    entries: fields.count('entries'),
    level: fields.count('level', 22),
    storageClass: storageClass ?? 'STANDARD',
    sha256: fields.sha256('sha256'),
    tocSize: fields.count('tocSize'),
    frames: fields
      .list('frames')
      .map((frame, index) => readFrame(new Fields(frame, `frame ${index} of ${fields.what}`))),
    ...(fields.get('content') === undefined ? {} : readContent(fields)),
  };
}

function readContent(fields: Fields): Pick<ChunkRecord, 'content' | 'listedIn'> {
  if (fields.text('content') !== 'file') fields.fail('content', "'file'");
  return { content: 'file', listedIn: fields.count('listedIn', MAX_ID) };
}

const FRAME_KEYS = 3;

function readFrame(fields: Fields): FrameRecord {
  const frame = { size: fields.count('size'), rawSize: fields.count('rawSize'), sha256: fields.sha256('sha256') };
  // Millions of them are most of a head: one that holds nothing else is kept once, in the document and here.
  const own = fields.own();
  return Object.keys(own).length === FRAME_KEYS ? (own as unknown as FrameRecord) : frame;
}
