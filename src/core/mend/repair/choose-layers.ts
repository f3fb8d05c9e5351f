// Decides what a rebuilt view is merged from: the upload's own chunks alone, plus the earlier versions that it was written on
// top of, plus folders of no version. The totals in the version record show whether it is complete; where no choice has
// these totals, the largest one is taken whose parts are known to belong to this dataset.
import { mergeLevels } from '../../dataset/chain/merge-levels.js';
import type { MergedView } from '../../dataset/chain/merged-view.js';
import { type Summary, summarize } from '../../dataset/chain/summarize.js';
import { isArchiverError } from '../../platform/failures/errors.js';
import type { UploadId } from '../../store/ids/upload-id.js';
import type { Totals } from '../../format/manifest/manifest-types.js';
import type { Layer } from './layers.js';
import { sameContent } from './same-content.js';

/** Each folder is tried on its own; needing more than one is rare. */
const MAX_SINGLE_TRIES = 16;

export interface Choice extends Summary {
  /** Newest first. */
  readonly layers: readonly Layer[];
  readonly view: MergedView;
  /** Its totals are the recorded ones. */
  readonly isEqual: boolean;
}

export interface ChoiceSources {
  readonly uploadId: UploadId;
  readonly own: Layer;
  /** Versions before, newest first. */
  readonly older: () => Promise<readonly Layer[]>;
  /** Folders of no version, newest first. */
  readonly loose: () => Promise<readonly Layer[]>;
  /** Of the effective view; undefined when not known. */
  readonly expected: Totals | undefined;
  /** The upload's own chunks cannot be everything. */
  readonly buildsOnOthers: boolean;
  /** Some of the upload's own chunks are known to be lost. */
  readonly isOwnIncomplete: boolean;
  /** Use what earlier versions have, even where nothing proves that it belongs here. */
  readonly fromPrevious: boolean;
  /** There is only one dataset under the base: folders of no version can only belong to it. */
  readonly isAlone: boolean;
}

/** Chooses. @throws what the layers throw */
export async function chooseLayers(sources: ChoiceSources): Promise<Choice> {
  const { own, expected, buildsOnOthers, fromPrevious } = sources;
  const alone = await tried(sources, [own]);
  if (alone === undefined) throw new RangeError(`the tables of ${own.uploadId} do not merge with themselves`);
  const isAllThatIsKnown = expected === undefined && !fromPrevious && own.level.chunks.length > 0;
  if (!buildsOnOthers && (alone.isEqual || isAllThatIsKnown)) return alone;
  const older = await sources.older();
  const stack = await tried(sources, [own, ...older]);
  if (stack?.isEqual === true) return stack;
  const loose = await sources.loose();
  const all = await tried(sources, stacked(own, older, loose));
  const exact = all?.isEqual === true ? all : await withOneFolder(sources, older, loose);
  return exact ?? fullest(sources, alone, [stack, all]);
}

async function withOneFolder(
  sources: ChoiceSources,
  older: readonly Layer[],
  loose: readonly Layer[],
): Promise<Choice | undefined> {
  for (const layer of loose.slice(0, MAX_SINGLE_TRIES)) {
    const one = await tried(sources, stacked(sources.own, older, [layer]));
    if (one?.isEqual === true) return one;
  }
  return undefined;
}

/** Picks from choices without the recorded totals. */
function fullest(
  { isOwnIncomplete, buildsOnOthers, fromPrevious, isAlone }: ChoiceSources,
  alone: Choice,
  [stack, all]: readonly (Choice | undefined)[],
): Choice {
  // What other versions have instead of a lost chunk may be older than what this one had.
  if (isOwnIncomplete && !buildsOnOthers && !fromPrevious) return alone;
  let best = alone;
  for (const choice of [stack, isAlone ? all : undefined])
    if (choice !== undefined && isFuller(choice, best)) best = choice;
  return best;
}

const isFuller = ({ totals: a }: Choice, { totals: b }: Choice): boolean =>
  a.entries > b.entries || (a.entries === b.entries && a.bytes > b.bytes);

/** By the time in their ids, down to the first full listing. */
function stacked(own: Layer, older: readonly Layer[], loose: readonly Layer[]): readonly Layer[] {
  const layers = [...older];
  for (const layer of loose) {
    const below = layers.findIndex(({ uploadId }) => uploadId < layer.uploadId);
    layers.splice(below < 0 ? layers.length : below, 0, layer);
  }
  return [own, ...layers];
}

/** Undefined when the layers do not fit together. */
async function tried({ uploadId, expected }: ChoiceSources, layers: readonly Layer[]): Promise<Choice | undefined> {
  const full = layers.findIndex(({ isFull }) => isFull);
  const counted = full < 0 ? layers : layers.slice(0, full + 1);
  try {
    const levels = counted.map(({ level }) => level);
    const view = mergeLevels(levels, uploadId);
    const summary = await summarize(view);
    const isEqual = expected !== undefined && sameContent(summary.totals, expected);
    return { ...summary, layers: counted, view, isEqual };
  } catch (error) {
    if (isArchiverError(error, 'integrity')) return undefined;
    throw error;
  }
}
