// Keys of a plan and of what becomes of its parts (docs/format.md, Plans).
import { splitUploadKey, uploadFolder, UPLOAD_ID, type UploadId } from '../../store/ids/upload-id.js';

/** Numbers of parts have six digits. */
export const MAX_PARTS = 1_000_000;

/** `000007` for part 7. */
export const partText = (part: number): string => String(part).padStart(6, '0');

/** The plan itself, put when all of its lists are there. */
export const planKey = (plan: UploadId): string => `${uploadFolder(plan)}plan.json.gz`;

/** Key of a list, relative to the folder of the plan. */
export const listName = (part: number, sha256: string): string =>
  `plan/${partText(part)}-${sha256.slice(0, 8)}.json.gz`;

/** Key of what a plan changes without packing it, relative to the folder of the plan. */
export const changesName = (sha256: string): string => `plan/changes-${sha256.slice(0, 8)}.json.gz`;

/** The folder of the results of a plan's parts. */
export const resultsPrefix = (plan: UploadId): string => `${uploadFolder(plan)}parts/`;

/** Key of a result; that of an attempt on a store that cannot create a key only once, and for a part whose first result is not whole. */
export const resultKey = (plan: UploadId, part: number, attempt?: UploadId): string =>
  `${resultsPrefix(plan)}${partText(part)}${attempt === undefined ? '' : `.${attempt}`}.json`;

const RESULT = new RegExp(String.raw`^parts/(\d{6,9})(?:\.(${UPLOAD_ID}))?\.json$`);

/** The part that an object is a result of; undefined for any other key. */
export function partOfResult(key: string): number | undefined {
  const [, part] = RESULT.exec(splitUploadKey(key)?.name ?? '') ?? [];
  return part === undefined ? undefined : Number(part);
}
