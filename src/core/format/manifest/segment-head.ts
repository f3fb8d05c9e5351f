// The head of a segment: everything but its entries. docs/format.md (Segments) is the specification.
import { checkFormat, readObject, readValue } from '../../platform/documents/read-document.js';
import * as s from '../../platform/documents/schema.js';
import { integrityError } from '../../platform/failures/errors.js';
import { parseBoundedJson } from '../../platform/json/json-guard.js';
import { namedUploadId } from '../../store/ids/upload-id-schema.js';
import { CHUNK, ENTRY_COUNTS } from './head-schema.js';
import { checkRequirements, requires } from './requirements.js';

const FORMAT = 1;
const MAX_DEPTH = 16;

const SEGMENT_HEAD = s.schema(() =>
  s.object({
    format: s.count,
    type: s.literal('archiver-segment'),
    requires: s.exactOptional(requires()),
    /** The upload in whose folder it lies; keys of chunks are relative to that. */
    uploadId: namedUploadId,
    counts: ENTRY_COUNTS(),
    /** The chunks that its entries refer to. */
    chunks: s.listOfMany(CHUNK()),
  }),
);
export type SegmentHead = s.Read<typeof SEGMENT_HEAD>;

/** Text up to and including `"files":[` and its line end. */
export function segmentHeadText({
  uploadId,
  counts,
  chunks,
}: Pick<SegmentHead, 'uploadId' | 'counts' | 'chunks'>): string {
  const first = JSON.stringify({ format: FORMAT, type: 'archiver-segment', requires: [], uploadId, counts }).slice(
    0,
    -1,
  );
  const lines = chunks.map((chunk) => JSON.stringify(chunk)).join(',\n');
  return `${first},\n"chunks":[${lines === '' ? '' : `\n${lines}\n`}],\n"files":[\n`;
}

/** Parses a head whose `files` list is empty. `key` is that of the segment. @throws integrity, unsupported */
export function parseSegmentHead(text: string, key: string): SegmentHead {
  const what = `the segment ${key}`;
  const document = readObject(parseBoundedJson(text, MAX_DEPTH, what), what);
  if (document['type'] !== 'archiver-segment') throw integrityError(`${key} is not a segment of a manifest`);
  checkFormat(document, 'format', FORMAT, what);
  checkRequirements(document, what);
  return readValue(SEGMENT_HEAD, document, what);
}
