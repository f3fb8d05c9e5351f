// Remembers when a version was last seen whole in its store, and how its manifests looked there (rules.md#whole-view). One small file per
// dataset beside the cached manifests. It is a hint that saves a check: a file that cannot be used counts as none.
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import * as s from '../../platform/documents/schema.js';
import { systemCode } from '../../platform/failures/errors.js';
import { type DocumentsPlace, openDatasetDocuments, unwritable } from './dataset-documents.js';
import { isSameEtag } from '../../store/same-etag.js';

const SHOWN = s.schema(() => s.object({ sizeBytes: s.count, etag: s.text }));
/** An object as a listing shows it. */
export type ListedObject = s.Read<typeof SHOWN>;

/** Reduces an object to these two values. */
export const asListed = ({ sizeBytes, etag }: ListedObject): ListedObject => ({ sizeBytes, etag });

/** True when nothing has replaced the object since it was listed as `before`. */
export const isListedSame = (before: ListedObject | undefined, now: ListedObject): boolean =>
  isSameEtag(before?.etag, now.etag) && before?.sizeBytes === now.sizeBytes;

const BODY = s.schema(() =>
  s.object({
    /** Digest of the version's manifest as it is stored. */
    manifestSha256: s.sha256,
    /** Time in milliseconds, by the wall clock, of the oldest check of anything that the version needs. */
    lookedAtMs: s.count,
    /** Manifests of its chain while they were known to be whole, by digest. */
    manifests: s.mapOf(SHOWN()),
  }),
);
export type CachedCheck = s.Read<typeof BODY>;

export interface CheckCache {
  get(baseUrl: string, datasetId: string): Promise<CachedCheck | undefined>;
  put(baseUrl: string, datasetId: string, look: CachedCheck): Promise<void>;
  /** Forgets the checks of all datasets: something was found not to be whole. */
  forgetAll(): Promise<void>;
}

const SUFFIX = 'look';
const KIND = { type: 'archiver-remembered-look', format: 1, noun: 'remembered look', body: BODY };
/** A check is trusted for this long. */
const LOOK_KEPT_MS = 86_400_000;

/** True while what the check saw still counts as whole. A clock that was set back ends it. */
export const isCheckFresh = ({ lookedAtMs }: CachedCheck, nowMs = Date.now()): boolean =>
  lookedAtMs <= nowMs && nowMs - lookedAtMs < LOOK_KEPT_MS;

/** Keeps checks in a folder. */
export function openCheckCache(place: DocumentsPlace): CheckCache {
  const { folder, onTrouble } = place;
  const documents = openDatasetDocuments(place, KIND, SUFFIX);
  return {
    get: async (baseUrl, datasetId) => await documents.get(baseUrl, datasetId),
    put: async (baseUrl, datasetId, { manifests, ...look }) =>
      await documents.put(baseUrl, datasetId, { ...look, manifests: Object.fromEntries(manifests) }),
    async forgetAll() {
      try {
        const names = (await readdir(folder)).filter((name) => name.endsWith(`.${SUFFIX}.json`));
        for (const name of names) await rm(join(folder, name), { force: true });
      } catch (error) {
        if (systemCode(error) !== 'ENOENT') onTrouble(unwritable(folder, error));
      }
    },
  };
}
