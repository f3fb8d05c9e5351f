// Checks where a config sends archives: `store: URL`, or `s3_config` with a bucket, and the settings that go with either.
import { errorText } from '../../platform/failures/errors.js';
import { checkBucketName, formatStoreUrl, joinStoreUrl, parseStoreUrl } from '../../store/store-url.js';
import { STORAGE_CLASSES } from '../../store/providers/storage-classes.js';
import { suggest } from '../../platform/text/suggest.js';
import type { FleetConfig } from './fleet-config.js';
import { IGNORED_STORE_KEYS, REFUSED_STORE_KEYS } from './other-keys.js';
import { quoted } from './problems.js';
import type { Section } from './section.js';

type StoreSettings = Pick<FleetConfig, 'storeUrl' | 'region' | 'storageClass' | 'kmsKeyId'>;

const BESIDE = ['region', 'storage_class', 'kms_key_id'] as const;

/** The top-level keys that are read here. */
export const STORE_KEYS = ['store', 's3_config', ...BESIDE] as const;

export function checkStore(root: Section): StoreSettings {
  const s3 = root.section('s3_config');
  if (!root.has('s3_config')) return settingsOf(root, urlOf(root, 'store', root.text('store')));
  if (root.has('store')) root.error('store', 'and s3_config both say where the store is: keep one');
  for (const key of BESIDE) if (root.has(key)) root.error(key, 'belongs into s3_config where there is one');
  if (s3 === undefined) return { storeUrl: undefined, region: undefined, storageClass: undefined, kmsKeyId: undefined };
  const known = ['bucket', 'prefix', ...BESIDE];
  s3.checkKeys({ known, ignored: IGNORED_STORE_KEYS, refused: REFUSED_STORE_KEYS });
  if (!s3.has('bucket')) s3.error('bucket', 'is missing');
  return settingsOf(s3, bucketUrlOf(s3));
}

function bucketUrlOf(s3: Section): string | undefined {
  const bucket = s3.text('bucket');
  const prefix = s3.text('prefix');
  if (bucket === undefined || attempt(s3, 'bucket', () => checkBucketName(bucket)) === undefined) return undefined;
  return urlOf(
    s3,
    'prefix',
    attempt(s3, 'prefix', () => joinStoreUrl(`s3://${bucket}`, prefix ?? '')),
  );
}

/** Returns the URL in canonical form if it can be the base of a fleet. */
function urlOf(section: Section, key: string, text: string | undefined): string | undefined {
  const url = text === undefined ? undefined : attempt(section, key, () => formatStoreUrl(parseStoreUrl(text)));
  // Requires a character before the slash, so that a bucket with such a name is not meant.
  const own = /[^/]\/(uploads|datasets|writers|fleet)\/[^/]+$/.exec(url ?? '')?.[1];
  if (own === undefined) return url;
  section.error(key, `names a place below ${own}/: name the base of the fleet, which holds writers/ and fleet/`);
  return undefined;
}

function settingsOf(section: Section, storeUrl: string | undefined): StoreSettings {
  const region = section.text('region');
  if (region !== undefined && !/^[a-z]{2,}(-[a-z0-9]+)+$/.test(region))
    section.error('region', `is no region: ${quoted(region)}`);
  const storageClass = checkClass(section, storeUrl);
  const kmsKeyId = section.text('kms_key_id');
  refuseForFolder(section, ['region', 'kms_key_id'], storeUrl);
  return { storeUrl, region, storageClass, kmsKeyId };
}

/** Refuses settings that only S3 has when the store is a folder. */
function refuseForFolder(section: Section, keys: readonly string[], storeUrl: string | undefined): void {
  if (storeUrl?.startsWith('file:') !== true) return;
  for (const key of keys)
    if (section.has(key)) section.error(key, `can do nothing for ${storeUrl}, which is a folder and not in S3`);
}

/** Reads `storage_class` of a section, in upper case. `storeUrl` is the store's URL, if the config has it. */
export function checkClass(section: Section, storeUrl: string | undefined): string | undefined {
  refuseForFolder(section, ['storage_class'], storeUrl);
  const text = section.text('storage_class')?.toUpperCase();
  if (text === undefined) return undefined;
  const found = STORAGE_CLASSES.find((name) => name === text);
  if (found === undefined)
    section.error(
      'storage_class',
      `is no storage class: ${quoted(text)}; use ${suggest(text, STORAGE_CLASSES) ?? STORAGE_CLASSES.join(', ')}`,
    );
  return found;
}

function attempt<T>(section: Section, key: string, work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    section.error(key, `cannot be used: ${errorText(error)}`);
    return undefined;
  }
}
