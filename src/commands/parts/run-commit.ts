// Commits a plan and shows the version, or the parts that are missing.
import type { Context } from '../../cli/context.js';
import type { Shown } from '../../cli/progress.js';
import { type CommittedPlan, commitPlan, type MissingParts } from '../../core/archive/parts/commit-plan.js';
import { arraySpec } from '../../core/archive/parts/part-number.js';
import type { ReadPlan } from '../../core/archive/parts/read-plan.js';
import { versionName } from '../../core/dataset/records/version-name.js';
import { printable } from '../../core/platform/paths/raw-path.js';
import { shellWord } from '../../core/platform/text/shell-word.js';
import type { Document } from '../../json/documents.js';
import { problemLines } from '../../screens/progress/problem-lines.js';
import { formatBytes, formatQuantity } from '../../ui/format.js';
import { lookOf } from '../../ui/look.js';
import type { CommitValues } from './flags.js';
import { recordRunFacts, recordRunResult } from '../kit/account.js';
import { amountText, fact, textOf } from '../kit/lines.js';
import { planIn, planLocation } from './plan-target.js';
import { withResult } from '../kit/run.js';
import { withStore } from '../kit/store.js';
import { uploadUrl } from '../kit/upload-target.js';

/** Runs the command; returns its exit status. */
export async function runCommit(values: CommitValues, url: string, context: Context<'commit'>): Promise<number> {
  const location = await planLocation(url, values, context);
  const { home, now, signal } = context;
  const { allowMassDelete, exclusive: isExclusive } = values;
  const warnings: string[] = [];
  const warn = (text: string): void => void warnings.push(text);
  const { made } = await withResult(context, values, {
    work: async (emit) => {
      emit({ type: 'start', operation: 'commit', source: uploadUrl(location), target: '' });
      const call = { baseUrl: location.baseUrl, values, context, onEvent: emit };
      return await withStore(call, async (opened) => {
        const plan = await planIn(opened, location, context);
        const { head, uploadId } = plan;
        recordRunFacts(context, { operation: 'upload', project: head.project ?? uploadId });
        const made = await commitPlan(opened, plan, { home, now, signal, allowMassDelete, isExclusive, emit, warn });
        if ('version' in made) recordRunResult(context, { ...made, ...made.totals });
        return { made, plan };
      });
    },
    show: ({ made, plan }) => shown(made, plan, uploadUrl(location), context),
  });
  for (const text of warnings) context.warn(text);
  if (!('version' in made)) return 1;
  return made.partial && !made.isAlready ? 3 : 0;
}

/** What is shown of a commit, or of the parts that it lacks. */
function shown(
  made: CommittedPlan | MissingParts,
  { uploadId, head }: ReadPlan,
  location: string,
  context: Context<'commit'>,
): Shown<Document<'commit'>> {
  if ('version' in made)
    return { document: committedDocument(made), text: () => textOf(committedLines(made, context)) };
  const { missing, requests } = made;
  const missingArray = arraySpec(missing);
  const partCount = head.parts.length;
  const [is, has] = [{ isCommitted: false, partCount, missingParts: missing, missingArray }, missing.length === 1];
  const lines = [
    `${missing.length} of ${formatQuantity(partCount, 'part')} ${has ? 'has' : 'have'} no result that counts: no version was made`,
    fact('missing', missingArray),
    fact('submit', `--array=${missingArray}`),
    fact('or', `archiver work ${shellWord(printable(location))} --part ${missingArray}`),
  ];
  const document = { uploadId, location, datasetId: head.datasetId, ...is, requests };
  return { document, text: () => textOf(lines), isResult: true };
}

/** The JSON document of a commit. */
function committedDocument({ isAlready, totals, leftOut, partial: _partial, ...made }: CommittedPlan) {
  const { files, bytes, storedBytes, chunks } = totals;
  const skipped = { skippedCount: leftOut.count, skipped: leftOut.paths };
  return { ...made, isCommitted: true, alreadyComplete: isAlready, files, bytes, storedBytes, chunks, ...skipped };
}

function committedLines(made: CommittedPlan, context: Context<'commit'>): readonly string[] {
  const { datasetId, location, totals, leftOut, isAlready } = made;
  const { files, bytes, chunks, storedBytes } = totals;
  const name = `version ${versionName(made)} of dataset ${printable(datasetId)}`;
  return [
    isAlready ? `Nothing to do: the plan is ${name}` : `Committed ${name}`,
    fact('location', printable(location)),
    fact('content', amountText(files, 'file', bytes)),
    fact('stored', `${formatBytes(storedBytes)} in ${formatQuantity(chunks, 'chunk')}`),
    ...problemLines('left out', leftOut.paths, lookOf(context.colors.stdout, context.env), leftOut.count),
  ];
}
