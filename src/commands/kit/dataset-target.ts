// Finds the place where a command looks for datasets: S3_URL, or the part of it that belongs to one writer. Commands import this file
// inside `run`: ids of writers need node:crypto.
import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { autoWriterId, checkWriterId } from '../../core/dataset/records/identity.js';
import { usageError } from '../../core/platform/failures/errors.js';
import { joinStoreUrl, splitUploadUrl } from '../../core/store/store-url.js';
import { printable } from '../../core/platform/paths/raw-path.js';

/** Returns the URL under which datasets are looked for. @throws usage for the URL of an upload, and for an invalid writer id */
export function datasetBase(url: string, writerId: string | undefined): string {
  if (splitUploadUrl(url) !== undefined) {
    throw usageError(
      `${printable(url)} is an upload, and datasets lie above uploads/`,
      'leave out /uploads/… at the end',
    );
  }
  const writer = writerIdOf(writerId ?? '');
  return writer === undefined ? joinStoreUrl(url) : joinStoreUrl(url, 'writers', writer);
}

/** Returns the writer that --writer-id names; undefined without one. */
export function writerIdOf(given: string): string | undefined {
  if (given === '') return undefined;
  return given === 'auto' ? autoWriterId(hostname(), machineId()) : checkWriterId(given);
}

// systemd's id survives renaming the machine; elsewhere the host name has to do.
function machineId(): string {
  try {
    return readFileSync('/etc/machine-id', 'utf8').trim() || hostname();
  } catch {
    return hostname();
  }
}
