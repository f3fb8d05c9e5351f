// Details of an upload that runs here or can be continued.
import { Box } from 'ink';
import { type ReactElement, useEffect } from 'react';
import { elapsedMs, savedProgress } from '../../../core/archive/resume/describe-state.js';
import type { SentShards } from '../../../core/archive/resume/sent-shards.js';
import type { FoundState } from '../../../core/archive/resume/state-folder.js';
import { uploadUrlOf } from '../../../core/store/ids/upload-id.js';
import { Bar } from '../../../ui/bar.js';
import { type Fact, Facts, wrapFacts } from '../../../ui/facts.js';
import { formatBytes, formatCount, formatDuration, formatQuantity } from '../../../ui/format.js';
import { clockTime, formatTimestamp } from '../../../ui/format-time.js';
import { Line } from '../../../ui/line.js';
import { useSize } from '../../../ui/size.js';
import { Tint } from '../../../ui/theme.js';
import { useNames } from '../../use-names.js';
import { useDashboard, useReadMs, useSource } from '../dashboard-context.js';
import { bytesText, filesText } from './saved-rows.js';

/** Time in milliseconds that the cursor rests before the details of another row are read. */
const REST_MS = 200;

interface DetailsProps {
  readonly upload: FoundState;
  readonly rows: number;
  /** True when they have the whole body. */
  readonly isLarge?: boolean;
}

/** A saved upload: its facts, and the progress of each of its shards. */
export function SavedDetails({ upload, rows, isLarge = false }: DetailsProps): ReactElement {
  const { sources, userHome } = useDashboard();
  const names = useNames();
  const { columns } = useSize();
  const sent = useSource(sources.sentOf(upload.id));
  const folder = sources.uploads.getState().value?.folder ?? '';
  const nowMs = useReadMs(sources.uploads);
  // Reads again whenever the upload has made progress: then `upload` is another object.
  useEffect(() => {
    const read = (): void => void sources.sentOf(upload.id).getState().refresh();
    const timer = setTimeout(read, REST_MS);
    return () => clearTimeout(timer);
  }, [sources, upload]);
  const known = factsOf(upload, {
    names,
    nowMs,
    isLarge,
    stateFile: withHome(`${folder}/${upload.id}.json`, userHome),
  });
  const facts = isLarge ? wrapFacts(known, columns, 3) : known;
  const shards = sent.value?.shards ?? [];
  const shown = facts.slice(0, rows - 1 - (shards.length > 0 ? 1 : 0));
  return (
    <Box flexDirection="column">
      <Line left={<Tint tone="strong">{upload.id}</Tint>} />
      <Facts facts={shown} indent={3} />
      {shards.length > 0 && <ShardRows shards={shards} rows={rows - 1 - shown.length} />}
      {sent.problem !== undefined && <Line left={<Tint tone="bad">{`  ${names(sent.problem)}`}</Tint>} />}
    </Box>
  );
}

/** `~/x` for a path below the home folder. */
const withHome = (path: string, home: string): string =>
  path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path;

interface FactsSource {
  readonly names: (text: string) => string;
  readonly nowMs: number;
  readonly stateFile: string;
  readonly isLarge: boolean;
}

function factsOf(upload: FoundState, { names, nowMs, stateFile, isLarge }: FactsSource): readonly Fact[] {
  const { document, problem, writtenMs, holder } = upload;
  const age = formatDuration(Math.max(0, nowMs - writtenMs));
  const saved: Fact = { label: 'state file', value: `${names(stateFile)}, saved ${age} ago` };
  const known = savedProgress(upload);
  if (document === undefined) return [{ label: 'problem', value: names(problem?.message ?? ''), tone: 'bad' }, saved];
  const { done, plan, failure, storeUrl, uploadIds, uploadId, sources, command, datasetId, createdAt } = document;
  const more: readonly Fact[] = [
    { label: 'source', value: names(sources.join(' ')) },
    {
      label: 'files',
      value: `${filesText(upload)}, ${bytesText(upload)}, as of ${clockTime(new Date(known?.atMs ?? writtenMs))}`,
    },
    {
      label: 'began',
      value: `${formatTimestamp(new Date(createdAt))}, ${formatDuration(elapsedMs(document, nowMs))} ago`,
    },
    { label: 'command', value: names(`archiver ${command}`) },
    { label: 'dataset', value: names(datasetId) },
    ...(holder === undefined ? [] : [{ label: 'process', value: names(`${holder.pid} on ${holder.host}`) }]),
  ];
  return [
    ...(failure === undefined || holder !== undefined
      ? []
      : [{ label: 'ended by', value: names(failure), tone: 'warn' as const }]),
    { label: 'destination', value: names(uploadUrlOf(storeUrl, uploadIds.at(-1) ?? uploadId)) },
    {
      label: 'chunks',
      value: `${formatCount(done.chunks)}${plan.chunks === undefined ? '' : ` of ${formatCount(plan.chunks)}`} sent, stored as ${formatBytes(done.storedBytes)}, in ${formatQuantity(plan.shards, 'shard')}`,
    },
    saved,
    ...(isLarge ? more : []),
  ];
}

/** The progress of each shard as bars beside each other, relative to the fullest. */
function ShardRows({ shards, rows }: { readonly shards: SentShards['shards']; readonly rows: number }): ReactElement {
  const { columns } = useSize();
  const label = 'shards'.padEnd('destination'.length + 2);
  const width = 10;
  const across = Math.max(1, Math.floor((columns - 4 - label.length) / (width + 1)));
  const most = Math.max(...shards.map(({ bytes }) => bytes), 1);
  const lines = Array.from(
    { length: Math.min(Math.max(1, rows), Math.ceil(shards.length / across)) },
    (_, at) => at * across,
  );
  return (
    <>
      {lines.map((from) => (
        <Line
          key={from}
          left={
            <>
              <Tint tone="dim">{`  ${from === 0 ? label : ' '.repeat(label.length)}`}</Tint>
              {shards.slice(from, from + across).map(({ bytes }, at) => (
                <Tint key={at}>
                  {`${String(from + at).padStart(2)} `}
                  <Bar share={bytes / most} width={width - 4} hasTrack />
                  {'  '}
                </Tint>
              ))}
            </>
          }
        />
      ))}
    </>
  );
}
