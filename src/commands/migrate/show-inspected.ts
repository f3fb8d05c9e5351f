// The output of a dry run of `migrate`: the members, what they become, and what is left out.
import type { Context } from '../../cli/context.js';
import { roughlyPlanned } from '../../core/archive/plan/planned-upload.js';
import type { Destination } from '../../core/archive/upload-result.js';
import { formatTimestamp } from '../../core/format/manifest/timestamp.js';
import type { ArchiveContents, Row } from '../../core/mend/migrate/archive-contents.js';
import type { InspectedArchive } from '../../core/mend/migrate/inspect-archive.js';
import type { RequestCounts } from '../../core/store/object-store.js';
import { jsonOf } from '../../core/platform/json/document.js';
import { displayPath, printable, type RawPath } from '../../core/platform/paths/raw-path.js';
import { formatBytes, formatQuantity } from '../../ui/format.js';
import { formatTimestamp as timeText } from '../../ui/format-time.js';
import { lookOf } from '../../ui/look.js';
import { amountText, fact, textOf } from '../kit/lines.js';
import { documentParts, inPieces } from '../kit/pieces.js';
import { plannedDocument, plannedFacts, withGates } from '../upload/dry-run.js';

interface Inspection {
  readonly archiveUrl: string;
  readonly requests: RequestCounts;
  readonly durationMs: number;
  readonly destination: Destination;
  readonly storageClass: string;
  readonly shardCount: number;
  /** Values of the flags. */
  readonly values: Readonly<Record<string, unknown>>;
}

/** Prints the content of the archive; returns 3 when some of it would be refused. */
export async function showInspected(
  found: InspectedArchive,
  { archiveUrl, requests, durationMs, destination, storageClass, shardCount, values }: Inspection,
  context: Context<'migrate'>,
): Promise<number> {
  const { contents, files, bytes, tempBytes, packedBytes, format, datasetId, skipped, notKept } = found;
  const planned = roughlyPlanned({ storageClass, files, bytes, packedBytes }, shardCount);
  const plan = await withGates({ planned, destination }, values, context);
  if (context.json) {
    const { dryRun, ...rest } = plannedDocument(plan, context);
    const summary = {
      dryRun,
      archive: archiveUrl,
      format,
      uploadId: null,
      location: null,
      manifestKey: null,
      datasetId,
      version: null,
      files,
      bytes,
      storedBytes: 0,
      chunks: 0,
      entries: contents.rows.size,
      tempBytes,
      validated: false,
      originalDeleted: false,
      notKept,
      skipped: skipped.map(({ path, reason }) => ({ path, reason })),
      durationMs,
      requests,
      ...rest,
    };
    await context.streamDocument(documentParts(summary, { contents: () => contentDocuments(contents) }));
  } else {
    const { problemLines } = await import('../../screens/progress/problem-lines.js');
    for await (const text of inPieces(contentLines(contents))) await context.print(text);
    const amount = `${formatQuantity(contents.rows.size, 'path')}, ${amountText(files, 'file', bytes)}`;
    const lines = [
      `Would migrate ${amount} from ${printable(archiveUrl)} (${format})`,
      `About ${formatBytes(tempBytes)} are needed in the temporary folder.`,
      ...notKept.map((sentence) => fact('not kept', sentence)),
      ...plannedFacts({ ...plan, datasetId }, context),
      ...problemLines('left out', skipped, lookOf(context.colors.stdout, context.env)),
      'Nothing was written (--dry-run).',
    ];
    context.result(undefined, () => textOf(lines));
  }
  return skipped.some(({ isSpecial }) => !isSpecial) ? 3 : 0;
}

const inPathOrder = (contents: ArchiveContents): (readonly [RawPath, Row])[] =>
  [...contents.rows].sort(([a], [b]) => (a < b ? -1 : 1));

const TIME_LENGTH = 'YYYY-MM-DD HH:MM:SS+HH:MM'.length;
const LETTERS = { file: '-', directory: 'd', symlink: 'l' } as const;

function* contentLines(contents: ArchiveContents): Generator<string> {
  for (const [path, row] of inPathOrder(contents)) {
    const time = row.isImplied ? '-' : timeText(new Date(row.seconds * 1000));
    const target = row.kind === 'symlink' ? ` -> ${displayPath(row.target)}` : '';
    const mode = row.mode.toString(8).padStart(4, '0');
    yield `${LETTERS[row.kind]} ${mode} ${String(row.size).padStart(12)} ${time.padEnd(TIME_LENGTH)} ${displayPath(path)}${target}\n`;
  }
}

function* contentDocuments(contents: ArchiveContents) {
  for (const [path, row] of inPathOrder(contents)) {
    const { kind, size, seconds, nanos, isImplied, target } = row;
    yield jsonOf({
      path: displayPath(path),
      type: kind,
      size,
      mtime: isImplied ? null : formatTimestamp(seconds, nanos),
      ...(kind === 'symlink' ? { target: displayPath(target) } : {}),
    });
  }
}
