// Models what tools send to put files into S3: each with its defaults, into an empty prefix, with all files of one size. Costs that occur
// once per run and do not grow with the files are left out, except for archiver itself, where all are known. Sources: the documentation of
// each tool, named with its numbers.
import { autoShardCount } from '../../archive/run/shard-strategy.js';
import { chunkSizeFor, targetBytes } from '../../archive/plan/chunk-plan.js';
import { tarBytes } from '../../format/tar/tar-block.js';

export const TOOL_NAMES = ['s5cmd', 'rclone', 'aws-cli', 'archiver'] as const;
export type ToolName = (typeof TOOL_NAMES)[number];

/** The files that are put. */
export interface Workload {
  /** Number of files, at least 1. */
  readonly files: number;
  /** Total size of all files. */
  readonly bytes: number;
  /** Uncompressed size divided by compressed size. */
  readonly compressionRatio: number;
  /** Size of all content divided by the size of distinct content. */
  readonly dedupRatio: number;
}

/** Requests and objects of a tool. */
export interface Sent {
  readonly objects: number;
  /** Bytes of each object. */
  readonly objectBytes: number;
  /** Number of objects that are put in parts, and of all their parts. */
  readonly multiparts: number;
  readonly parts: number;
  /** Number of objects that are put whole. */
  readonly puts: number;
  /** Number of additional small objects, always in STANDARD. */
  readonly extraPuts: number;
  readonly heads: number;
  readonly lists: number;
}

export interface Tool {
  /** The model's assumptions in a sentence. */
  readonly model: string;
  readonly source: string;
  readonly send: (workload: Workload) => Sent;
}

const MIB = 2 ** 20;
/** Limit of S3. */
const MOST_PARTS = 10_000;

interface ObjectPerFile {
  /** Tells whether a file of this size is sent in parts. */
  readonly isInParts: (sizeBytes: number) => boolean;
  readonly partBytes: number;
  readonly headsAFile: number;
}

/** Models tools that make every file an object. Parts grow where there would be more than S3 allows. */
function objectPerFile({ isInParts, partBytes, headsAFile }: ObjectPerFile, { files, bytes }: Workload): Sent {
  const objectBytes = bytes / files;
  const multiparts = isInParts(objectBytes) ? files : 0;
  return {
    objects: files,
    objectBytes,
    multiparts,
    parts: multiparts * Math.min(MOST_PARTS, Math.ceil(objectBytes / partBytes)),
    puts: files - multiparts,
    extraPuts: 0,
    heads: files * headsAFile,
    lists: 0,
  };
}

/** Memory that never limits the chunk size. */
const MEMORY = { bytes: 2 ** 40, buffers: 1 };
/** Manifest and version record. */
const RECORDS = 2;
/** Listings of the dataset's versions and previous uploads, and of objects beside the chunks; chunks are listed in pages of a thousand. */
const OTHER_LISTS = 3;
const KEYS_A_PAGE = 1000;

/** Models archiver, which packs files into chunks as `chunk-plan.ts` does. */
function chunked({ files, bytes, compressionRatio, dedupRatio }: Workload): Sent {
  const kept = Math.ceil(files / dedupRatio);
  const fileBytes = bytes / files;
  const inTar = tarBytes(Math.ceil(fileBytes));
  const chunkBytes = chunkSizeFor(bytes / dedupRatio, MEMORY.bytes, MEMORY.buffers);
  const limit = targetBytes(kept * inTar, autoShardCount(bytes), chunkBytes);
  const aChunk = Math.max(1, Math.floor(limit / inTar));
  const objects = fileBytes > chunkBytes ? kept * Math.ceil(fileBytes / chunkBytes) : Math.ceil(kept / aChunk);
  return {
    objects,
    objectBytes: (kept * inTar) / compressionRatio / objects,
    multiparts: 0,
    parts: 0,
    puts: objects,
    extraPuts: RECORDS,
    heads: 0,
    // The upload's own folder is listed before the manifest and after the record.
    lists: OTHER_LISTS + 2 * Math.max(1, Math.ceil(objects / KEYS_A_PAGE)),
  };
}

/** The tools by name. */
export const TOOLS: Readonly<Record<ToolName, Tool>> = {
  s5cmd: {
    model: 's5cmd cp: an object a file; files larger than 50 MiB in parts of 50 MiB',
    source: 's5cmd cp --help (--part-size 50)',
    send: (workload) =>
      objectPerFile({ isInParts: (size) => size > 50 * MIB, partBytes: 50 * MIB, headsAFile: 0 }, workload),
  },
  rclone: {
    model:
      'rclone copy: an object a file, and a HEAD of it afterwards; files larger than 200 MiB in parts of 5 MiB; listings not counted',
    source: 'rclone.org/s3 (--s3-upload-cutoff 200Mi, --s3-chunk-size 5Mi, --s3-no-head false)',
    send: (workload) =>
      objectPerFile({ isInParts: (size) => size > 200 * MIB, partBytes: 5 * MIB, headsAFile: 1 }, workload),
  },
  'aws-cli': {
    model: 'aws s3 cp --recursive: an object a file; files of 8 MiB and more in parts of 8 MiB',
    source: 'AWS CLI S3 configuration (multipart_threshold 8MB, multipart_chunksize 8MB)',
    send: (workload) =>
      objectPerFile({ isInParts: (size) => size >= 8 * MIB, partBytes: 8 * MIB, headsAFile: 0 }, workload),
  },
  archiver: {
    model:
      'archiver upload: files in chunks of 32 to 64 MiB before compression, each one PUT, and a manifest and a version record; the size of these is not counted',
    source: 'docs/architecture.md',
    send: chunked,
  },
};
