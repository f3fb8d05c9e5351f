// What this computer knows: the cost ledger, budgets, saved uploads.
import { hostname } from 'node:os';
import type { Context } from '../../cli/context.js';
import { readBook } from '../../core/budget/book-store.js';
import type { Budget } from '../../core/budget/budget.js';
import { bookUrl, openBook } from '../../core/budget/open-book.js';
import { statusOf } from '../../core/budget/status.js';
import { isUploadId } from '../../core/manifest/upload-id.js';
import { dayOf } from '../../core/ledger/days.js';
import { ledgerFolder, ledgerStamp } from '../../core/ledger/ledger.js';
import { killedRuns } from '../../core/ledger/running.js';
import { NOTHING_SENT, readSentShards, type SentShards } from '../../core/resume/sent-shards.js';
import { savedUploads, statePaths } from '../../core/resume/state-folder.js';
import { createSource, type Source } from '../../stores/dashboard/source.js';
import type { BudgetsRead, DashboardSources, SpendRead, UploadsRead } from '../../stores/dashboard/sources.js';
import { spendingOf } from '../../stores/dashboard/spending.js';
import { stateFolder } from '../kit/saved.js';
import { recordsOf } from '../kit/spent.js';
import type { DashboardValues } from './flags.js';

/** The sources that every dashboard has. */
export function localSources(values: DashboardValues, context: Context): DashboardSources {
  const { now, home, cwd } = context;
  const location = bookUrl({ place: values.budgetStore, home, cwd });
  return {
    spend: createSource({ now, read: (_, before) => readSpend(before, context) }),
    budgets: createSource({
      now,
      read: (signal, before) => readBudgets(location, before, { values, context, signal }),
    }),
    hasSharedBudgets: !location.startsWith('file:'),
    uploads: createSource({ now, read: (_, before) => readUploads(before, context) }),
    sentOf: sentBy(context),
  };
}

/** Sums up anew where something was recorded, or a day is over. */
async function readSpend(before: SpendRead | undefined, { home, now }: Context): Promise<SpendRead> {
  const folder = ledgerFolder(home);
  const killed = (await killedRuns(folder, hostname())).map(({ id }) => id);
  const stamp = [dayOf(now()), await ledgerStamp(folder), ...killed].join(' ');
  if (before?.stamp === stamp) return before;
  const notes: string[] = [];
  const records = await recordsOf({ home, warn: (text) => void notes.push(text) });
  return { ...spendingOf(records, now()), stamp, notes };
}

interface BudgetReading {
  readonly values: DashboardValues;
  readonly context: Context;
  readonly signal: AbortSignal;
}

async function readBudgets(
  location: string,
  before: BudgetsRead | undefined,
  { values, context, signal }: BudgetReading,
): Promise<BudgetsRead> {
  const { profile, endpointUrl, caBundle, budgetStore: place } = values;
  const { env, home, cwd, now } = context;
  const opened = await openBook({ place, home, cwd }, { env, profile, endpointUrl, caBundle, signal });
  try {
    const { global, projects } = await readBook(opened.store, signal);
    const sorted = [...projects].sort(([one], [other]) => (one < other ? -1 : 1));
    const all: readonly (readonly [string | null, Budget])[] = [
      ...(global === null ? [] : [[null, global] as const]),
      ...sorted,
    ];
    const budgets = all.map(([project, budget]) => statusOf(project, budget, now()));
    const isSame = JSON.stringify(budgets) === JSON.stringify(before?.budgets);
    return isSame && before !== undefined ? before : { budgets, location };
  } finally {
    opened.close();
  }
}

async function readUploads(before: UploadsRead | undefined, context: Context): Promise<UploadsRead> {
  const folder = stateFolder(context);
  const found = (await savedUploads(folder).findAll(hostname(), before?.uploads)).toReversed();
  const isSame = before?.uploads.length === found.length && found.every((one, at) => one === before.uploads[at]);
  return isSame ? before : { uploads: found, folder };
}

/** Sources of single uploads. */
function sentBy(context: Context): DashboardSources['sentOf'] {
  let last: { readonly id: string; readonly source: Source<SentShards> } | undefined;
  return (id) => {
    if (last?.id === id) return last.source;
    last?.source.getState().stop();
    const read = async (_: AbortSignal, before: SentShards | undefined): Promise<SentShards> =>
      isUploadId(id) ? await readSentShards(statePaths(stateFolder(context), id).entries, id, before) : NOTHING_SENT;
    last = { id, source: createSource({ now: context.now, read }) };
    return last.source;
  };
}
