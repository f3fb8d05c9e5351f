// Runs `archiver lifecycle`.
import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Messages, Places, Questions, Results, Verbosity } from '../../../cli/context.js';
import { scratchFolder } from '../../../core/store/create-once/create-once.js';
import { ArchiverError, errorText, undefinedOn, usageError } from '../../../core/platform/failures/errors.js';
import { bookedPlace } from '../../../core/cost/price-book.js';
import { roundedUsd } from '../../../core/cost/money.js';
import { alteredRules, type AlteredRule } from '../../../core/money/lifecycle/altered-rules.js';
import {
  type PlannedChange,
  planImport,
  planRemoval,
  planTemplate,
} from '../../../core/money/lifecycle/plan-change.js';
import { missingRules } from '../../../core/money/lifecycle/refused-rules.js';
import { replaceRules } from '../../../core/money/lifecycle/replace-rules.js';
import { isSameSet, ruleChanges } from '../../../core/money/lifecycle/rules.js';
import { templateSavings } from '../../../core/money/lifecycle/savings.js';
import { TEMPLATES, templateOf } from '../../../core/money/lifecycle/templates.js';
import { readRules } from '../../../core/money/lifecycle/validate.js';
import type { RuleSet } from '../../../core/store/bucket-lifecycle.js';
import type { OpenedStore } from '../../../core/store/open-store.js';
import { joinStoreUrl } from '../../../core/store/store-url.js';
import { printable } from '../../../core/platform/paths/raw-path.js';
import { formatBytes, formatQuantity } from '../../../ui/format.js';
import { formatUsd } from '../../../ui/format-usd.js';
import { requireConfirmation } from '../../kit/ask.js';
import { fact, textOf } from '../../kit/lines.js';
import { pricedBy } from '../../kit/prices.js';
import { chosenPrices, type PriceContext, refuseUnknownRegion } from '../chosen-prices.js';
import { type StoreContext, withStore } from '../../kit/store.js';
import { fitLines, type TableContext } from '../../kit/table.js';
import type { LifecycleValues } from './flags.js';
import {
  alteredDocument,
  alteredTexts,
  changeDocument,
  changeLines,
  dangerText,
  ruleLines,
  savingsDocument,
  savingsText,
} from './rule-lines.js';

type Context = Results<'lifecycle'> &
  Messages &
  Places &
  Questions &
  Verbosity &
  StoreContext &
  PriceContext &
  TableContext;

/** Runs the command; returns the exit status. @throws usage, not-found, conflict, and errors of the store */
export async function runLifecycle(
  values: LifecycleValues,
  url: string | undefined,
  context: Context,
): Promise<number> {
  if (values.listTemplates) {
    const templates = TEMPLATES.map(templateOf);
    context.result({ templates }, () => textOf(templates.map(({ template, summary }) => `${template}\n  ${summary}`)));
    return 0;
  }
  const savings = await savingsOf(values, context);
  if (url === undefined) {
    const text = savings === undefined ? '' : await savingsText(savings, context);
    context.result(savings && { templateSavings: savingsDocument(savings) }, () => text);
    return 0;
  }
  const baseUrl = joinStoreUrl(url);
  const call = { baseUrl, values, context };
  if (!baseUrl.startsWith('s3://'))
    throw usageError(`${printable(baseUrl)} is a folder, and only buckets of S3 have lifecycle rules`);
  const text = savings === undefined ? '' : await savingsText(savings, context);
  const { done, requests } = await withStore(call, async (opened) => ({
    done: await carryOut(opened, baseUrl, values, context),
    requests: opened.requests,
  }));
  const { plan, set, isConfirmed, file } = done;
  const document = {
    location: baseUrl,
    lifecycleRules: set.rules,
    ...(file !== undefined && { exportFile: file }),
    ...(plan && {
      ruleChanges: plan.changes.map(changeDocument),
      waitingChunks: plan.waitingChunks,
      waitingBytes: plan.waitingBytes,
      ...(plan.transitionUsd !== undefined && { transitionUsd: roundedUsd(plan.transitionUsd) }),
      uploadsLeftOut: plan.leftOut,
      dryRun: values.dryRun,
      isConfirmed,
      ...(done.altered && { rulesAltered: done.altered.map(alteredDocument) }),
    }),
    ...(savings && { templateSavings: savingsDocument(savings) }),
    requests,
  };
  const result = await fitLines(resultLines(done, values, context.verbose), context);
  context.result(document, () => text + result);
  if (isConfirmed !== false) return 0;
  warnOfOthers(done.altered ?? [], context);
  return 3;
}

/** Warns that the bucket shows other rules than were written. */
function warnOfOthers(altered: readonly AlteredRule[], context: Messages & Verbosity): void {
  if (altered.length === 0)
    context.warn(
      'the bucket shows other rules than were written: somebody else has changed them since; run the command again',
    );
  for (const text of alteredTexts(altered, context.verbose)) context.warn(text);
}

interface Done {
  /** The rules of the bucket now, or in a dry run as they would be. */
  readonly set: RuleSet;
  readonly plan?: PlannedChange;
  /** Null when nothing was written. */
  readonly isConfirmed?: boolean | null;
  /** The rules that the store keeps differently from what was sent; absent where somebody else may have changed them. */
  readonly altered?: readonly AlteredRule[];
  readonly file?: string;
}

