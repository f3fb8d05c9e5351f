// Writers of a fleet as they are named by people who set them up on another machine.
import { checkWriterId } from '../../core/dataset/records/identity.js';
import { usageError } from '../../core/platform/failures/errors.js';

/** @throws usage for an id that is none, and for `auto`, which would be this machine's */
export function namedWriter(id: string): string {
  if (id !== 'auto') return checkWriterId(id);
  throw usageError(
    'auto is the id of the machine that an agent runs on; name the writer',
    'for example: --writer-id nas-01',
  );
}
