// Plans a folder and shows the plan.
import type { Context } from '../../cli/context.js';
import { isPartialWith } from '../../core/archive/parts/left-out-paths.js';
import { type NothingPlanned, planFolder, type WrittenPlan } from '../../core/archive/parts/plan-folder.js';
import { excludedTrees } from '../../core/archive/scan/source-folder.js';
import { checkDatasetId } from '../../core/dataset/records/dataset-id.js';
import { printable } from '../../core/platform/paths/raw-path.js';
import { shellWord } from '../../core/platform/text/shell-word.js';
import { problemLines } from '../../screens/progress/problem-lines.js';
import { formatBytes, formatQuantity } from '../../ui/format.js';
import { lookOf } from '../../ui/look.js';
import { recordRunFacts, recordRunResult } from '../kit/account.js';
import { typedNameOf } from '../upload/ask-dataset.js';
import { guardOptions } from '../kit/guard-flags.js';
import { amountText, fact, textOf } from '../kit/lines.js';
import { withResult } from '../kit/run.js';
import { uploadGate } from '../kit/slots.js';
import { openForWriting } from '../kit/store.js';
import type { PlanValues } from './flags.js';
import { dedupOption, engineEnvironment, filterOptions } from '../upload/engine-options.js';
import { encryptionOptions, lockOption, withoutClassOfFolder, classOption } from '../kit/place-options.js';
import { changesText } from '../upload/show-upload.js';
import { placesOf, storeOf } from '../upload/run-archive.js';
import { tierPolicy } from '../upload/tier-flags.js';

/** Runs the command; returns its exit status. */
export async function runPlan(
  values: PlanValues,
  [source, destination]: readonly [string, string],
  context: Context<'plan'>,
): Promise<number> {
  const { url } = storeOf(destination, values.writerId);
  const places = placesOf(source, destination, values.writerId, context);
  const withClass = withoutClassOfFolder(url, values, context);
  const { shardCount, shardStrategy, compressionLevel, fileChecksums, autoTier } = withClass;
  const { datasetId: id, project, tag: tags, parts, partSize, failFast, trackDeletes, ignoreCtime, force } = values;
  const options = {
    ...engineEnvironment(context),
    source: places.source,
    failFast,
    partSize: parts === undefined ? { bytes: partSize } : { count: parts },
    dataset: {
      id: id === undefined ? undefined : checkDatasetId(id),
      writerId: places.writerId,
      encryption: encryptionOptions(values, url, context),
      ...guardOptions(values),
      newDataset: values.newDataset,
      changes: { trackDeletes, ignoreCtime, isForced: force },
    },
    filter: await filterOptions(values, excludedTrees(places.source, places.base, context.home), context),
    packing: { compressionLevel, fileChecksums, dedup: dedupOption(values, context) },
    layout: {
      shardCount,
      shardStrategy,
      ...classOption(url, withClass, context),
      tiers: tierPolicy({ ...values, autoTier }, context.now()),
      lock: lockOption(values, url),
    },
    labels: { tags, project },
  };
  recordRunFacts(context, { operation: 'upload', project });
  const gate = uploadGate({ ...values }, context);
  const warnings: string[] = [];
  const warn = (text: string): void => void warnings.push(text);
  const plan = await withResult(context, values, {
    work: async (emit, aside) => {
      emit({ type: 'start', operation: 'plan', source, target: url });
      const open = openForWriting(url, values, context);
      const dataset = { ...options.dataset, typedName: typedNameOf({ context, aside, isPlan: false }) };
      const made = await planFolder(() => open(emit), { ...options, dataset, warn, uploadGate: gate(emit), emit });
      recordRunResult(context, { ...made, ...(isPlan(made) ? made.totals : NOTHING) });
      return made;
    },
    show: (made) => ({ document: documentOf(made), text: () => textOf(linesOf(made, context)) }),
  });
  for (const text of warnings) context.warn(text);
  return isPartialWith(plan.leftOut) ? 3 : 0;
}

const NOTHING = { files: 0, bytes: 0 };

const isPlan = (made: WrittenPlan | NothingPlanned): made is WrittenPlan => 'parts' in made;

const documentOf = (made: WrittenPlan | NothingPlanned) => (isPlan(made) ? planDocument(made) : nothingDocument(made));

const linesOf = (made: WrittenPlan | NothingPlanned, context: Context<'plan'>): readonly string[] =>
  isPlan(made) ? planLines(made, context) : nothingLines(made, context);

const nothingDocument = ({ changes, leftOut, ...rest }: NothingPlanned) => ({
  ...rest,
  ...changes,
  ...leftOutDocument(leftOut),
  noChanges: true,
});

const leftOutDocument = ({ count, paths }: WrittenPlan['leftOut']) => ({ skippedCount: count, skipped: paths });

const leftOutLines = ({ count, paths }: WrittenPlan['leftOut'], context: Context<'plan'>): readonly string[] =>
  problemLines('left out', paths, lookOf(context.colors.stdout, context.env), count);

const nothingLines = (
  { datasetId, version, changes, leftOut }: NothingPlanned,
  context: Context<'plan'>,
): readonly string[] => [
  `No changes: dataset ${printable(datasetId)} stays at version ${version}, and nothing was planned`,
  fact('changes', changesText(changes)),
  ...leftOutLines(leftOut, context),
];

/** The JSON document of a plan. */
function planDocument({
  uploadId,
  location,
  datasetId,
  parts,
  totals,
  spanning,
  leftOut,
  changes,
  ...ended
}: WrittenPlan) {
  return {
    ...(changes === undefined ? {} : { ...changes, noChanges: false }),
    uploadId,
    location,
    datasetId,
    partCount: parts.length,
    planParts: parts.map(({ part: planPart, entries, files, bytes }) => ({ planPart, entries, files, bytes })),
    files: totals.files,
    bytes: totals.bytes,
    spanningGroups: spanning.groups,
    spanningBytes: spanning.bytes,
    ...leftOutDocument(leftOut),
    nextCommands: Object.values(nextCommands(location, parts.length)),
    ...ended,
  };
}

/** What to type next: the work of an array's task, all of the work here, and the commit. */
function nextCommands(location: string, count: number) {
  const plan = shellWord(printable(location));
  return {
    task: `archiver work ${plan} --part auto`,
    here: `seq 0 ${count - 1} | xargs -P4 -I{} archiver work ${plan} --part {}`,
    commit: `archiver commit ${plan}`,
  };
}

function planLines(made: WrittenPlan, context: Context<'plan'>): readonly string[] {
  const { location, datasetId, parts, totals, spanning, leftOut, changes } = made;
  const { task, here, commit } = nextCommands(location, parts.length);
  const largest = parts.reduce((most, { bytes }) => Math.max(most, bytes), 0);
  const last = parts.length - 1;
  return [
    `Planned ${amountText(totals.files, 'file', totals.bytes)} in ${formatQuantity(parts.length, 'part')}`,
    fact('location', printable(location)),
    fact('dataset', printable(datasetId)),
    ...(changes === undefined ? [] : [fact('changes', changesText(changes))]),
    ...(parts.length > 1 ? [fact('parts', `0 to ${last}, the largest has ${formatBytes(largest)}`)] : []),
    ...(spanning.groups === 0
      ? []
      : [
          fact(
            'links',
            `${formatQuantity(spanning.groups, 'file')} with names in several parts: ${formatBytes(spanning.bytes)} are stored again`,
          ),
        ]),
    fact('task', `${task}   (in an array of tasks 0-${last})`),
    fact('here', here),
    fact('commit', commit),
    ...leftOutLines(leftOut, context),
  ];
}
