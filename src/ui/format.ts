// Numbers for people: one unit style, never NaN, never truncated. Machines get raw integers elsewhere.

const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB', 'EiB'] as const;
const UNKNOWN = '-';

const isAmount = (value: number): boolean => Number.isFinite(value) && value >= 0;

/** Index of the unit in which `bytes` shows as less than 1024 after rounding. */
function unitIndex(bytes: number): number {
  let index = 0;
  let value = bytes;
  // 1023.96 KiB would print as "1024 KiB": compare the printed value, not the stored one.
  while (Math.round(value) >= 1024 && index < UNITS.length - 1) {
    value /= 1024;
    index += 1;
  }
  return index;
}

function inUnit(bytes: number, index: number): string {
  const value = bytes / 1024 ** index;
  if (index === 0 || value >= 99.95) return String(Math.round(value));
  return value.toFixed(1);
}

/** Bytes in IEC units: `512 B`, `1.8 GiB`, `116 GiB`. */
export function formatBytes(bytes: number): string {
  if (!isAmount(bytes)) return UNKNOWN;
  const index = unitIndex(bytes);
  return `${inUnit(bytes, index)} ${UNITS[index] ?? 'B'}`;
}

/** Two amounts in the unit of the second, for "71.2 of 116 GiB". */
export function formatBytesPair(done: number, total: number): { done: string; total: string; unit: string } {
  const index = unitIndex(isAmount(total) ? total : 0);
  const part = (bytes: number): string => (isAmount(bytes) ? inUnit(bytes, index) : UNKNOWN);
  return { done: part(done), total: part(total), unit: UNITS[index] ?? 'B' };
}

/** A count with a space between thousands: `13 290`. */
export function formatCount(count: number): string {
  return isAmount(count) ? String(Math.round(count)).replaceAll(/\B(?=(\d{3})+$)/g, ' ') : UNKNOWN;
}

/** A count with its noun: `1 file`, `13 290 files`. */
export function formatQuantity(count: number, noun: string): string {
  return `${formatCount(count)} ${noun}${count === 1 ? '' : 's'}`;
}

/** Bytes a second: `118 MiB/s`. */
export function formatRate(bytesPerSecond: number): string {
  return isAmount(bytesPerSecond) ? `${formatBytes(bytesPerSecond)}/s` : UNKNOWN;
}

/** A fraction as whole percent, rounded down so that 100% means done. */
export function formatPercent(fraction: number): string {
  if (Number.isNaN(fraction)) return UNKNOWN;
  return `${Math.floor(Math.min(1, Math.max(0, fraction)) * 100)}%`;
}

/** The ratio of file sizes to stored bytes, in words: `1.9x smaller`, `same size`, `1.2x larger`. */
export function formatSaving(ratio: number): string {
  if (ratio >= 1.05) return `${formatRatio(ratio)} smaller`;
  return ratio > 0 && ratio < 0.95 ? `${formatRatio(1 / ratio)} larger` : 'same size';
}

/** A ratio: `1.9x`. */
export function formatRatio(ratio: number, digits = 1): string {
  return isAmount(ratio) ? `${ratio.toFixed(digits)}x` : UNKNOWN;
}

const twoDigits = (value: number): string => String(value).padStart(2, '0');

/** A duration in its two largest units: `0.4s`, `41s`, `4m02s`, `3h 12m`, `1d 4h`. */
export function formatDuration(milliseconds: number): string {
  if (!isAmount(milliseconds)) return UNKNOWN;
  if (milliseconds < 950) return `${(milliseconds / 1000).toFixed(1)}s`;
  const seconds = Math.round(milliseconds / 1000);
  if (seconds < 60) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return seconds % 60 === 0 ? `${minutes}m` : `${minutes}m${twoDigits(seconds % 60)}s`;
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return `${hours}h ${minutes % 60}m`;
  return `${Math.floor(hours / 24)}d ${hours % 24}h`;
}
