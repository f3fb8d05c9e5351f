// Decides which layers a rebuilt view is merged from: the upload's own chunks alone, plus the earlier versions that it builds on, plus
// folders of no version. The totals in the version record show whether it is complete; where no choice has these totals, the fullest one is
// taken whose parts are known to belong to this dataset.
import { mergeLevels } from '../../dataset/chain/merge-levels.js';
import type { MergedView } from '../../dataset/chain/merged-view.js';
import { type Summary, summarize } from '../../dataset/chain/summarize.js';
import { isArchiverError } from '../../platform/failures/errors.js';
import type { UploadId } from '../../store/ids/upload-id.js';
import type { Totals } from '../../format/manifest/manifest-types.js';
import type { Layer } from './layers.js';
import { sameContent } from './same-content.js';

/** Number of loose folders tried one by one; needing more than one of them is rare. */
const MAX_SINGLE_TRIES = 16;

export interface Choice extends Summary {
  /** The layers, newest first. */
  readonly layers: readonly Layer[];
  readonly view: MergedView;
  /** True when its totals match the recorded ones. */
  readonly isEqual: boolean;
}

export interface ChoiceSources {
  readonly uploadId: UploadId;
  readonly own: Layer;
  /** Returns earlier versions, newest first. */
  readonly older: () => Promise<readonly Layer[]>;
  /** Returns folders of no version, newest first. */
  readonly loose: () => Promise<readonly Layer[]>;
  /** Totals of the effective view; undefined when not known. */
  readonly expected: Totals | undefined;
  /** True when the upload's own chunks cannot be everything. */
  readonly buildsOnOthers: boolean;
  /** True when some of the upload's own chunks are known to be lost. */
  readonly isOwnIncomplete: boolean;
  /** Use entries of earlier versions, even where nothing proves that they belong here. */
  readonly fromPrevious: boolean;
  /** True when there is only one dataset under the base: folders of no version can only belong to it. */
  readonly isAlone: boolean;
}

/** Chooses the layers. @throws what the layers throw */
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

/** Picks the fullest of several choices, none of which has the recorded totals. */
function fullest(
  { isOwnIncomplete, buildsOnOthers, fromPrevious, isAlone }: ChoiceSources,
  alone: Choice,
  [stack, all]: readonly (Choice | undefined)[],
): Choice {
  // Other versions may hold older content than the lost chunk did.
  if (isOwnIncomplete && !buildsOnOthers && !fromPrevious) return alone;
  let best = alone;
  for (const choice of [stack, isAlone ? all : undefined])
    if (choice !== undefined && isFuller(choice, best)) best = choice;
  return best;
}

const isFuller = ({ totals: a }: Choice, { totals: b }: Choice): boolean =>
  a.entries > b.entries || (a.entries === b.entries && a.bytes > b.bytes);

/** Orders layers by upload id, newest first, with the upload's own on top. */
function stacked(own: Layer, older: readonly Layer[], loose: readonly Layer[]): readonly Layer[] {
  const layers = [...older];
  for (const layer of loose) {
    const below = layers.findIndex(({ uploadId }) => uploadId < layer.uploadId);
    layers.splice(below < 0 ? layers.length : below, 0, layer);
  }
  return [own, ...layers];
}

/** Merges the layers down to the first full listing; undefined when they do not fit together. */
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
