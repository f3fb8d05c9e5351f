// The writers of the fleet in the store, those that need attention first, and the sources of the one under the cursor.
import { Box } from 'ink';
import { type ReactElement, useMemo } from 'react';
import type { HeartbeatSource } from '../../../core/fleet/heartbeat.js';
import type { SourceStatus } from '../../../core/fleet/watch/judge-stored.js';
import { rolloutOf } from '../../../core/fleet/watch/rollout.js';
import type { WriterStatus } from '../../../core/fleet/watch/judge.js';
import { fleetDocument } from '../../../core/fleet/watch/fleet-document.js';
import { fleetList } from '../../../stores/dashboard/fleet-list.js';
import type { Column } from '../../../ui/columns.js';
import { Empty } from '../../../ui/empty.js';
import { type Fact, Facts, wrapFacts } from '../../../ui/facts.js';
import { FitText } from '../../../ui/fit-text.js';
import { formatBytes, formatCount, formatDuration } from '../../../ui/format.js';
import { clockTime, formatMinute } from '../../../ui/format-time.js';
import { useSize } from '../../../ui/size.js';
import type { Message } from '../../../ui/status.js';
import { Table } from '../../../ui/table.js';
import { Tint, useTheme } from '../../../ui/theme.js';
import { useNames } from '../../use-names.js';
import { type Dashboard, useDashboard, useRows, useSource, useStoreSources } from '../dashboard-context.js';
import { cellsOf } from '../cells.js';
import { agoText, configText, countTexts, toneOf, writerColumns } from '../fleet-rows.js';
import { BelowReason, outageText } from '../outage.js';
import { missingStoreHint } from '../store-words.js';
import type { DashboardView } from '../view.js';

/** With this many rows, there is room for the sources below the list. */
const SOURCES_FROM_ROWS = 16;
const SHOWN_SOURCES = 8;

function FleetView(): ReactElement {
  return (
    <BelowReason source={useStoreSources().fleet}>
      <Fleet />
    </BelowReason>
  );
}

function Fleet(): ReactElement {
  const { target } = useDashboard();
  const { value, problem } = useSource(useStoreSources().fleet);
  const { rows, cursor, place } = useRows(fleetList);
  const { rows: room } = useSize();
  const names = useNames();
  const { glyphs } = useTheme();
  const columns = useMemo(
    () =>
      writerColumns(
        rows.map((row) => row.writer),
        names,
        glyphs,
      ),
    [rows, names, glyphs],
  );
  const url = target.url ?? '';
  const writer = rows[cursor]?.writer;
  if (place.isOpen && writer !== undefined) return <Writer writer={writer} rows={room} />;
  if (rows.length > 0) {
    const below =
      room < SOURCES_FROM_ROWS || writer === undefined ? 0 : Math.min(SHOWN_SOURCES, writer.sources.length + 2);
    return (
      <Box flexDirection="column">
        <Table
          count={rows.length}
          cursor={cursor}
          columns={columns}
          height={Math.min(rows.length + 1, room - below)}
          indent={1}
        />
        {writer !== undefined && below > 2 && <Sources writer={writer} rows={below - 2} />}
      </Box>
    );
  }
  if (place.filter.text !== '') return <Empty sentence="No writer has that in its row." next="esc clears the filter" />;
  if (value === undefined)
    return problem === undefined ? (
      <Empty sentence={`Reading the heartbeats below ${url}`} next="one small request for each writer" />
    ) : (
      <Empty sentence={`The fleet below ${url} cannot be seen.`} next="it is tried again at each refresh, and with R" />
    );
  return (
    <Empty
      sentence={`No writer has a place at ${url}.`}
      next={`archiver fleetagent init ${url} makes the first one; give the base of the fleet, which has writers/ right below it`}
    />
  );
}

