// The text, the document and the exit status of a restore.
import type { Environment, Terminal } from '../../cli/context.js';
import type { RequestCounts } from '../../core/store/object-store.js';
import type { UploadLocation } from '../../core/store/store-url.js';
import { printable } from '../../core/platform/paths/raw-path.js';
import type { RestoreOptions, RestoreResult } from '../../core/restore/restore.js';
import { finalLines } from '../../screens/progress/final-lines.js';
import { problemLines } from '../../screens/progress/problem-lines.js';
import { formatBytes, formatQuantity } from '../../ui/format.js';
import { lookOf } from '../../ui/look.js';
import { amountText, fact, textOf } from './lines.js';
import { type FoundUpload, uploadUrl } from './upload-target.js';

/** 0, or 3 when some files failed, or 1 when nothing was restored. */
export function statusOf(result: RestoreResult): number {
  if (result.failed.length === 0) return 0;
  return result.files + result.unchanged + result.skipped + result.directories === 0 ? 1 : 3;
}

/** The keys of the document that come from the result. */
export function resultDocument({ skipped, warnings, ...result }: RestoreResult) {
  return { ...result, protected: skipped, warnings: warnings.map((message) => ({ message })) };
}

interface Restoring {
  readonly target: UploadLocation & Partial<Pick<FoundUpload, 'version'>>;
  readonly durationMs: number;
  readonly requests: RequestCounts;
}

/** The document of a restore from an upload. */
export const restoredDocument = (result: RestoreResult, { target, durationMs, requests }: Restoring) => ({
  ...resultDocument(result),
  ...target.version,
  location: uploadUrl(target),
  durationMs,
  requests,
});

export type Restored = ReturnType<typeof restoredDocument>;

interface Shown {
  readonly durationMs: number;
  readonly context: Environment & Pick<Terminal, 'colors'>;
  /** Lines that a dry run adds. */
  readonly planned: readonly string[];
  /** True when a warning said that this is hardly what was wanted. */
  readonly isDoubtful?: boolean;
}

/** The text for a restore that is done or planned. */
export function resultText(
  result: RestoreResult,
  { operation, selectors }: Pick<RestoreOptions, 'operation'> & Partial<Pick<RestoreOptions, 'selectors'>>,
  { durationMs, context, planned, isDoubtful = false }: Shown,
): string {
  const look = lookOf(context.colors.stdout, context.env);
  const { files, bytes, outputDir, bytesFetched, ranges, unchanged, skipped, failed } = result;
  const { part } = selectors ?? {};
  const share = part === undefined ? [] : [fact('part', `${part.number} of ${part.of}`)];
  if (result.dryRun) {
    const fetch = `${formatBytes(bytesFetched)} in ${formatQuantity(ranges, 'request')} for content from ${formatQuantity(result.chunks, 'chunk')}`;
    return textOf([
      `Would ${operation} ${amountText(files, 'file', bytes)} to ${printable(outputDir)}, fetching ${fetch}.`,
      ...share,
      ...planned,
      ...problemLines('refused ', failed, look),
      'Nothing was written (--dry-run).',
    ]);
  }
  const lines = finalLines(
    {
      operation,
      files,
      bytes,
      durationMs,
      target: outputDir,
      ranges,
      fetchedBytes: bytesFetched,
      problems: failed,
      isDoubtful,
    },
    look,
  );
  lines.push(...share);
  if (unchanged > 0) lines.push(fact('unchanged', `${formatQuantity(unchanged, 'file')} already in place`));
  if (skipped > 0) lines.push(fact('kept', `${formatQuantity(skipped, 'file')} that --overwrite protects`));
  return textOf(lines);
}
