// The cells that rows of entries begin with.
import type { Entry } from '../../core/manifest/manifest-types.js';
import { formatTimestamp } from '../../core/manifest/timestamp.js';
import { formatBytes } from '../../ui/format.js';

const SIZE_WIDTH = 10;
const TIME_LENGTH = 'YYYY-MM-DDTHH:MM:SS'.length;

/** The line above them. */
export const SIZE_AND_TIME = `${'SIZE'.padStart(SIZE_WIDTH)}  ${'MODIFIED (UTC)'.padEnd(TIME_LENGTH)}`;

/** Size and time of an entry. */
export function sizeAndTime({ size, mtime }: Pick<Entry, 'size' | 'mtime'>): string {
  const time = formatTimestamp(mtime.seconds, mtime.nanos).slice(0, -'.123456789Z'.length).replace('T', ' ');
  return `${formatBytes(size).padStart(SIZE_WIDTH)}  ${time}`;
}
