// Parses the head of a manifest, everything but its entries, from untrusted text.
import { checkFormat, readObject, readValue } from '../../platform/documents/read-document.js';
import { ArchiverError, integrityError } from '../../platform/failures/errors.js';
import { parseBoundedJson } from '../../platform/json/json-guard.js';
import { HEAD } from './head-schema.js';
import { FORMAT_VERSION, type ManifestHead } from './manifest-types.js';
import { checkRequirements } from './requirements.js';

const MAX_DEPTH = 16;

export interface ParsedHead {
  readonly head: ManifestHead;
  /** The document as it was written, without `files`, for printing. */
  readonly document: Readonly<Record<string, unknown>>;
}

/** Parses a head whose `files` list is empty. `name` is the manifest's key. @throws integrity, unsupported */
export function parseHead(text: string, name: string): ParsedHead {
  const what = `the manifest ${name}`;
  const { files: _files, ...document } = readObject(parseBoundedJson(text, MAX_DEPTH, what), what);
  const { type, listing } = document;
  if (type !== 'archiver-manifest') throw integrityError(`${name} is not a manifest of archiver`);
  checkFormat(document, 'format', FORMAT_VERSION, what);
  checkRequirements(document, what);
  if (typeof listing === 'string' && listing !== 'full' && listing !== 'delta')
    throw new ArchiverError('unsupported', `${what} is neither a full listing nor a delta`, {
      hint: 'update archiver',
    });
  return { head: readValue(HEAD, document, what), document };
}
