import { type ArchiverError, isArchiverError } from '../../platform/failures/errors.js';

/** Whether a failure is about one file, and not about the store or the run. */
export const isOfFile = (error: unknown): error is ArchiverError => isArchiverError(error, 'integrity', 'not-found');
