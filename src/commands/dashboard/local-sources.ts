// Sources of the dashboard on this computer: the cost ledger, budgets, saved uploads.
import { hostname } from 'node:os';
import type { Clock, Environment, Places } from '../../cli/context.js';
import { BOOK_KEY, readBook } from '../../core/money/budget/book-store.js';
import type { Budget } from '../../core/money/budget/budget.js';
import { bookUrl, openBook } from '../../core/money/budget/open-book.js';
import { statusOf } from '../../core/money/budget/status.js';
import { isUploadId } from '../../core/store/ids/upload-id.js';
import { dayOf } from '../../core/money/ledger/days.js';
import { ledgerFolder, ledgerStamp } from '../../core/money/ledger/ledger.js';
import { killedRuns } from '../../core/money/ledger/running.js';
import { NOTHING_SENT, readSentShards, type SentShards } from '../../core/archive/resume/sent-shards.js';
import { findUploads, savedUploads, statePaths } from '../../core/archive/resume/state-folder.js';
import { createSource, type Source } from '../../stores/dashboard/source.js';
import type { BudgetsRead, DashboardSources, SpendRead, UploadsRead } from '../../stores/dashboard/sources.js';
import { spendingOf } from '../../stores/dashboard/spending.js';
import { stateFolder } from '../kit/saved.js';
import { recordsOf } from '../money/spent.js';
import type { DashboardValues } from './flags.js';

const MINUTE_MS = 60_000;

type LocalValues = Pick<DashboardValues, 'budgetStore' | 'profile' | 'endpointUrl' | 'caBundle'>;

export type LocalContext = Clock & Environment & Pick<Places, 'home' | 'cwd'>;

/** The sources that every dashboard has. */
export function localSources(values: LocalValues, context: LocalContext): DashboardSources {
  const { now, home, cwd } = context;
  const location = bookUrl({ place: values.budgetStore, home, cwd });
  return {
    spend: createSource({ now, read: (signal, before) => readSpend(before, { ...context, signal }) }),
    budgets: createSource({
      now,
      read: (signal, before) => readBudgets(location, before, { values, context, signal }),
    }),
    hasSharedBudgets: !location.startsWith('file:'),
    uploads: createSource({ now, read: (_, before) => readUploads(before, context) }),
    sentOf: sentBy(context),
  };
}

/** Sums up again when something was recorded, or a new day began. */
async function readSpend(
  before: SpendRead | undefined,
  { now, ...context }: LocalContext & { readonly signal: AbortSignal },
): Promise<SpendRead> {
  const folder = ledgerFolder(context.home);
  const killed = (await killedRuns(folder, hostname())).map(({ id }) => id);
  const stamp = [dayOf(now()), await ledgerStamp(folder), ...killed].join(' ');
  if (before?.stamp === stamp) return before;
  const notes: string[] = [];
  // Without settings: this view asks no store for anything.
  const records = await recordsOf({ ...context, settings: {}, warn: (text) => void notes.push(text) });
  return { ...spendingOf(records, now()), stamp, notes };
}

interface BudgetReading {
  readonly values: LocalValues;
  readonly context: LocalContext;
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
    const { store } = opened;
    // The rate of a budget changes with time alone, but not visibly within a minute.
    const minute = Math.floor(now().getTime() / MINUTE_MS);
    const isLocal = location.startsWith('file:');
    const stamp = isLocal ? `${minute} ${(await store.head(BOOK_KEY, signal))?.etag}` : undefined;
    if (before !== undefined && stamp !== undefined && before.stamp === stamp) return before;
    const { global, projects, reservations } = await readBook(store, signal);
    const sorted = [...projects].sort(([one], [other]) => (one < other ? -1 : 1));
    const all: readonly (readonly [string | null, Budget])[] = [
      ...(global === null ? [] : [[null, global] as const]),
      ...sorted,
    ];
    return { budgets: all.map(([project, budget]) => statusOf(project, budget, now(), reservations)), location, stamp };
  } finally {
    opened.close();
  }
}

/** Files that are written while a folder is read may leave its mtime unchanged. */
const SETTLED_MS = 2000;

/** Reads the folder again when something in it was written, or a process that may have ended was working on something. */
async function readUploads(before: UploadsRead | undefined, context: LocalContext): Promise<UploadsRead> {
  const folder = stateFolder(context);
  const changedMs = await savedUploads(folder).changedMs();
  if (before?.settledMs === changedMs) return before;
  const uploads = (await findUploads(folder, hostname(), before?.uploads)).toReversed();
  const isIdle =
    uploads.every(({ holder }) => holder === undefined) && context.now().getTime() - changedMs > SETTLED_MS;
  const settledMs = isIdle ? changedMs : undefined;
  const isSame = before?.uploads.length === uploads.length && uploads.every((one, at) => one === before.uploads[at]);
  return isSame && before.settledMs === settledMs
    ? before
    : { uploads: isSame ? before.uploads : uploads, folder, settledMs };
}

/** Returns sources for single uploads. */
function sentBy(context: LocalContext): DashboardSources['sentOf'] {
  let last: { readonly id: string; readonly source: Source<SentShards> } | undefined;
  return (id) => {
    if (last?.id === id) return last.source;
    const read = async (_: AbortSignal, before: SentShards | undefined): Promise<SentShards> =>
      isUploadId(id) ? await readSentShards(statePaths(stateFolder(context), id).entries, id, before) : NOTHING_SENT;
    last = { id, source: createSource({ now: context.now, read }) };
    return last.source;
  };
}
