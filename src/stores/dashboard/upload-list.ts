// Uploads of this computer, and plans of the store, as rows of one list. Pure.
import type { SeenPlan } from '../../core/archive/parts/living-plans.js';
import { PART_WORDS, type PlanStatus, stateOfPlan } from '../../core/archive/parts/plan-status.js';
import { savedProgress, savedStatus, shareOf } from '../../core/archive/resume/describe-state.js';
import type { FoundState } from '../../core/archive/resume/state-folder.js';
import { displayPath } from '../../core/platform/paths/raw-path.js';
import type { DashboardSources } from './sources.js';
import { listModel, type Row } from './view-model.js';

export type UploadRow =
  | { readonly kind: 'saved'; readonly id: string; readonly upload: FoundState }
  | { readonly kind: 'plan'; readonly id: string; readonly plan: SeenPlan };

/** The state of a row in a word or two. */
export function statusOf(row: UploadRow): string {
  if (row.kind === 'saved') return savedStatus(row.upload);
  return row.plan.problem === null ? PART_WORDS[stateOfPlan(row.plan.status)] : 'unreadable';
}

/** The sources of an upload, or the reason why they are not known. */
export function sourceOf(row: UploadRow): string {
  if (row.kind === 'plan') return row.plan.problem ?? displayPath(row.plan.plan.head.source.path);
  const { document, problem } = row.upload;
  return document?.sources.join(' ') ?? problem?.message ?? '';
}

/** The part that is done, 0 to 1; undefined when nothing is known about it. */
export function shareDone(row: UploadRow): number | undefined {
  if (row.kind === 'saved') return savedShare(row.upload);
  return row.plan.problem === null ? shareOfPlan(row.plan.status) : undefined;
}

/** The same of an upload of this computer. */
export function savedShare(upload: FoundState): number | undefined {
  const known = savedProgress(upload);
  return known && shareOf(known);
}

/** By bytes, and by parts where files have none. */
function shareOfPlan({ parts, bytes, bytesDone }: PlanStatus): number {
  return bytes > 0 ? bytesDone / bytes : parts.filter(({ state }) => state === 'done').length / parts.length;
}

const newest = (one: Row, other: Row): number => (one.id < other.id ? 1 : -1);

/** Sorts running ones first, then the newest. */
const runningFirst =
  <T extends Row>(isRunning: (row: T) => boolean) =>
  (one: T, other: T): number =>
    Number(isRunning(other)) - Number(isRunning(one)) || newest(one, other);

/** Uploads that are not complete, running ones first. */
export const openUploads = (uploads: readonly FoundState[]): readonly FoundState[] =>
  uploads
    .filter((upload) => savedStatus(upload) !== 'complete')
    .toSorted(runningFirst((upload) => savedStatus(upload) === 'running'));

const doneOf = (row: UploadRow): number => shareDone(row) ?? -1;

function textOf(row: UploadRow): string {
  if (row.kind === 'saved')
    return [row.id, statusOf(row), sourceOf(row), row.upload.document?.destination ?? ''].join(' ');
  const { plan } = row;
  const hosts = plan.problem === null ? plan.status.parts.map(({ attempt }) => attempt?.host ?? '') : [];
  const dataset = plan.problem === null ? plan.plan.head.datasetId : '';
  return [row.id, 'plan', statusOf(row), sourceOf(row), dataset, ...new Set(hosts)].join(' ');
}

const NO_UPLOADS: readonly FoundState[] = [];
const NO_PLANS: readonly SeenPlan[] = [];
/** Keeps the same rows while neither uploads nor plans change. */
let last: {
  readonly uploads: readonly FoundState[];
  readonly plans: readonly SeenPlan[];
  readonly rows: readonly UploadRow[];
} = { uploads: NO_UPLOADS, plans: NO_PLANS, rows: [] };

function rowsOf({ uploads: saved, store }: DashboardSources): readonly UploadRow[] {
  const uploads = saved.getState().value?.uploads ?? NO_UPLOADS;
  const plans = store?.plans.getState().value?.plans ?? NO_PLANS;
  if (last.uploads === uploads && last.plans === plans) return last.rows;
  const rows: readonly UploadRow[] = [
    ...uploads.map((upload) => ({ kind: 'saved', id: upload.id, upload }) as const),
    ...plans.map((plan) => ({ kind: 'plan', id: plan.uploadId, plan }) as const),
  ];
  last = { uploads, plans, rows };
  return rows;
}

export const uploadList = listModel<UploadRow>({
  items: rowsOf,
  text: textOf,
  sorts: [
    ['status', runningFirst((row) => statusOf(row) === 'running')],
    ['newest', newest],
    ['source', (one, other) => sourceOf(one).localeCompare(sourceOf(other), 'en')],
    ['done', (one, other) => doneOf(other) - doneOf(one)],
  ],
});
