// All that is known of an upload without reading its entries: facts, its shards, the versions beside it.
import { Box } from 'ink';
import { type ReactElement, useMemo } from 'react';
import type { FrontFacts, StoredUpload } from '../../core/dataset/inventory/stored-upload.js';
import type { VersionCheck } from '../../core/dataset/checks/judge-checks.js';
import { checkText, tellingChecks } from '../check-texts.js';
import { Bar } from '../../ui/bar.js';
import { type Fact, Facts, wrapFacts } from '../../ui/facts.js';
import { formatBytes, formatCount, formatQuantity, formatRatio } from '../../ui/format.js';
import { formatMinute, shortMinute } from '../../ui/format-time.js';
import { Room, useSize, WIDE_COLUMNS } from '../../ui/size.js';
import { Tint } from '../../ui/theme.js';
import { useNames } from '../use-names.js';
import { useSource, useStoreSources } from './dashboard-context.js';
import { Section } from './panels.js';
import { compareVersions, versionName } from '../../core/dataset/records/version-name.js';

const BAR_WIDTH = 30;

export function UploadDetails({ upload }: { readonly upload: StoredUpload }): ReactElement {
  const { columns, rows } = useSize();
  const names = useNames();
  const facts = useMemo(() => wrapFacts(factsOf(upload, names), columns), [upload, names, columns]);
  const room = rows - facts.length - 1;
  const isSplit = columns >= WIDE_COLUMNS;
  const half = isSplit ? Math.floor(columns / 2) : columns;
  const { front } = upload;
  // In one column the shards take half of the remaining rows; the title of each part and an empty row count as well.
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

type Known = Omit<Fact, 'value'> & { readonly value: string | null | undefined };

function factsOf(upload: StoredUpload, names: (text: string) => string): readonly Fact[] {
  const { datasetId, tags, createdAt, record, front, checks, problem } = upload;
  const tagText = tags.length === 0 ? '' : `, kept by ${tags.join(', ')}`;
  const known: readonly Known[] = [
    { label: 'upload', value: record?.uploadId },
    { label: 'dataset', value: `${datasetId} ${versionName(upload)}${tagText}` },
    { label: 'created', value: formatMinute(new Date(createdAt)) },
    ...(record === null ? [] : recordFacts(record, front?.branch ?? null)),
    ...(front === null ? [] : frontFacts(front)),
    ...(checks === null ? [] : tellingChecks(checks).map(checkFact)),
    { label: 'problem', value: problem?.message, tone: 'bad' },
  ];
  return known.flatMap(({ value, ...fact }) => (value ? [{ ...fact, value: names(value) }] : []));
}

const checkFact = (check: VersionCheck): Known => {
  const value = checkText(check, new Date());
  return check.ok ? { label: 'checked', value } : { label: 'FAILED', value: `✗ ${value}`, tone: 'bad' };
};

type Recorded = NonNullable<StoredUpload['record']>;

function recordFacts(record: Recorded, branch: string | null): readonly Known[] {
  const { writerId, files, bytes, storedBytes, listing, commit } = record;
  const ratio = storedBytes > 0 ? `, ${formatRatio(bytes / storedBytes)}` : '';
  const sizes = `${formatBytes(bytes)} as ${formatBytes(storedBytes)}${ratio}`;
  return [
    { label: 'source', value: sourceOf(record) },
    { label: 'writer', value: writerId },
    { label: 'content', value: `${formatQuantity(files, 'file')}, ${sizes}` },
    { label: 'listing', value: listing === 'delta' ? 'what changed since the version before' : undefined },
    { label: 'commit', value: commit && `${commit}${branch === null ? '' : ` on ${branch}`}` },
  ];
}

const frontFacts = ({ storageClass, chunks, shardCount, stage, project }: FrontFacts): readonly Known[] => [
  {
    label: 'stored',
    value: `${storageClass ?? 'no class'}, ${formatQuantity(chunks, 'chunk')}, ${formatQuantity(shardCount, 'shard')}`,
  },
  { label: 'stage', value: stage },
  { label: 'project', value: project },
];

function sourceOf({ source, host, isEncrypted }: Recorded): string {
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
  upload: { id, datasetId },
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
        .toSorted((one, other) => compareVersions(other, one)),
    [value, datasetId],
  );
  // The version that is shown, and those around it.
  const at = versions.findIndex((one) => one.id === id);
  const first = Math.max(0, Math.min(at - Math.floor(rows / 2), versions.length - rows));
  return (
    <Section title={`VERSIONS  ${formatCount(versions.length)}`}>
      {versions.slice(first, first + rows).map((one) => (
        <Tint key={one.id} tone={one.id === id ? 'strong' : 'plain'}>
          {`   ${versionName(one).padEnd(6)} ${shortMinute(new Date(one.createdAt))}  `}
          {one.record === null
            ? 'unreadable'
            : `${formatBytes(one.record.bytes).padStart(8)}  ${formatQuantity(one.record.files, 'file')}`}
        </Tint>
      ))}
    </Section>
  );
}
