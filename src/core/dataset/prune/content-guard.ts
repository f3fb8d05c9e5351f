// Prune never trades content for emptiness (rules.md#no-emptiness). A key that may only put can add empty versions until the rules retire
// every genuine one, and an unmounted disk does the same in a few nights. So the largest version that is kept is compared with the largest
// that would be retired. Kept versions count by their views, as readers see them, never by the statements of their records; and bytes count
// only as far as the chunks that hold them could be theirs. In addition, a version stays when no later one has nearly as much content, so
// that one empty version a day does not replace the last that has content.
import { ArchiverError } from '../../platform/failures/errors.js';
import { addTo } from '../../platform/lists-by-key.js';
import type { VersionRecord } from '../../format/manifest/manifest-types.js';
import type { ObjectReader } from '../../store/object-store.js';
import { printable } from '../../platform/paths/raw-path.js';
import { counted } from '../../platform/text/counted.js';
import { ordinalRuns, runsText } from '../records/ordinals-text.js';
import { compareVersions, type VersionName } from '../records/version-name.js';
import type { ReadRecord } from '../records/versions.js';
import { type ChainOptions, shownContent } from './needs.js';

/** Least share of the retired content that the kept versions must have. */
const LEAST_PART = 0.5;

/** Content of a version as a restore returns it. */
export interface Content {
  readonly files: number;
  readonly bytes: number;
}

/** A dataset of which too little would be kept. `kept` and `retired` are the most that one version of each kind has. */
export interface MassDeletion {
  readonly datasetId: string;
  readonly kept: Content;
  readonly retired: Content;
  /** Retired versions that have more content than is kept. */
  readonly versions: readonly VersionName[];
}

export interface GuardOptions extends ChainOptions {
  /** What versions were found to have, by their record, so that each is read once. Updated in place. */
  readonly contents: Map<VersionRecord, Content>;
}

export interface MassDeletionOptions extends GuardOptions {
  readonly kept: readonly ReadRecord[];
  readonly retired: readonly ReadRecord[];
}

/** Finds datasets of which too little would be kept. @throws as `chainOfVersion` */
export async function findMassDeletions(
  reader: ObjectReader,
  { kept, retired, ...options }: MassDeletionOptions,
): Promise<readonly MassDeletion[]> {
  const going = new Map<string, VersionRecord[]>();
  for (const { record } of retired) addTo(going, record.datasetId, record);
  const trades: MassDeletion[] = [];
  for (const [datasetId, records] of going) {
    const staying = kept.filter(({ record }) => record.datasetId === datasetId).toSorted(byClaim);
    const trade = await tradeOf(reader, staying, records, options);
    if (trade !== undefined) trades.push({ datasetId, ...trade });
  }
  return trades;
}

/**
 * Finds the retired versions of one dataset for which no later version that stays (one of these, or a kept one) has at least half the
 * content. @throws as `chainOfVersion`
 */
export async function withoutHeir(
  reader: ObjectReader,
  { kept, retired, ...options }: MassDeletionOptions,
): Promise<ReadonlySet<ReadRecord>> {
  const spared = new Set<ReadRecord>();
  for (const found of retired.toSorted((a, b) => compareVersions(b.record, a.record))) {
    const { totals } = found.record;
    const later = [...kept, ...spared].filter(({ record }) => compareVersions(record, found.record) > 0);
    let most: Content = NOTHING;
    for (const { record } of later.toSorted(byClaim)) {
      if (isEnough(most, totals)) break;
      most = mostOf(most, await contentOf(reader, record, options));
    }
    // A forged record may claim too much, and its version is not kept for that.
    if (!isEnough(most, totals) && !isEnough(most, await contentOr(reader, found.record, options))) spared.add(found);
  }
  return spared;
}

const byClaim = ({ record: a }: ReadRecord, { record: b }: ReadRecord): number =>
  b.totals.bytes - a.totals.bytes || b.totals.files - a.totals.files;

const NOTHING: Content = { files: 0, bytes: 0 };

const mostOf = (a: Content, b: Content): Content => ({
  files: Math.max(a.files, b.files),
  bytes: Math.max(a.bytes, b.bytes),
});

const isEnough = (kept: Content, retired: Content): boolean =>
  kept.files >= retired.files * LEAST_PART && kept.bytes >= retired.bytes * LEAST_PART;

async function tradeOf(
  reader: ObjectReader,
  staying: readonly ReadRecord[],
  going: readonly VersionRecord[],
  options: GuardOptions,
): Promise<Omit<MassDeletion, 'datasetId'> | undefined> {
  const claimed = going.map(({ totals }) => totals).reduce(mostOf, NOTHING);
  let kept = NOTHING;
  // Nearly always the first one is enough; those that claim most come first.
  for (const { record } of staying) {
    if (isEnough(kept, claimed)) return undefined;
    kept = mostOf(kept, await contentOf(reader, record, options));
  }
  if (isEnough(kept, claimed)) return undefined;
  // A forged record may claim too much, and must not stop every prune from now on.
  const retired: (Content & VersionName)[] = [];
  for (const record of going) {
    const content = isEnough(kept, record.totals) ? record.totals : await contentOr(reader, record, options);
    retired.push({ files: content.files, bytes: content.bytes, version: record.version, fork: record.fork });
  }
  const larger = retired.filter((content) => !isEnough(kept, content));
  return larger.length === 0 ? undefined : { kept, retired: larger.reduce(mostOf, NOTHING), versions: larger };
}

async function contentOf(reader: ObjectReader, record: VersionRecord, options: GuardOptions): Promise<Content> {
  const known = options.contents.get(record);
  if (known !== undefined) return known;
  const content = await shownContent(reader, record, options);
  options.contents.set(record, content);
  return content;
}

/** The content of a version; what its record states when the version cannot be read. */
async function contentOr(reader: ObjectReader, record: VersionRecord, options: GuardOptions): Promise<Content> {
  try {
    return await contentOf(reader, record, options);
  } catch (error) {
    if (error instanceof ArchiverError && ['integrity', 'unsupported', 'access-denied'].includes(error.code))
      return record.totals;
    throw error;
  }
}

const amount = ({ files, bytes }: Content): string => `${counted(files, 'file')} of ${counted(bytes, 'byte')}`;

export interface MassDeletionLeave {
  readonly allowMassDelete?: boolean | undefined;
  /** In a dry run, the refusal becomes a warning. */
  readonly dryRun?: boolean | undefined;
}

/** Lets a prune go on, or refuses it; returns the warnings of a dry run. @throws mass-delete when too little would be kept */
export function refuseMassDeletions(
  { url }: ObjectReader,
  [first, ...others]: readonly MassDeletion[],
  { allowMassDelete = false, dryRun = false }: MassDeletionLeave,
): readonly string[] {
  if (first === undefined || allowMassDelete) return [];
  const { datasetId, kept, retired, versions } = first;
  const name = printable(datasetId);
  const text =
    `what the --keep flags keep of dataset ${name} holds at most ${amount(kept)}, and what they do not ` +
    `(${runsText(ordinalRuns(versions), 'v')}) up to ${amount(retired)}` +
    (others.length === 0 ? '' : `, and so it is with ${counted(others.length, 'more dataset')}`);
  if (dryRun) return [`the prune itself will be refused without --allow-mass-delete: ${text}`];
  throw new ArchiverError('mass-delete', `nothing was pruned: ${text}`, {
    hint:
      `look at them: archiver dataset versions ${printable(url)} --dataset-id ${name}; keep one with ` +
      'archiver dataset tag, keep more by the --keep flags, or retire them all the same with --allow-mass-delete',
  });
}
