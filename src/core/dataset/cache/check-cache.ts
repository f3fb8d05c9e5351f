// Remembers when a version was last seen whole in its store, and how its manifests looked there (rules.md#whole-view). One small file per
// dataset beside the cached manifests. It is a hint that saves a check: a file that cannot be used counts as none.
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import * as s from '../../platform/documents/schema.js';
import { isArchiverError, systemCode } from '../../platform/failures/errors.js';
import { encodeStateDocument, readStateDocument } from '../../platform/state/document.js';
import { replaceFile } from '../../platform/state/replace-file.js';
import { datasetFile } from './dataset-file.js';
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

const KIND = { type: 'archiver-remembered-look', format: 1, noun: 'remembered look', body: BODY };
/** A check is trusted for this long. */
const LOOK_KEPT_MS = 86_400_000;

/** True while what the check saw still counts as whole. A clock that was set back ends it. */
export const isCheckFresh = ({ lookedAtMs }: CachedCheck, nowMs = Date.now()): boolean =>
  lookedAtMs <= nowMs && nowMs - lookedAtMs < LOOK_KEPT_MS;

/** Keeps checks in `folder`. A check that cannot be written is reported to `onTrouble`; `server` is as for `openHeadCache`. */
export function openCheckCache(folder: string, onTrouble: (text: string) => void, server?: string): CheckCache {
  const pathOf = (baseUrl: string, datasetId: string): string =>
    datasetFile(folder, { server, baseUrl, datasetId }, 'look');
  const warn = (error: unknown): void =>
    onTrouble(`the manifest cache in ${folder} cannot be written (${systemCode(error) ?? 'unknown reason'})`);
  return {
    async get(baseUrl, datasetId) {
      const path = pathOf(baseUrl, datasetId);
      try {
        return readStateDocument(await readFile(path, 'utf8'), KIND, { path, hint: '' });
      } catch (error) {
        if (systemCode(error) === undefined && !isArchiverError(error, 'integrity', 'unsupported')) throw error;
        return undefined; // checked again, and then it is replaced
      }
    },
    async put(baseUrl, datasetId, { manifestSha256, lookedAtMs, manifests }) {
      const body = { manifestSha256, lookedAtMs, manifests: Object.fromEntries(manifests) };
      try {
        await replaceFile(pathOf(baseUrl, datasetId), encodeStateDocument(KIND, body));
      } catch (error) {
        warn(error);
      }
    },
    async forgetAll() {
      try {
        const names = (await readdir(folder)).filter((name) => name.endsWith('.look.json'));
        for (const name of names) await rm(join(folder, name), { force: true });
      } catch (error) {
        if (systemCode(error) !== 'ENOENT') warn(error);
      }
    },
  };
}
