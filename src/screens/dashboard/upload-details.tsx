// All that is known of an upload without reading it: facts, its shards, the versions beside it.
import { Box } from 'ink';
import { type ReactElement, useMemo } from 'react';
import type { FrontFacts, StoredUpload } from '../../core/inventory/stored-upload.js';
import { Bar } from '../../ui/bar.js';
import { type Fact, Facts } from '../../ui/facts.js';
import { formatBytes, formatCount, formatQuantity, formatRatio } from '../../ui/format.js';
import { formatMinute, shortMinute } from '../../ui/format-time.js';
import { Room, useSize } from '../../ui/size.js';
import { Tint } from '../../ui/theme.js';
import { useNames } from '../use-names.js';
import { useSource, useStoreSources } from './dashboard-context.js';
import { Section } from './panels.js';

const SPLIT_COLUMNS = 120;
const BAR_WIDTH = 30;

export function UploadDetails({ upload }: { readonly upload: StoredUpload }): ReactElement {
  const { columns, rows } = useSize();
  const names = useNames();
  const facts = useMemo(() => factsOf(upload, names), [upload, names]);
  const room = rows - facts.length - 1;
  const isSplit = columns >= SPLIT_COLUMNS;
  const half = isSplit ? Math.floor(columns / 2) : columns;
  const { front } = upload;
  // Below each other the shards take half of what is left; the title of each part and a row of air are rows as well.
  const each = isSplit ? room - 2 : Math.floor((room - 4) / 2);
  return (
    <Box flexDirection="column" rowGap={1}>
      <Facts facts={facts} />
      {each > 0 && (
        <Box flexDirection={isSplit ? 'row' : 'column'} rowGap={1}>
          {front !== null && (
            <Room columns={half} rows={Math.min(each, front.shards.length) + 1}>
              <Shards front={front} rows={each} />
            </Room>
          )}
          <Room columns={half} rows={each + 1}>
            <Versions upload={upload} rows={each} />
          </Room>
        </Box>
      )}
    </Box>
  );
}

function factsOf(
  { datasetId, version, tags, createdAt, record, front, problem }: StoredUpload,
  names: (text: string) => string,
): readonly Fact[] {
  const tagText = tags.length === 0 ? '' : `, kept by ${tags.join(', ')}`;
  const known = [
    { label: 'upload', value: record?.uploadId },
    { label: 'dataset', value: `${datasetId} v${version}${tagText}` },
    { label: 'created', value: formatMinute(new Date(createdAt)) },
    { label: 'source', value: record && sourceOf(record) },
    { label: 'writer', value: record?.writerId },
    {
      label: 'content',
      value:
        record &&
        `${formatQuantity(record.files, 'file')}, ${formatBytes(record.bytes)} as ${formatBytes(record.storedBytes)}${record.storedBytes > 0 ? `, ${formatRatio(record.bytes / record.storedBytes)}` : ''}`,
    },
    {
      label: 'stored',
      value:
        front &&
        `${front.storageClass ?? 'no class'}, ${formatQuantity(front.chunks, 'chunk')}, ${formatQuantity(front.shardCount, 'shard')}`,
    },
    { label: 'listing', value: record?.listing === 'delta' ? 'what changed since the version before' : undefined },
    { label: 'commit', value: record?.commit && `${record.commit}${front?.branch ? ` on ${front.branch}` : ''}` },
    { label: 'stage', value: front?.stage },
    { label: 'project', value: front?.project },
    { label: 'problem', value: problem?.message, tone: 'bad' as const },
  ];
  return known.flatMap(({ value, ...fact }) => (value ? [{ ...fact, value: names(value) }] : []));
}

function sourceOf({ source, host, isEncrypted }: NonNullable<StoredUpload['record']>): string {
  if (isEncrypted) return 'encrypted: archiver info opens the manifest with its key';
  return host === null ? (source ?? '') : `${source ?? ''} on ${host}`;
}

function Shards({ front: { shards }, rows }: { readonly front: FrontFacts; readonly rows: number }): ReactElement {
  const most = Math.max(1, ...shards.map(({ storedBytes }) => storedBytes));
  const shown = shards.length > rows ? shards.slice(0, Math.max(0, rows - 1)) : shards;
  return (
    <Section title="SHARDS">
      {shown.map(({ shard, storedBytes }) => (
        <Tint key={shard}>
          {`   ${String(shard).padStart(2, '0')}  `}
          <Bar share={storedBytes / most} width={BAR_WIDTH} hasTrack />
          {formatBytes(storedBytes).padStart(10)}
        </Tint>
      ))}
      {shown.length < shards.length && <Tint tone="dim">{`   and ${shards.length - shown.length} more`}</Tint>}
    </Section>
  );
}

function Versions({
  upload: { datasetId, version },
  rows,
}: {
  readonly upload: StoredUpload;
  readonly rows: number;
}): ReactElement {
  const { value } = useSource(useStoreSources().inventory);
  const versions = useMemo(
    () =>
      (value?.uploads ?? [])
        .filter((one) => one.datasetId === datasetId)
        .toSorted((one, other) => other.version - one.version),
    [value, datasetId],
  );
  // The one that is shown, and those around it.
  const at = versions.findIndex((one) => one.version === version);
  const first = Math.max(0, Math.min(at - Math.floor(rows / 2), versions.length - rows));
  return (
    <Section title={`VERSIONS  ${formatCount(versions.length)}`}>
      {versions.slice(first, first + rows).map((one) => (
        <Tint key={one.version} tone={one.version === version ? 'strong' : 'plain'}>
          {`   ${`v${one.version}`.padEnd(6)} ${shortMinute(new Date(one.createdAt))}  `}
          {one.record === null
            ? 'unreadable'
            : `${formatBytes(one.record.bytes).padStart(8)}  ${formatQuantity(one.record.files, 'file')}`}
        </Tint>
      ))}
    </Section>
  );
}
