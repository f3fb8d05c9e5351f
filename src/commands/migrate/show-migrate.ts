// What `archiver migrate` prints: the result of a migration, or what a dry run found.
import type { Context } from '../../cli/context.js';
import type { ArchiveContents, Row } from '../../core/migrate/archive-contents.js';
import type { InspectedArchive } from '../../core/migrate/inspect-archive.js';
import type { MigrateResult } from '../../core/migrate/migrate.js';
import { formatTimestamp } from '../../core/manifest/timestamp.js';
import type { RequestCounts } from '../../core/object-store/object-store.js';
import { displayPath, printable } from '../../core/paths/raw-path.js';
import { finalLines } from '../../screens/progress/final-lines.js';
import { problemLines } from '../../screens/progress/problem-lines.js';
import { formatBytes, formatQuantity } from '../../ui/format.js';
import { lookOf } from '../../ui/look.js';

/** Prints the result; 3 when something in the archive was refused, or the original was to go and did not. */
export function showMigrated(result: MigrateResult, context: Context): number {
  const { partial, ...document } = result;
  context.result(document, () => `${migratedLines(result, context).join('\n')}\n`);
  return partial ? 3 : 0;
}

function migratedLines(result: MigrateResult, context: Context): string[] {
  const look = lookOf(context.colors.stdout, context.env);
  const { version, skipped } = result;
  const [headline = '', ...details] = finalLines(
    { ...result, version: version ?? 0, operation: 'upload', problems: skipped },
    look,
  );
  const lines = [`  archive   ${printable(result.archive)} (${result.format}), ${originalText(result)}`];
  lines.push(`  validated ${result.validated ? `${formatQuantity(result.entries, 'path')} as in the archive` : 'no'}`);
  for (const sentence of result.notKept) lines.push(`  not kept  ${sentence}`);
  if (result.tempFolder !== undefined) lines.push(`  temporary ${printable(result.tempFolder)}`);
  return [headline, ...lines, ...details];
}

function originalText({ originalDeleted, originalKept }: MigrateResult): string {
  if (originalDeleted) return 'deleted';
  return originalKept === undefined ? 'kept' : `not deleted: ${originalKept}`;
}

export interface Inspection {
  readonly archiveUrl: string;
  readonly requests: RequestCounts;
  readonly durationMs: number;
}

const LINES_AT_ONCE = 1000;

/** Prints what is in the archive; 3 when some of it would be refused. */
export async function showInspected(
  found: InspectedArchive,
  { archiveUrl, requests, durationMs }: Inspection,
  context: Context,
): Promise<number> {
  const { contents, files, bytes, tempBytes, format, datasetId, skipped } = found;
  if (context.json) {
    const summary = {
      dryRun: true,
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
      skipped: skipped.map(({ path, reason }) => ({ path, reason })),
      durationMs,
      requests,
    };
    await context.streamDocument(documentParts(summary, contents));
  } else {
    for (const text of listing(contents)) await context.print(text);
    const look = lookOf(context.colors.stdout, context.env);
    const lines = [
      `Would migrate ${formatQuantity(contents.rows.size, 'path')}, ${formatQuantity(files, 'file')}, ${formatBytes(bytes)} from ${printable(archiveUrl)} (${format})`,
      `About ${formatBytes(tempBytes)} are needed in the temporary folder.`,
      ...problemLines('left out', skipped, look),
      'Nothing was written (--dry-run).',
    ];
    context.result({}, () => `${lines.join('\n')}\n`);
  }
  return skipped.some(({ isSpecial }) => !isSpecial) ? 3 : 0;
}

const inPathOrder = (contents: ArchiveContents): (readonly [string, Row])[] =>
  [...contents.rows].sort(([a], [b]) => (a < b ? -1 : 1));

const LETTERS = { file: '-', directory: 'd', symlink: 'l' } as const;

function* listing(contents: ArchiveContents): Generator<string> {
  let lines = '';
  let count = 0;
  for (const [path, row] of inPathOrder(contents)) {
    const time = row.isImplied ? '-' : formatTimestamp(row.seconds, row.nanos).slice(0, 19).replace('T', ' ');
    const target = row.kind === 'symlink' ? ` -> ${displayPath(row.target)}` : '';
    const mode = row.mode.toString(8).padStart(4, '0');
    lines += `${LETTERS[row.kind]} ${mode} ${String(row.size).padStart(12)} ${time.padEnd(19)} ${displayPath(path)}${target}\n`;
    if (++count % LINES_AT_ONCE !== 0) continue;
    yield lines;
    lines = '';
  }
  yield lines;
}

function* documentParts(summary: Readonly<Record<string, unknown>>, contents: ArchiveContents): Generator<string> {
  yield `${JSON.stringify(summary).slice(0, -1)},"contents":[`;
  let separator = '';
  for (const [path, row] of inPathOrder(contents)) {
    const { kind, size, seconds, nanos, isImplied, target } = row;
    const entry = {
      path: displayPath(path),
      type: kind,
      size,
      mtime: isImplied ? null : formatTimestamp(seconds, nanos),
      ...(kind === 'symlink' ? { target: displayPath(target) } : {}),
    };
    yield separator + JSON.stringify(entry);
    separator = ',';
  }
  yield ']}';
}
