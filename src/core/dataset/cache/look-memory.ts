// When a version was last seen whole in its store, and how its manifests looked there (commit protocol, Protocol 3, rule 6).
// One small file per dataset beside the cached manifests. A hint that saves a look: a file that cannot be used counts as none.
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isArchiverError, systemCode } from '../../failures/errors.js';
import { encodeStateDocument, parseStateDocument } from '../../state/document.js';
import { replaceFile } from '../../state/replace-file.js';
import { datasetFile } from './dataset-file.js';
import { isSameEtag } from '../../object-store/same-etag.js';

/** An object as a listing shows it. */
export interface ShownObject {
  readonly sizeBytes: number;
  readonly etag: string;
}

/** No more of it than that. */
export const shownAs = ({ sizeBytes, etag }: ShownObject): ShownObject => ({ sizeBytes, etag });

/** Whether nothing has replaced it since it was shown like that. */
export const isShownAs = (before: ShownObject | undefined, now: ShownObject): boolean =>
  isSameEtag(before?.etag, now.etag) && before?.sizeBytes === now.sizeBytes;

export interface RememberedLook {
  /** Of the version's manifest, as it is stored. */
  readonly manifestSha256: string;
  /** By the wall clock: of everything that the version needs, what was looked at the longest ago. */
  readonly lookedAtMs: number;
  /** By digest: manifests of its chain while they were known to be whole. */
  readonly manifests: ReadonlyMap<string, ShownObject>;
}

export interface LookMemory {
  get(baseUrl: string, datasetId: string): Promise<RememberedLook | undefined>;
  put(baseUrl: string, datasetId: string, look: RememberedLook): Promise<void>;
  /** Forgets all looks, of whatever dataset: something was found not to be whole. */
  forgetAll(): Promise<void>;
}

const KIND = { type: 'archiver-remembered-look', format: 1, noun: 'remembered look' };
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
        return parseLook(await readFile(path, 'utf8'), path);
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

/** @throws integrity, unsupported for anything but what this version wrote */
function parseLook(text: string, path: string): RememberedLook {
  const { fields } = parseStateDocument(text, KIND, { path, hint: '' });
  // Its checksum shows that this program wrote it.
  const manifests = Object.entries(fields.get('manifests') as Record<string, ShownObject>);
  const [manifestSha256, lookedAtMs] = [fields.sha256('manifestSha256'), fields.count('lookedAtMs')];
  return { manifestSha256, lookedAtMs, manifests: new Map(manifests) };
}
