import type { Questions, Terminal } from '../../cli/context.js';
import { requireConfirmation, hasTerminal } from '../kit/ask.js';

/** Classes that take hours to be read. */
export const COLD: ReadonlySet<string> = new Set(['GLACIER', 'DEEP_ARCHIVE']);

export interface ColdValues {
  readonly storageClass: string;
  readonly autoTier: boolean;
  readonly tierMax: string | undefined;
  readonly dryRun: boolean;
  readonly yes: boolean;
}

/** Asks on a terminal before anything goes to cold storage. @throws usage when the answer is no */
export async function confirmCold(values: ColdValues, context: Questions & Terminal): Promise<void> {
  const isCold = COLD.has(values.storageClass) || (values.autoTier && COLD.has(values.tierMax ?? 'DEEP_ARCHIVE'));
  if (!isCold || values.dryRun || values.yes || !hasTerminal(context)) return;
  const what = values.autoTier ? 'Files not read lately go to' : 'Everything goes to';
  const question = `${what} cold storage: billed for at least 90 days (GLACIER) or 180 days (DEEP_ARCHIVE), hours to read back. Continue?`;
  await requireConfirmation(context, question, 'not uploaded');
}
