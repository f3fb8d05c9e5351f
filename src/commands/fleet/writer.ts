// Checks the id of a writer that is set up on another machine.
import { checkWriterId } from '../../core/dataset/records/identity.js';
import { usageError } from '../../core/platform/failures/errors.js';

/** Returns the id. @throws usage for an invalid id, and for `auto`, which would mean this machine */
export function namedWriter(id: string): string {
  if (id !== 'auto') return checkWriterId(id);
  throw usageError(
    'auto is the id of the machine that an agent runs on; name the writer',
    'for example: --writer-id nas-01',
  );
}
