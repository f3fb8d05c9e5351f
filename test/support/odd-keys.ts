// Keys that no archiver makes, in every place of a store where names are listed.
const ID = '20260101-000000-0000000a';
const LONG = 'l'.repeat(300);

/** No part of a key of ours. */
const MALFORMED = ['..', '.', '', 'a\u0001b', 'a\nb', '\u001b[2J', 'a\\b', LONG];
/** No id of ours; a folder may be called so. */
const NO_IDS = [' ', '-x', '%2e%2e', '%2f', 'ä', '?', '#', '*', 'a b'];

type Place = (odd: string) => string;

/** Where ids are. */
const IDS: readonly Place[] = [
  (odd) => `writers/${odd}/x`,
  (odd) => `writers/${odd}/status.json`,
  (odd) => `writers/${odd}/datasets/d-1/v00000001.json`,
  (odd) => `writers/${odd}/uploads/${ID}/manifest.json.gz`,
  (odd) => `fleet/${odd}/config.yaml`,
  (odd) => `datasets/${odd}/v00000001.json`,
  (odd) => `uploads/${odd}/manifest.json.gz`,
];
/** Where other names are. */
const NAMES: readonly Place[] = [
  (odd) => `writers/web-01/${odd}/x`,
  (odd) => `writers/web-01/datasets/${odd}/v00000001.json`,
  (odd) => `writers/web-01/uploads/${odd}/manifest.json.gz`,
  (odd) => `datasets/d-1/${odd}/v00000001.json`,
  (odd) => `uploads/${odd}`,
  (odd) => `uploads/${ID}/${odd}/x`,
  (odd) => `uploads/${ID}/files/${odd}/x`,
  (odd) => `${odd}/x`,
  (odd) => `${odd}/uploads/${ID}/manifest.json.gz`,
  (odd) => `sub/${odd}/uploads/${ID}/manifest.json.gz`,
];

/** Keys below the base of a fleet with writer `web-01` and dataset `d-1`. */
export const ODD_KEYS: readonly string[] = [
  ...IDS.flatMap((place) => [...MALFORMED, ...NO_IDS].map(place)),
  ...NAMES.flatMap((place) => MALFORMED.map(place)),
];

/** Begins the sentence that names such keys. */
export const ODD_TEXT = 'left alone, because archiver makes no such keys: ';
