// Checks what a writer of changes relies on: whether the store has all of the version that it compares with (rules.md#whole-view), and
// whether it may refer to what its manifest will name (rules.md#looks).
import { isCheckFresh, isListedSame, type CachedCheck } from '../../dataset/cache/check-cache.js';
import {
  hasReferences,
  checkReferences,
  type ReferenceCheck,
  type StoredPlace,
} from '../../dataset/check-references.js';
import { isManifestUnchanged, checkView, type ViewCheck } from '../../dataset/check-view.js';
import { repairCommand } from '../../format/manifest/repair-hint.js';
import type { ObjectInfo } from '../../store/object-store.js';
import { manifestKeyOf, splitUploadKey, uploadUrlOf, type UploadId } from '../../store/ids/upload-id.js';
import { counted } from '../../platform/text/counted.js';
import type { UploadRun } from '../run/upload-run.js';
import type { Baseline } from './baseline.js';

type SeeInput = Pick<UploadRun, 'store' | 'datasetId' | 'remembered' | 'signal'>;

/** The view as it was last seen; `isRecalled` if an earlier run saw it, less than a day ago. */
export interface DailyViewCheck extends ViewCheck {
  readonly isRecalled: boolean;
}

/**
 * Returns the view as it was seen less than a day ago, otherwise as it is now. It always looks again without `mayRecall`, and in a folder
 * store, which costs no requests. Undefined for a writer without permission to list it. @throws what the store throws
 */
export async function checkViewDaily(
  { store, datasetId, remembered: { looks }, signal }: SeeInput,
  { view, recalled, isListed, isNewest }: Baseline,
  mayRecall: boolean,
): Promise<DailyViewCheck | undefined> {
  if (!isListed) return undefined;
  const manifestSha256 = view.chain[0]?.sha256 ?? '';
  const before = await looks?.get(store.url, datasetId);
  const kept = mayRecall ? stillKept(before, manifestSha256) : undefined;
  if (kept !== undefined && !store.url.startsWith('file:'))
    return { ...kept, broken: [], isChainBroken: false, isRecalled: true };
  const known = { known: before?.manifests, isKnownLately: kept !== undefined };
  const look = await checkView(store, view, { recalled, ...known, signal });
  if (look === undefined) return undefined;
  // Keeps the earlier time, so that its manifests are read once a day all the same.
  if (kept !== undefined) return { ...look, lookedAtMs: kept.lookedAtMs, isRecalled: false };
  const { broken, manifests, lookedAtMs } = look;
  if (broken.length === 0 && isNewest)
    await looks?.put(store.url, datasetId, { manifestSha256, manifests, lookedAtMs });
  return { ...look, isRecalled: false };
}

/** Returns the remembered look if it was at this version and less than a day ago. */
const stillKept = (look: CachedCheck | undefined, manifestSha256: string): CachedCheck | undefined =>
  look?.manifestSha256 === manifestSha256 && isCheckFresh(look) ? look : undefined;

/** Warns of a version that is not whole: the next one is made from what is remembered of it, and from the source. */
export function warnOfBroken(
  { warn, store, datasetId }: Pick<UploadRun, 'warn' | 'store' | 'datasetId'>,
  { head, view }: Baseline,
  seen: DailyViewCheck | undefined,
): void {
  const [first, ...others] = seen?.broken ?? [];
  if (first === undefined) return;
  const what = others.length === 0 ? first : `${first} and ${counted(others.length, 'other object')}`;
  const damaged = seen?.isChainBroken === true ? splitUploadKey(first)?.uploadId : undefined;
  const { uploadId } = view.head;
  const command =
    damaged === undefined ? `archiver verify ${uploadUrlOf(store.url, uploadId)}` : repairCommand(store, damaged);
  warn(
    `version ${head} of dataset ${datasetId} is not whole, the next one will be: ${what} missing or damaged (${command})`,
  );
}

/** Reports that "nothing has changed" relies on a version that could not be checked. */
export function noteUnchecked(
  { emit, datasetId }: Pick<UploadRun, 'emit' | 'datasetId'>,
  { head }: Pick<Baseline, 'head'>,
): void {
  const text = `this writer may not list what is stored: whether version ${head} of dataset ${datasetId} is still whole is not known`;
  emit({ type: 'note', text });
}

export interface BaselineCheck extends ReferenceCheck {
  /** True if the manifest to build on must not be referred to. */
  readonly isManifest: boolean;
}

/** The parts of the view that a manifest on top of it will refer to. */
export interface WantedOfView {
  /** Positions of its chunks; undefined for a full listing, which names them all and builds on nothing. */
  readonly wanted: ReadonlySet<number> | undefined;
  readonly seen: DailyViewCheck | undefined;
}

/** Looks at what will be referred to. Undefined for a writer without permission to list it. @throws what the store throws */
export async function checkBaseline(
  run: Pick<UploadRun, 'store' | 'uploadId' | 'dryRun' | 'signal'>,
  baseline: Baseline,
  { wanted, seen }: WantedOfView,
): Promise<BaselineCheck | undefined> {
  const { store, signal } = run;
  const { view } = baseline;
  const previous = wanted === undefined ? undefined : view.head.uploadId;
  // Keys in the view are relative to its upload, which is another one than ours: all of these objects lie elsewhere.
  const objects = view.chunks.map(({ key, size }, position): StoredPlace => {
    const isWanted = wanted === undefined || wanted.has(position);
    return { key: isWanted ? elsewhere(key, view.head.uploadId) : '', size };
  });
  const base = view.chain.at(-1);
  const segments = wanted === undefined && base !== undefined ? (base.head.segments ?? []) : [];
  for (const { key, size } of segments) objects.push({ key: elsewhere(key, base?.uploadId ?? run.uploadId), size });
  const references = { uploadId: run.uploadId, objects, previous };
  const nothing = { unsound: new Set<number>(), first: undefined, previous: undefined, isManifest: false };
  if (!hasReferences(references)) return { ...nothing, lookedAtMs: Date.now() };
  const look = await checkReferences(store, references, signal);
  if (look === undefined) return run.dryRun ? { ...nothing, lookedAtMs: Date.now() } : undefined;
  const isSegment = [...look.unsound].some((position) => position >= view.chunks.length);
  if (previous === undefined || isSegment) return { ...look, isManifest: isSegment };
  const key = manifestKeyOf(previous);
  return (await isReplaced(run, baseline, { shown: look.previous, seen }))
    ? { ...look, first: key, isManifest: true }
    : { ...look, isManifest: look.first === key };
}

/** Whether the manifest to build on was seen whole by an earlier run, and another one is there now. */
async function isReplaced(
  { store, signal }: Pick<UploadRun, 'store' | 'signal'>,
  { view, recalled }: Baseline,
  { shown, seen }: { readonly shown: ObjectInfo | undefined; readonly seen: DailyViewCheck | undefined },
): Promise<boolean> {
  const [newest] = view.chain;
  if (newest === undefined || shown === undefined || seen?.isRecalled !== true) return false;
  const known = seen.manifests;
  if (isListedSame(known.get(newest.sha256), shown)) return false;
  return !(await isManifestUnchanged(store, newest, shown, { recalled, known, signal }));
}

/** Rewrites a key of the view's upload as that of another folder. */
const elsewhere = (key: string, uploadId: UploadId): string => (key.startsWith('../') ? key : `../${uploadId}/${key}`);
