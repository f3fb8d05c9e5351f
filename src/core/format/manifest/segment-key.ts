// Keys of the segments of a listing.
import { UPLOAD_ID } from '../../store/ids/upload-id.js';

const NAME = String.raw`manifest/(\d{6,})-[0-9a-f]{8}\.json\.gz`;

/** Key of a segment relative to the folder of its upload. */
export const OWN_SEGMENT_KEY = new RegExp(`^${NAME}$`);

const OWN_NUMBER = new RegExp(`^uploads/${UPLOAD_ID}/${NAME}$`);

/** Key of a segment relative to the folder of a manifest that lists it. */
export const SEGMENT_KEY = new RegExp(String.raw`^(?:\.\./${UPLOAD_ID}/)?${NAME}$`);

/** The key, relative to the folder of its upload, of the segment of this number and digest. */
export const segmentName = (number: number, sha256: string): string =>
  `manifest/${String(number).padStart(6, '0')}-${sha256.slice(0, 8)}.json.gz`;

/** The number of a segment, from its key relative to the base; 0 for any other key. */
export const segmentNumber = (key: string): number => Number(OWN_NUMBER.exec(key)?.[1] ?? 0);
