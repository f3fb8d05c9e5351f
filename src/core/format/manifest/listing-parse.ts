// What a manifest says of its place in a chain: whether it lists everything or what differs from the one before it.
import { ArchiverError } from '../../platform/failures/errors.js';
import { Fields } from '../../platform/json/json-fields.js';
import type { ManifestHead, Totals } from './manifest-types.js';
import { readUploadId, type UploadId } from '../../store/ids/upload-id.js';

/** One more for each time that a manifest is rewritten. */
const MAX_REPLACED = 256;
const DELTA_KEYS = ['previous', 'chain', 'view'] as const;

type ChainPlace = Pick<ManifestHead, 'listing' | 'previous' | 'chain' | 'view' | 'replaces'>;

/** The keys that only deltas have, and `replaces`. @throws integrity, unsupported */
export function readListing(fields: Fields, readTotals: (fields: Fields) => Totals): ChainPlace {
  const listing = fields.text('listing');
  if (listing !== 'full' && listing !== 'delta') {
    throw new ArchiverError('unsupported', `${fields.what} is neither a full listing nor a delta`, {
      hint: 'update archiver',
    });
  }
  const replaces = fields.get('replaces') === undefined ? {} : { replaces: readReplaces(fields) };
  if (listing === 'delta') {
    const previous = readPrevious(fields);
    return { listing, previous, chain: readChain(fields), view: readTotals(fields.object('view')), ...replaces };
  }
  for (const key of DELTA_KEYS)
    if (fields.get(key) !== undefined) fields.fail(key, 'expected: it is a full listing, and only a delta has it');
  return { listing, ...replaces };
}

function readPrevious(fields: Fields): { uploadId: UploadId; sha256: string } {
  const previous = fields.object('previous');
  const uploadId = readUploadId(previous);
  if (uploadId === fields.get('uploadId')) previous.fail('uploadId', 'that of another upload');
  return { uploadId, sha256: previous.sha256('sha256') };
}

function readChain(fields: Fields): { deltas: number; entries: number } {
  const chain = fields.object('chain');
  const deltas = chain.count('deltas');
  return { deltas: deltas > 0 ? deltas : chain.fail('deltas', 'at least 1'), entries: chain.count('entries') };
}

function readReplaces(fields: Fields): readonly string[] {
  const list = fields.list('replaces');
  if (list.length > MAX_REPLACED) fields.fail('replaces', `a list of at most ${MAX_REPLACED}`);
  return list.map((sha256, index) => new Fields({ sha256 }, `'replaces' ${index} of ${fields.what}`).sha256('sha256'));
}
