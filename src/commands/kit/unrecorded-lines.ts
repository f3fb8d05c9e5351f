// Why a check has no record in the store, as people read it.
import { printable } from '../../core/platform/paths/raw-path.js';
import { fact } from './lines.js';

export const TOLD = 'told by --no-record';
export const NO_VERSION = 'only versions of a dataset have records of checks';

/** The line that says that there is no record, where somebody may have expected one. */
export const unrecordedLines = (reason: string | null): readonly string[] =>
  reason === null || reason === TOLD || reason === NO_VERSION
    ? []
    : [fact('record', `none was put into the store: ${printable(reason)}`)];
