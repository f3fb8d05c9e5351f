// Uploads of this computer that run or can be continued, plans of the store, and details of the one under the cursor.
import { Box } from 'ink';
import type { ReactElement } from 'react';
import { savedStatus } from '../../../core/archive/resume/describe-state.js';
import type { SeenPlan } from '../../../core/archive/parts/living-plans.js';
import { stateOfPlan } from '../../../core/archive/parts/plan-status.js';
import type { FoundState } from '../../../core/archive/resume/state-folder.js';
import { uploadUrlOf } from '../../../core/store/ids/upload-id.js';
import type { BrowseRequest } from '../../../stores/dashboard/dashboard-store.js';
import { uploadList, type UploadRow } from '../../../stores/dashboard/upload-list.js';
import { Empty } from '../../../ui/empty.js';
import { formatQuantity } from '../../../ui/format.js';
import { useSize } from '../../../ui/size.js';
import { BETWEEN, type Message } from '../../../ui/status.js';
import { useNames } from '../../use-names.js';
import {
  type Dashboard,
  rowAtCursor,
  useDashboard,
  useRows,
  useSource,
  useStoreSources,
} from '../dashboard-context.js';
import { BelowReason } from '../outage.js';
import { PlanDetails } from '../uploads/plan-details.js';
import { noPlansText, plansDocument, plansMessage } from '../uploads/plan-summary.js';
import { SavedDetails } from '../uploads/saved-details.js';
import { isRunning, uploadDocuments } from '../uploads/saved-rows.js';
import { UploadTable } from '../uploads/upload-table.js';
import type { DashboardView } from '../view.js';

/** Facts below the list, including the rows of their title and the gap above it. */
const SHORT_FACTS = 6;
const LEAST_LIST = 5;

function Uploads(): ReactElement {
  const { store } = useDashboard().sources;
  return store === undefined ? <Rows /> : <WithPlans />;
}

/** Draws the rows again when plans were read, too. */
function WithPlans(): ReactElement {
  const { plans } = useStoreSources();
  useSource(plans);
  return (
    <BelowReason source={plans}>
      <Rows />
    </BelowReason>
  );
}

function Rows(): ReactElement {
  const { sources } = useDashboard();
  const { rows: room } = useSize();
  const { value, problem } = useSource(sources.uploads);
  const { rows, cursor, place } = useRows(uploadList);
  const row = rows[cursor];
  if (value === undefined && rows.length === 0) return <Empty sentence={problem ?? 'reading'} next="" />;
  if (rows.length === 0) return <NoRows folder={value?.folder ?? ''} problem={problem} />;
  if (place.isOpen && row !== undefined) return <Details row={row} rows={room} isLarge />;
  const below = room - SHORT_FACTS >= LEAST_LIST ? SHORT_FACTS : 0;
  const list = Math.min(rows.length + 1, room - below);
  return (
    <Box flexDirection="column">
      <UploadTable rows={rows} cursor={cursor} height={list} />
      {row !== undefined && room - list > 2 && (
        <Box paddingTop={1}>
          <Details row={row} rows={room - list - 1} />
        </Box>
      )}
    </Box>
  );
}

interface DetailsProps {
  readonly row: UploadRow;
  readonly rows: number;
  readonly isLarge?: boolean;
}

const Details = ({ row, rows, isLarge = false }: DetailsProps): ReactElement =>
  row.kind === 'saved' ? (
    <SavedDetails upload={row.upload} rows={rows} isLarge={isLarge} />
  ) : (
    <PlanDetails seen={row.plan} rows={rows} />
  );

function NoRows({ folder, problem }: { readonly folder: string; readonly problem: string | undefined }): ReactElement {
  const { sources, target } = useDashboard();
  const names = useNames();
  if (uploadList.total(sources) > 0) return <Empty sentence="No upload matches." next="esc clears the filter." />;
  const here = problem ?? 'No upload is running on this computer, and none was interrupted.';
  const plans = noPlansText(sources, names(target.url ?? ''));
  const noted = `While archiver upload, sync or create upload runs, it is noted in ${names(folder)}.`;
  return <Empty sentence={plans === undefined ? here : `${here} ${plans}`} next={noted} />;
}

/** Of uploads of this computer, or what continues the one under the cursor. */
function savedMessage(dashboard: Dashboard): Message {
  const all = dashboard.sources.uploads.getState();
  if (all.problem !== undefined) return { text: all.problem, tone: 'bad' };
  const uploads = all.value?.uploads ?? [];
  const row = rowAtCursor(uploadList, dashboard);
  if (row?.kind === 'saved' && savedStatus(row.upload) === 'interrupted')
    return { text: `Continue it with: archiver resume ${row.id}` };
  const damaged = uploads.filter(({ document }) => document === undefined).length;
  if (damaged > 0)
    return {
      text: `${formatQuantity(damaged, 'state file')} cannot be read; archiver resume clean removes them`,
      tone: 'warn',
    };
  return { text: `${formatQuantity(uploads.filter(({ holder }) => holder !== undefined).length, 'upload')} running` };
}

const TONES: readonly Message['tone'][] = ['bad', 'warn'];

/** Both kinds of rows in one line: what is wrong comes first. */
function summary(dashboard: Dashboard): Message {
  const plans = plansMessage(dashboard.sources);
  const saved = savedMessage(dashboard);
  const both = [saved, ...(plans === undefined ? [] : [plans])].toSorted(
    (one, other) => Number(other.tone === 'bad') - Number(one.tone === 'bad'),
  );
  const tone = TONES.find((one) => both.some((message) => message.tone === one));
  return { text: both.map(({ text }) => text).join(BETWEEN), ...(tone === undefined ? {} : { tone }) };
}

function browsableUpload({ document }: FoundState): BrowseRequest | { readonly refusal: string } {
  if (document === undefined) return { refusal: 'there is nothing to browse' };
  const { status, storeUrl, uploadIds, uploadId, endpoint } = document;
  if (status !== 'complete') return { refusal: `it has no manifest yet: archiver resume ${uploadId} completes it` };
  return { url: uploadUrlOf(storeUrl, uploadIds.at(-1) ?? uploadId), endpointUrl: endpoint };
}

function browsablePlan(seen: SeenPlan): { readonly refusal: string } {
  if (seen.problem !== null) return { refusal: 'there is nothing to browse' };
  const isDone = stateOfPlan(seen.status) === 'done';
  return { refusal: `it has no manifest yet: archiver commit makes it${isDone ? '' : ' when all parts are done'}` };
}

export const uploadsView: DashboardView = {
  id: 'uploads',
  title: 'Uploads',
  reads: ({ uploads, store }) => [uploads, ...(store === undefined ? [] : [store.plans])],
  live: ({ uploads }) => (isRunning(uploads) ? [uploads] : []),
  list: uploadList,
  View: Uploads,
  summary,
  browsable(dashboard) {
    const row = rowAtCursor(uploadList, dashboard);
    if (row === undefined) return { refusal: 'there is nothing to browse' };
    return row.kind === 'saved' ? browsableUpload(row.upload) : browsablePlan(row.plan);
  },
  toJson: ({ sources, target }) => ({
    uploads: uploadDocuments(sources),
    folder: sources.uploads.getState().value?.folder,
    ...plansDocument(sources, target),
  }),
};
