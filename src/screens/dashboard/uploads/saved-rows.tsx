// Saved uploads as text.
import {
  savedProgress,
  savedStatus,
  stateDocument,
  timeLeftMs,
  type SavedStatus,
} from '../../../core/archive/resume/describe-state.js';
import type { FoundState } from '../../../core/archive/resume/state-folder.js';
import type { DashboardSources } from '../../../stores/dashboard/sources.js';
import { formatBytesPair, formatCount, formatDuration, formatRate } from '../../../ui/format.js';
import { Gauge } from '../../../ui/gauge.js';
import { Tint, type Tone } from '../../../ui/theme.js';
import type { ReactElement } from 'react';

/** Colours of the states, which are shown as words as well. */
export const STATUS_TONES: Readonly<Record<SavedStatus, Tone>> = {
  running: 'good',
  interrupted: 'warn',
  complete: 'plain',
  unreadable: 'bad',
};

/** The part that is done as a bar, exactly `width` columns wide. */
export function DoneGauge({
  share,
  width,
}: {
  readonly share: number | undefined;
  readonly width: number;
}): ReactElement {
  return share === undefined ? <Tint>{' '.repeat(width)}</Tint> : <Gauge share={share} width={width} tone="accent" />;
}

/** Figures of a running upload that are older than this say so. */
const OLD_MS = 10_000;

/**
 * Bytes a second since this run began, or the age of figures that stand still; the status for an upload that is not running. `nowMs`:
 * milliseconds since 1970.
 */
export function rateText(upload: FoundState, nowMs: number): string {
  const status = savedStatus(upload);
  const known = savedProgress(upload);
  if (status !== 'running' || upload.document === undefined || known === undefined) return status;
  const ageMs = nowMs - known.atMs;
  if (ageMs > OLD_MS) return `${formatDuration(ageMs)} old`;
  const tookMs = known.atMs - Date.parse(upload.document.startedAt);
  return tookMs > 0 ? formatRate((known.sentBytes / tookMs) * 1000) : '-';
}

/** Time left at that speed. `nowMs`: milliseconds since 1970. */
export function leftText(upload: FoundState, nowMs: number): string {
  const leftMs = timeLeftMs(upload, nowMs);
  return leftMs === undefined ? '-' : formatDuration(leftMs);
}

/** `71.2/116 GiB`. */
export function bytesText(upload: FoundState): string {
  const known = savedProgress(upload);
  if (known === undefined) return '-';
  const { done, total, unit } = formatBytesPair(known.bytes, known.of.bytes);
  return `${done}/${total} ${unit}`;
}

/** `8 112/13 290`. */
export function filesText(upload: FoundState): string {
  const known = savedProgress(upload);
  return known === undefined ? '-' : `${formatCount(known.files)}/${formatCount(known.of.files)}`;
}

/** True while a process of this computer, or of another one that shares its home, is working on one of them. */
export const isRunning = ({ getState }: DashboardSources['uploads']): boolean =>
  (getState().value?.uploads ?? []).some(({ holder }) => holder !== undefined);

/** All uploads as data; undefined when they were not read. */
export function uploadDocuments({ uploads }: DashboardSources) {
  const { value, readAt } = uploads.getState();
  return value?.uploads.map((one) => stateDocument(one, readAt?.getTime() ?? 0));
}