async function savingsOf(values: LifecycleValues, context: Context) {
  const { template, estimateSize } = values;
  if (template === undefined || estimateSize === undefined) return undefined;
  const prices = await chosenPrices({ ...values, realTimePricing: false }, context);
  await refuseUnknownRegion(prices);
  return templateSavings(templateOf(template), Math.round(estimateSize * prices.bytesAGB), prices);
}

async function carryOut(
  opened: OpenedStore,
  baseUrl: string,
  values: LifecycleValues,
  context: Context,
): Promise<Done> {
  const { store, lifecycle } = opened;
  if (lifecycle === undefined) throw usageError(`${printable(baseUrl)} has no lifecycle rules`);
  const { signal, cwd } = context;
  const { template, dryRun, remove } = values;
  const before = await lifecycle.read(signal);
  if (values.export !== undefined) {
    const file = resolve(cwd, values.export);
    await writeNew(file, before);
    return { set: before, file };
  }
  const from = { before, store, signal };
  const { provider, book } = pricedBy(context, opened);
  const plan =
    template !== undefined
      ? await planTemplate(
          from,
          templateOf(template),
          book(bookedPlace({ ...opened, region: opened.region, provider })),
        )
      : values.import !== undefined
        ? await planImport(from, await readFileRules(resolve(cwd, values.import)))
        : remove
          ? planRemoval(from)
          : undefined;
  if (plan === undefined) return { set: before };
  for (const danger of plan.dangers) context.warn(`${dangerText(danger)}; it was made by somebody else`);
  const { changes, after, isAllSeen } = plan;
  if (isAllSeen === false)
    context.warn(
      `${printable(baseUrl)} has more folders than were looked into: make sure that the rules harm no store in them`,
    );
  if (dryRun || changes.length === 0) return { set: after, plan, isConfirmed: null };
  context.note(changeLines(changes, context.verbose).join('\n'));
  await requireConfirmation(context, `Change the rules of ${printable(baseUrl)} like this?`, 'no rule was changed');
  const askClasses = async () => {
    const { supportedClasses } = await import('../../../core/store/storage-classes/supported-classes.js');
    return await supportedClasses(opened, { folder: scratchFolder(context.now), randomBytes, signal }, provider);
  };
  const { sent, kept } = await replaceRules(lifecycle, before, after, { askClasses, signal });
  for (const rule of missingRules(sent, after))
    context.warn(`this store takes no rule that aborts unfinished uploads: ${printable(rule.ID ?? '')} was left out`);
  const altered = alteredRules(sent, kept);
  return {
    set: kept,
    plan: { ...plan, changes: ruleChanges(before, sent) },
    isConfirmed: isSameSet(kept, sent),
    ...(altered && { altered }),
  };
}

async function writeNew(file: string, { rules, minimumSize }: RuleSet): Promise<void> {
  const document = { Rules: rules, ...(minimumSize && { TransitionDefaultMinimumObjectSize: minimumSize }) };
  const written = await writeFile(file, `${JSON.stringify(document, undefined, 2)}\n`, { flag: 'wx' })
    .then(() => true)
    .catch(undefinedOn('EEXIST'));
  if (written === undefined) throw usageError(`${printable(file)} is there already; name a new file`);
}

async function readFileRules(file: string) {
  const text = await readFile(file, 'utf8').catch(undefinedOn('ENOENT'));
  if (text === undefined) throw new ArchiverError('not-found', `there is no file ${printable(file)}`);
  const document = ((): unknown => {
    try {
      return JSON.parse(text);
    } catch (error) {
      throw usageError(`${printable(file)} is no JSON: ${printable(errorText(error))}`);
    }
  })();
  const { rules, problems } = readRules(document);
  if (problems.length > 0)
    throw usageError(
      `${printable(file)} has rules that S3 does not take: ${printable(problems.slice(0, 5).join('; '))}${problems.length > 5 ? `; and ${problems.length - 5} more` : ''}`,
    );
  return rules;
}

function resultLines(
  { set, plan, isConfirmed, file }: Done,
  { dryRun }: LifecycleValues,
  isVerbose: boolean,
): readonly string[] {
  const count = formatQuantity(set.rules.length, 'rule');
  if (file !== undefined) return [`wrote ${count} to ${printable(file)}`];
  if (plan === undefined) return [set.rules.length === 0 ? 'no rules' : count, ...ruleLines(set.rules, isVerbose)];
  const { changes, waitingChunks, waitingBytes, transitionUsd, leftOut } = plan;
  if (changes.length === 0) return [`nothing to change: the bucket has these rules already (${count})`];
  const done = dryRun ? 'would change' : 'changed';
  return [
    `${done} ${formatQuantity(changes.length, 'rule')}; the bucket ${dryRun ? 'would have' : 'has'} ${count}`,
    ...(dryRun ? changeLines(changes, isVerbose) : []),
    // If the bucket shows other rules than were written, it is not known what moves.
    ...(waitingChunks === undefined || isConfirmed === false
      ? []
      : [
          fact('moves', `${formatQuantity(waitingChunks, 'chunk')}, ${formatBytes(waitingBytes ?? 0)}`),
          fact('requests', `${formatUsd(transitionUsd ?? null)} for all moves`),
        ]),
    ...(leftOut
      ? [
          fact(
            'left out',
            `${formatQuantity(leftOut, 'upload')}, the newest: a bucket takes 1000 rules; run it again when others have moved`,
          ),
        ]
      : []),
    ...(isConfirmed === null && dryRun ? ['Nothing was changed (--dry-run).'] : []),
  ];
}
