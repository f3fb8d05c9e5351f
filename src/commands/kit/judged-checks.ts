// Reads what checks say of the versions of a dataset.
import type { Cancellation, Messages } from '../../cli/context.js';
import { judgeChecks, type JudgedChecks } from '../../core/dataset/checks/judge-checks.js';
import { readTellingChecks } from '../../core/dataset/checks/read-checks.js';
import type { ObjectReader } from '../../core/store/object-store.js';

export interface Judged {
  /** True where no check lies in the store. */
  readonly isEmpty: boolean;
  readonly of: (uploadId: string) => JudgedChecks;
}

/** The checks that tell how a dataset is; warns of those that cannot be read. @throws what the store throws */
export async function judgedChecks(
  reader: ObjectReader,
  datasetId: string,
  { signal, warn }: Cancellation & Pick<Messages, 'warn'>,
): Promise<Judged> {
  const { checks, warnings } = await readTellingChecks(reader, datasetId, signal);
  for (const text of warnings) warn(text);
  return { isEmpty: checks.length === 0, of: judgeChecks(checks) };
}
