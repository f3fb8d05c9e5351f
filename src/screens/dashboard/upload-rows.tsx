// Saved uploads as text.
import { savedStatus, stateDocument, timeLeftMs, type SavedStatus } from '../../core/archive/resume/describe-state.js';
import type { FoundState } from '../../core/archive/resume/state-folder.js';
import type { DashboardSources } from '../../stores/dashboard/sources.js';
import { formatBytesPair, formatCount, formatDuration, formatRate } from '../../ui/format.js';
import { Gauge } from '../../ui/gauge.js';
import { Tint, type Tone } from '../../ui/theme.js';
import type { ReactElement } from 'react';

/** Colours of the states, which are shown as words as well. */
export const STATUS_TONES: Readonly<Record<SavedStatus, Tone>> = {
  running: 'good',
  interrupted: 'warn',
  complete: 'plain',
  unreadable: 'bad',
};

/** Stored part of the source, 0 to 1; undefined when nothing is known about it. */
export function shareDone({ document }: FoundState): number | undefined {
  if (document === undefined) return undefined;
  const { done, totals } = document;
  return totals.bytes === 0 ? Number(done.files >= totals.files) : Math.min(1, done.bytes / totals.bytes);
}

/** The stored part as a bar, exactly `width` columns wide. */
export function DoneGauge({
  upload,
  width,
}: {
  readonly upload: FoundState | undefined;
  readonly width: number;
}): ReactElement {
  const share = upload && shareDone(upload);
  return share === undefined ? <Tint>{' '.repeat(width)}</Tint> : <Gauge share={share} width={width} tone="accent" />;
}

/** Bytes a second since this run began; the status for an upload that is not running. */
export function rateText(upload: FoundState): string {
  const status = savedStatus(upload);
  if (status !== 'running' || upload.document === undefined) return status;
  const { done, found, startedAt, updatedAt } = upload.document;
  const tookMs = Date.parse(updatedAt) - Date.parse(startedAt);
  return tookMs > 0 ? formatRate(((done.bytes - found.bytes) / tookMs) * 1000) : '-';
}

/** Time left at that speed. `nowMs`: milliseconds since 1970. */
export function leftText(upload: FoundState, nowMs: number): string {
  const leftMs = timeLeftMs(upload, nowMs);
  return leftMs === undefined ? '-' : formatDuration(leftMs);
}

/** `71.2/116 GiB`. */
export function bytesText({ document }: FoundState): string {
  if (document === undefined) return '-';
  const { done, total, unit } = formatBytesPair(
    Math.min(document.done.bytes, document.totals.bytes),
    document.totals.bytes,
  );
  return `${done}/${total} ${unit}`;
}

/** `8 112/13 290`. */
export const filesText = ({ document }: FoundState): string =>
  document === undefined
    ? '-'
    : `${formatCount(Math.min(document.done.files, document.totals.files))}/${formatCount(document.totals.files)}`;

/** Sorts running uploads first, then the newest. */
export function byStatus(one: FoundState, other: FoundState): number {
  const rank = (upload: FoundState): number => (savedStatus(upload) === 'running' ? 0 : 1);
  return rank(one) - rank(other) || (one.id < other.id ? 1 : -1);
}

/** True while a process of this computer, or of another one that shares its home, is working on one of them. */
export const isRunning = ({ getState }: DashboardSources['uploads']): boolean =>
  (getState().value?.uploads ?? []).some(({ holder }) => holder !== undefined);

/** All uploads as data; undefined when they were not read. */
export function uploadDocuments({ uploads }: DashboardSources) {
  const { value, readAt } = uploads.getState();
  return value?.uploads.map((one) => stateDocument(one, readAt?.getTime() ?? 0));
}
