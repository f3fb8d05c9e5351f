// Why a check has no record in the store, as people read it.
import { printable } from '../../core/platform/paths/raw-path.js';
import { fact } from './lines.js';

export const TOLD = 'told by --no-record';
export const NO_VERSION = 'only versions of a dataset have records of checks';
export const NOTHING_RESTORED = 'nothing was restored';

/** The line that says that there is no record, where somebody may have expected one. */
export const unrecordedLines = (reason: string | null): readonly string[] =>
  reason === null || [TOLD, NO_VERSION, NOTHING_RESTORED].includes(reason)
    ? []
    : [fact('record', `none was put into the store: ${printable(reason)}`)];
