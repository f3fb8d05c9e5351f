// When a version was last seen whole in its store, and how its manifests looked there (rules.md#whole-view).
// One small file per dataset beside the cached manifests. A hint that saves a look: a file that cannot be used counts as none.
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
export type ShownObject = s.Read<typeof SHOWN>;

/** No more of it than that. */
export const shownAs = ({ sizeBytes, etag }: ShownObject): ShownObject => ({ sizeBytes, etag });

/** Whether nothing has replaced it since it was shown like that. */
export const isShownAs = (before: ShownObject | undefined, now: ShownObject): boolean =>
  isSameEtag(before?.etag, now.etag) && before?.sizeBytes === now.sizeBytes;

const BODY = s.schema(() =>
  s.object({
    /** Of the version's manifest, as it is stored. */
    manifestSha256: s.sha256,
    /** By the wall clock: of everything that the version needs, what was looked at the longest ago. */
    lookedAtMs: s.count,
    /** By digest: manifests of its chain while they were known to be whole. */
    manifests: s.mapOf(SHOWN()),
  }),
);
export type RememberedLook = s.Read<typeof BODY>;

export interface LookMemory {
  get(baseUrl: string, datasetId: string): Promise<RememberedLook | undefined>;
  put(baseUrl: string, datasetId: string, look: RememberedLook): Promise<void>;
  /** Forgets all looks, of whatever dataset: something was found not to be whole. */
  forgetAll(): Promise<void>;
}

const KIND = { type: 'archiver-remembered-look', format: 1, noun: 'remembered look', body: BODY };
/** What was looked at less than this ago need not be looked at again. */
const LOOK_KEPT_MS = 86_400_000;

/** Whether what the look saw is still taken for whole. A clock that was set back ends it. */
export const isLookKept = ({ lookedAtMs }: RememberedLook, nowMs = Date.now()): boolean =>
  lookedAtMs <= nowMs && nowMs - lookedAtMs < LOOK_KEPT_MS;

/** Keeps looks in `folder`. What cannot be written is reported to `onTrouble`; `server` as `openHeadCache` has it. */
export function openLookMemory(folder: string, onTrouble: (text: string) => void, server?: string): LookMemory {
  const pathOf = (baseUrl: string, datasetId: string): string =>
    datasetFile(folder, { server, baseUrl, datasetId }, 'look');
  const tell = (error: unknown): void =>
    onTrouble(`the manifest cache in ${folder} cannot be written (${systemCode(error) ?? 'unknown reason'})`);
  return {
    async get(baseUrl, datasetId) {
      const path = pathOf(baseUrl, datasetId);
      try {
        return readStateDocument(await readFile(path, 'utf8'), KIND, { path, hint: '' });
      } catch (error) {
        if (systemCode(error) === undefined && !isArchiverError(error, 'integrity', 'unsupported')) throw error;
        return undefined; // looked at again, and then it is replaced
      }
    },
    async put(baseUrl, datasetId, { manifestSha256, lookedAtMs, manifests }) {
      const body = { manifestSha256, lookedAtMs, manifests: Object.fromEntries(manifests) };
      try {
        await replaceFile(pathOf(baseUrl, datasetId), encodeStateDocument(KIND, body));
      } catch (error) {
        tell(error);
      }
    },
    async forgetAll() {
      try {
        const names = (await readdir(folder)).filter((name) => name.endsWith('.look.json'));
        for (const name of names) await rm(join(folder, name), { force: true });
      } catch (error) {
        if (systemCode(error) !== 'ENOENT') tell(error);
      }
    },
  };
}
