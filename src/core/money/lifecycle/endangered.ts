// Finds rules that would harm a store: manifests, their segments, version records, heartbeats and configurations in a class that cannot be read immediately
// make uploads unreadable, and whatever expires is gone. Manifests have no tags, so rules by tag select nothing of a store.
import { isColdClass } from '../../store/cold-class.js';
import type { LifecycleRule } from '../../store/bucket-lifecycle.js';
import { selectionOf } from './rules.js';
import type { StoredUpload } from './stored-uploads.js';

export interface Danger {
  readonly rule: LifecycleRule;
  readonly harm: 'deletes' | 'freezes';
}

/** True when one prefix selects something of the other. */
export const overlaps = (a: string, b: string): boolean => a.startsWith(b) || b.startsWith(a);

/** Returns the enabled rules that select something of the store that must not be changed. */
export function endangering(
  rules: readonly LifecycleRule[],
  storePrefix: string,
  uploads: readonly StoredUpload[],
): readonly Danger[] {
  if (uploads.length === 0) return [];
  const base = storePrefix === '' ? '' : `${storePrefix}/`;
  const bases = new Set([base, ...uploads.map(({ folder }) => folder.slice(0, folder.lastIndexOf('uploads/')))]);
  const documents = [
    ...[...bases].flatMap((one) => ['datasets/', 'status.json'].map((name) => one + name)),
    `${base}fleet/`,
    ...uploads.flatMap(({ folder }) => ['manifest.json.gz', 'manifest/'].map((name) => folder + name)),
  ];
  const folders = uploads.map(({ folder }) => folder);
  return rules.flatMap((rule): Danger[] => {
    const { prefix, tags } = selectionOf(rule);
    if (rule.Status !== 'Enabled' || tags.length > 0) return [];
    const { Expiration: end, Transitions: moves = [] } = rule;
    const isHit = (key: string): boolean => overlaps(prefix, key);
    const deletes = (end?.Days ?? end?.Date) !== undefined && [...folders, ...documents].some(isHit);
    if (deletes) return [{ rule, harm: 'deletes' }];
    const freezes = moves.some(({ StorageClass }) => isColdClass(StorageClass)) && documents.some(isHit);
    return freezes ? [{ rule, harm: 'freezes' }] : [];
  });
}
