// A row of the Uploads view as text, whichever kind it is.
import { savedStatus } from '../../../core/archive/resume/describe-state.js';
import type { FoundState } from '../../../core/archive/resume/state-folder.js';
import type { SeenPlan } from '../../../core/archive/parts/living-plans.js';
import { uploadUrlOf } from '../../../core/store/ids/upload-id.js';
import { shareDone, sourceOf, statusOf, type UploadRow } from '../../../stores/dashboard/upload-list.js';
import type { Tone } from '../../../ui/theme.js';
import { planBytesText, planFilesText, planLeftText, planSpeedText, planTone } from './plan-rows.js';
import { bytesText, filesText, leftText, rateText, STATUS_TONES } from './saved-rows.js';

export interface RowCells {
  readonly id: string;
  readonly status: string;
  readonly tone: Tone;
  readonly source: string;
  readonly destination: string;
  readonly files: string;
  readonly bytes: string;
  /** 0 to 1; undefined when nothing is known about it. */
  readonly share: number | undefined;
  readonly rate: string;
  readonly left: string;
}

export interface RowContext {
  /** Of the store that has the plans. */
  readonly storeUrl: string;
  /** When uploads of this computer were read, in ms since 1970. */
  readonly nowMs: number;
}

/** The cells of a row. */
export const rowCells = (row: UploadRow, context: RowContext): RowCells => ({
  id: row.id,
  status: statusOf(row),
  source: sourceOf(row),
  share: shareDone(row),
  ...(row.kind === 'saved' ? savedCells(row.upload, context) : planCells(row.plan, context)),
});

type OwnCells = Omit<RowCells, 'id' | 'status' | 'source' | 'share'>;

const savedCells = (upload: FoundState, { nowMs }: RowContext): OwnCells => ({
  tone: STATUS_TONES[savedStatus(upload)],
  destination: upload.document?.destination ?? '',
  files: filesText(upload),
  bytes: bytesText(upload),
  rate: upload.holder === undefined ? '-' : rateText(upload, nowMs),
  left: leftText(upload, nowMs),
});

function planCells(seen: SeenPlan, { storeUrl }: RowContext): OwnCells {
  const place = { tone: planTone(seen), destination: uploadUrlOf(storeUrl, seen.uploadId) };
  if (seen.problem !== null) return { ...place, files: '-', bytes: '-', rate: '-', left: '-' };
  const { status } = seen;
  return {
    ...place,
    files: planFilesText(status),
    bytes: planBytesText(status),
    rate: planSpeedText(status),
    left: planLeftText(status),
  };
}