/** The sources of a writer, failed ones first. */
function Sources({ writer, rows }: { readonly writer: WriterStatus; readonly rows: number }): ReactElement {
  const names = useNames();
  const sorted = useMemo(() => writer.sources.toSorted((one, other) => rankOf(one) - rankOf(other)), [writer]);
  const columns = useMemo(() => sourceColumns(sorted, writer, names), [sorted, writer, names]);
  const shown = sorted.length > rows ? rows - 1 : sorted.length;
  return (
    <>
      <Tint> </Tint>
      <Tint>{`   ${names(writer.writerId)}${writer.heartbeat === undefined ? '' : ` on ${names(writer.heartbeat.host)}`}`}</Tint>
      <Table count={shown} cursor={-1} columns={columns} height={shown} indent={4} />
      {shown < sorted.length && (
        <Tint tone="dim">{`     and ${formatCount(sorted.length - shown)} more; enter shows them`}</Tint>
      )}
    </>
  );
}

function sourceColumns(
  sources: readonly SourceStatus[],
  writer: WriterStatus,
  names: (text: string) => string,
): readonly Column[] {
  const of = cellsOf(sources);
  return [
    { weight: 2, min: 14, max: 40, cut: 'middle', priority: 0, cell: of(({ source }) => names(source.path)) },
    { width: 7, priority: 0, cell: (index, room) => <SourceState source={sources[index]?.source} width={room} /> },
    { weight: 3, min: 26, priority: 0, cell: of(({ source }) => names(changesText(source))) },
    { width: 8, align: 'right', priority: 3, cell: of(({ source }) => formatBytes(source.bytes)) },
    { width: 18, align: 'right', priority: 2, cell: of((source) => storedText(source, writer)) },
    { width: 21, align: 'right', priority: 1, cell: of((source) => goodText(source, writer)) },
  ];
}

function SourceState({
  source,
  width,
}: {
  readonly source: HeartbeatSource | undefined;
  readonly width: number;
}): ReactElement {
  const isHealthy = source?.isHealthy ?? null;
  const word = isHealthy === null ? 'running' : isHealthy ? 'ok' : 'failed';
  return <FitText text={word} width={width} tone={isHealthy === false ? 'bad' : 'plain'} />;
}

const rankOf = ({ source }: SourceStatus): number => (source.isHealthy === false ? 0 : 1);

function changesText({ error, isHealthy, noChanges, added, modified, deleted, skipped }: HeartbeatSource): string {
  if (isHealthy === false) return error ?? 'it does not say why';
  const parts = [
    [added, 'new'],
    [modified, 'changed'],
    [deleted, 'deleted'],
    [skipped, 'left out or torn'],
  ] as const;
  const texts = parts.flatMap(([count, word]) => (count === 0 ? [] : [`${formatCount(count)} ${word}`]));
  return noChanges || texts.length === 0 ? 'no changes' : texts.join(', ');
}

/** Age of the last success by the store's clock, as far as the writer's clock is known to differ. */
function goodText({ lastSuccessAt }: SourceStatus, writer: WriterStatus): string {
  return lastSuccessAt === null ? 'never succeeded' : `last good ${agoText(sinceMs(lastSuccessAt, writer))}`;
}

/** The newest version that the store has, and its age. */
function storedText({ storedVersion, storedAt }: SourceStatus, writer: WriterStatus): string {
  return storedVersion === null || storedAt === null ? '-' : `v${storedVersion} ${agoText(sinceMs(storedAt, writer))}`;
}

/** Time since a moment of the store, at the look; null when that is not known. */
const sinceMs = (moment: Date, { checkedInAt, ageMs }: WriterStatus): number | null =>
  checkedInAt === null || ageMs === null ? null : Math.max(0, checkedInAt.getTime() + ageMs - moment.getTime());

