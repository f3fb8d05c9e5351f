// Replacing of the manifest of a version in a folder, on a store that tests may break.
import { hash } from 'node:crypto';
import { gunzipSync, gzipSync } from 'node:zlib';
import { replaceManifest, type ReplaceOptions } from '../../../src/core/dataset/replace-manifest.js';
import { openView } from '../../../src/core/dataset/chain/view.js';
import { readParsedRecord } from '../../../src/core/dataset/records/versions.js';
import { fileStore } from '../../../src/core/store/file/file-store.js';
import type { ObjectReader, ObjectStore, WholeStore } from '../../../src/core/store/object-store.js';
import { fetchManifest } from '../../../src/core/format/manifest/loaded-manifest.js';
import { encodedManifest, type EncodedManifest } from '../../../src/core/format/manifest/encoded-manifest.js';
import { linkId } from '../../support/make-chain.js';
import { DATASET } from '../../support/make-dataset.js';

export const signal = new AbortController().signal;

/** A manifest that stands in for these bytes, and is a different one for each `name`. */
export function successorOf(bytes: Buffer, name = 'next'): EncodedManifest {
  const [first = '', ...rest] = gunzipSync(bytes).toString().split('\n');
  const head = first.replace(/^\{/, `{"by":"${name}","replaces":["${hash('sha256', bytes, 'hex')}"],`);
  return encodedManifest(gzipSync([head, ...rest].join('\n')));
}

export interface ReplaceRun extends Partial<ReplaceOptions> {
  readonly version?: number;
  readonly name?: string;
  readonly wrap?: (store: WholeStore) => ObjectStore;
}

/** Looks, and replaces the manifest of a version by a successor. */
export async function replaceIn(folder: string, run: ReplaceRun = {}): Promise<string | undefined> {
  const { version = 1, name, wrap, ...options } = run;
  const plain = fileStore(folder);
  const store = wrap?.(plain) ?? plain;
  const uploadId = linkId(version - 1);
  const bytes = await fetchManifest(store, uploadId);
  const record = await readParsedRecord(store, { datasetId: DATASET, version: version });
  const { next = successorOf(bytes, name) } = run;
  return await replaceManifest(store, {
    uploadId,
    label: 'balance',
    replaced: { bytes, sha256: hash('sha256', bytes, 'hex') },
    next,
    records: [record],
    verify: async (asItWillBe: ObjectReader) => void (await openView(asItWillBe, { uploadId, sha256: next.sha256 })),
    signal,
    ...options,
  });
}
