// The state of a fleet, as a table, as lines and as JSON.
import { usageError } from '../../core/platform/failures/errors.js';
import type { HeartbeatSource } from '../../core/fleet/heartbeat.js';
import type { SourceStatus } from '../../core/fleet/watch/judge-stored.js';
import { rolloutOf } from '../../core/fleet/watch/rollout.js';
import { type Condition, CONDITIONS, needsAttention, type WriterStatus } from '../../core/fleet/watch/judge.js';
import type { FleetStatus } from '../../core/fleet/watch/watch-fleet.js';
import { formatStoreUrl, parseStoreUrl, splitUploadUrl } from '../../core/store/store-url.js';
import { printable } from '../../core/platform/paths/raw-path.js';
import { formatBytes, formatCount, formatDuration, formatQuantity } from '../../ui/format.js';
import { fact, firstLines, ofKnown } from '../kit/lines.js';
import { type Column, column, numbers, tableText, type TableContext } from '../kit/table.js';

/** Limit of rows: nobody reads more, and the first are those with troubles. */
const SHOWN_WRITERS = 100;

/** Limit of versions of configs that are named. */
const SHOWN_CONFIGS = 5;

const WORDS: Readonly<Record<Condition, string>> = {
  healthy: '● healthy',
  starting: '● starting',
  failing: '✗ failing',
  stale: '▲ stale',
  missing: '▲ missing',
  unknown: '? unknown',
};

/** Matches the place of all writers, or of one; a bucket or a folder may be named like this, too. */
const BELOW = /^(s3:\/\/[^/]+(?:\/.*)?|file:\/\/.+)\/writers(?:\/[^/]+)?$/;

/** Checks the base of a fleet as it was typed. @throws usage for an upload and for the place of one writer */
export function fleetBase(url: string): string {
  const base = formatStoreUrl(parseStoreUrl(url));
  if (splitUploadUrl(base) !== undefined)
    throw usageError(`${printable(base)} is an upload, and not the base of a fleet`);
  const above = BELOW.exec(base)?.[1];
  if (above !== undefined)
    throw usageError(`${printable(base)} lies below the base of the fleet`, `give the base: ${printable(above)}`);
  return base;
}

interface Row {
  /** Set in the row of the first source of a writer. */
  readonly writer: WriterStatus | undefined;
  readonly status: SourceStatus | undefined;
}

const rowsOf = (writer: WriterStatus): readonly Row[] => {
  const [first, ...others] = writer.sources;
  return [{ writer, status: first }, ...others.map((status) => ({ writer: undefined, status }))];
};

const sinceText = (moment: Date | null, now: Date): string =>
  moment === null ? 'never' : formatDuration(Math.max(0, now.getTime() - moment.getTime()));

const changesText = ({ noChanges, added, modified, deleted }: HeartbeatSource): string =>
  noChanges ? 'none' : `+${added} ~${modified} -${deleted}`;

/** A row for each source; the cells about the writer are only in its first row. */
const columnsAt = (now: Date): readonly Column<Row>[] => {
  const ofWriter = (cell: (writer: WriterStatus) => string | undefined) => (row: Row) =>
    row.writer === undefined ? '' : cell(row.writer);
  const ofSource = (cell: (source: HeartbeatSource) => string) => (row: Row) => ofKnown(row.status?.source, cell);
  return [
    column(
      'WRITER',
      ofWriter(({ writerId }) => writerId),
      { isCuttable: true },
    ),
    column(
      'STATE',
      ofWriter(({ condition }) => WORDS[condition]),
      { isCuttable: false },
    ),
    numbers(
      'SEEN',
      ofWriter(({ checkedInAt }) => sinceText(checkedInAt, now)),
    ),
    numbers(
      'SUCCESS',
      ofWriter(({ lastSuccessAt }) => sinceText(lastSuccessAt, now)),
    ),
    numbers(
      'CONFIG',
      ofWriter(({ heartbeat }) => ofKnown(heartbeat?.configVersion, String)),
      { dropOrder: 4 },
    ),
    column(
      'SOURCE',
      ofSource(({ path }) => printable(path)),
      { isCuttable: true },
    ),
    numbers('STORED', ({ status }) => ofKnown(status, ({ storedAt }) => sinceText(storedAt, now))),
    numbers(
      'FILES',
      ofSource(({ files }) => formatCount(files)),
      { dropOrder: 1 },
    ),
    numbers(
      'SIZE',
      ofSource(({ bytes }) => formatBytes(bytes)),
      { dropOrder: 2 },
    ),
    numbers('CHANGES', ofSource(changesText), { dropOrder: 3 }),
    numbers(
      'SKIPPED',
      ofSource(({ skipped }) => formatCount(skipped)),
      { dropOrder: 5 },
    ),
  ];
};

/** The table; with many writers only the first hundred, unless --verbose asks for all. */
export async function fleetTable(
  { writers, lookedAt }: FleetStatus,
  context: TableContext & { readonly verbose: boolean },
): Promise<string> {
  if (writers.length === 0) return '';
  const shown = context.verbose ? writers : writers.slice(0, SHOWN_WRITERS);
  const text = await tableText(shown.flatMap(rowsOf), columnsAt(lookedAt), context);
  const more = writers.length - shown.length;
  return more === 0 || context.json ? text : `${text}and ${formatCount(more)} more; --verbose shows them\n`;
}

/** `12 writers: 10 healthy, 1 stale, 1 missing`. */
export function countsText({ writers, counts }: FleetStatus): string {
  const parts = CONDITIONS.flatMap((word) => (counts[word] === 0 ? [] : [`${formatCount(counts[word])} ${word}`]));
  return `${formatQuantity(writers.length, 'writer')}${parts.length === 0 ? '' : `: ${parts.join(', ')}`}`;
}

/** Lines about the troubles of each writer, and about other things that were found. */
export function troubleLines({ writers, others }: FleetStatus, isVerbose: boolean): readonly string[] {
  const troubled = writers.filter(needsAttention);
  const lines = troubled.map(
    ({ writerId, condition, troubles }) => `  ${WORDS[condition].padEnd(10)} ${writerId}: ${troubles.join('; ')}`,
  );
  return [
    ...firstLines(lines, { isVerbose }),
    ...rolloutLines(writers),
    ...(others.length === 0
      ? []
      : [fact('left out', `${formatQuantity(others.length, 'writer')} without a heartbeat or a config`)]),
  ];
}

/** `config  2 of 3 writers run the one that lies there; 2 on v4, 1 on v3`; none where no config lies there. */
function rolloutLines(writers: readonly WriterStatus[]): readonly string[] {
  const { configured, current, versions } = rolloutOf(writers);
  if (configured === 0) return [];
  const shown = versions.slice(0, SHOWN_CONFIGS);
  const more = versions.length > shown.length ? ', …' : '';
  const on = shown
    .map(({ configVersion, writerCount }) => `${formatCount(writerCount)} on v${configVersion}`)
    .join(', ');
  const of = `${formatCount(current)} of ${formatCount(configured)} writers`;
  return [fact('config', `${of} run the one that lies there${on === '' ? '' : `; ${on}${more}`}`)];
}