/** All facts about a writer. */
function Writer({ writer, rows }: { readonly writer: WriterStatus; readonly rows: number }): ReactElement {
  const names = useNames();
  const { columns } = useSize();
  const facts = useMemo(
    () =>
      wrapFacts(
        factsOf(writer).map((fact) => ({ ...fact, value: names(fact.value) })),
        columns,
      ),
    [writer, names, columns],
  );
  const room = rows - facts.length - 3;
  return (
    <Box flexDirection="column">
      <Facts facts={facts} />
      {room > 0 && writer.sources.length > 0 && <Sources writer={writer} rows={room} />}
    </Box>
  );
}

function factsOf(writer: WriterStatus): readonly Fact[] {
  const {
    writerId,
    condition,
    ageMs,
    staleAfterMs,
    lastSuccessAt,
    storedAt,
    storedElsewhere,
    clockSkewMs,
    isCloned,
    config,
    heartbeat,
    troubles,
  } = writer;
  const { host, instanceId, archiverVersion, phase, intervalSeconds } = heartbeat ?? {};
  const behind = clockSkewMs ?? 0;
  const known = [
    { label: 'writer', value: `${writerId}, ${condition}` },
    ...troubles.map((value, at) => ({ label: at === 0 ? 'trouble' : '', value, tone: toneOf(writer) })),
    { label: 'seen', value: `${agoText(ageMs)}; stale after ${formatDuration(staleAfterMs)}` },
    { label: 'success', value: lastSuccessAt === null ? 'never' : formatMinute(lastSuccessAt) },
    { label: 'stored', value: storedElsewhere ?? (storedAt === null ? 'nothing seen' : formatMinute(storedAt)) },
    { label: 'host', value: host && `${host}, archiver ${archiverVersion ?? '?'}, instance ${instanceId ?? '?'}` },
    { label: 'cloned', value: isCloned ? 'two instances of it take turns' : undefined, tone: 'bad' as const },
    {
      label: 'clock',
      value:
        Math.abs(behind) < 1000 ? undefined : `${formatDuration(Math.abs(behind))} ${behind > 0 ? 'ahead' : 'behind'}`,
    },
    { label: 'agent', value: phase && `${phase}, a cycle every ${formatDuration(1000 * (intervalSeconds ?? 0))}` },
    { label: 'config', value: `${configText(writer)}${config === undefined ? '; none lies there for it' : ''}` },
  ];
  return known.flatMap(({ value, ...fact }) => (value ? [{ ...fact, value }] : []));
}

/** Number of writers in each condition, and when that was observed. */
function summary({ sources: { store } }: Dashboard): Message {
  const fleet = store?.fleet.getState();
  const outage = fleet && outageText(fleet);
  const { value, isReading } = fleet ?? {};
  if (value === undefined)
    return outage === undefined ? { text: isReading === true ? 'reading' : '' } : { text: outage, tone: 'bad' };
  const { status } = value;
  if (status === null) return { text: 'no writers' };
  const { writers, troubledCount, lookedAt, notes } = status;
  const text = [
    ...(outage === undefined ? [] : [outage]),
    ...countTexts(writers),
    ...rolloutText(writers),
    `seen ${clockTime(lookedAt)}`,
    ...notes,
  ].join(' · ');
  return outage !== undefined
    ? { text, tone: 'bad' }
    : troubledCount + notes.length > 0
      ? { text, tone: 'warn' }
      : { text, tone: 'good' };
}

function rolloutText(writers: readonly WriterStatus[]): readonly string[] {
  const { configured, current } = rolloutOf(writers);
  return configured === 0 ? [] : [`config ${formatCount(current)} of ${formatCount(configured)}`];
}

export const fleetView: DashboardView = {
  id: 'fleet',
  title: 'Fleet',
  reads: ({ store }) => (store === undefined ? [] : [store.fleet]),
  list: fleetList,
  lacks: missingStoreHint,
  View: FleetView,
  summary,
  toJson({ sources: { store } }) {
    const status = store?.fleet.getState().value?.status;
    return status ? fleetDocument(status) : {};
  },
};
