// Details of a plan of the store.
import { Box } from 'ink';
import { type ReactElement, useMemo } from 'react';
import type { SeenPlan } from '../../../core/archive/parts/living-plans.js';
import { displayPath, printable } from '../../../core/platform/paths/raw-path.js';
import { shellWord } from '../../../core/platform/text/shell-word.js';
import { uploadUrlOf } from '../../../core/store/ids/upload-id.js';
import { type Fact, Facts, wrapFacts } from '../../../ui/facts.js';
import { formatBytes, formatCount } from '../../../ui/format.js';
import { formatTimestamp } from '../../../ui/format-time.js';
import { Line } from '../../../ui/line.js';
import { useSize } from '../../../ui/size.js';
import { Tint } from '../../../ui/theme.js';
import { nextCommands, partCountsText, planRateText } from '../../plan-words.js';
import { useNames } from '../../use-names.js';
import { useDashboard } from '../dashboard-context.js';
import { planBytesText, planFilesText, planTone, runningHosts } from './plan-rows.js';

interface Props {
  readonly seen: SeenPlan;
  readonly rows: number;
}

const SHOWN_HOSTS = 8;
const INDENT = 3;

/** A plan: how far its parts are, who works on them, and what to type next. */
export function PlanDetails({ seen, rows }: Props): ReactElement {
  const { target } = useDashboard();
  const names = useNames();
  const { columns } = useSize();
  const location = uploadUrlOf(target.url ?? '', seen.uploadId);
  const facts = useMemo(
    () => factsOf(seen, location).map((fact) => ({ ...fact, value: names(fact.value) })),
    [seen, location, names],
  );
  const wrapped = wrapFacts(facts, columns, INDENT);
  return (
    <Box flexDirection="column">
      <Line left={<Tint tone="strong">{seen.uploadId}</Tint>} />
      <Facts facts={(wrapped.length < rows ? wrapped : facts).slice(0, rows - 1)} indent={INDENT} />
    </Box>
  );
}

/** What is known of a plan; what counts most comes first, as there may be no room for the rest. */
function factsOf(seen: SeenPlan, location: string): readonly Fact[] {
  const status = { label: 'status', value: `archiver plan status ${shellWord(printable(location))}` };
  const place = { label: 'location', value: location };
  if (seen.problem !== null) return [{ label: 'problem', value: seen.problem, tone: 'bad' }, place, status];
  return [
    { label: 'parts', value: partCountsText(seen.status), tone: planTone(seen) },
    ...nextCommands(seen.status, location).map((value) => ({ label: 'next', value })),
    ...(planRateText(seen.status) === undefined ? [] : [{ label: 'rate', value: planRateText(seen.status) ?? '' }]),
    ...hostFacts(runningHosts(seen.status)),
    { label: 'stored', value: formatBytes(seen.status.storedBytes) },
    place,
    status,
    { label: 'source', value: `${displayPath(seen.plan.head.source.path)} on ${seen.plan.head.source.host}` },
    { label: 'files', value: `${planFilesText(seen.status)}, ${planBytesText(seen.status)}` },
    { label: 'dataset', value: seen.plan.head.datasetId },
    { label: 'planned', value: formatTimestamp(new Date(seen.plan.head.createdAt)) },
  ];
}

function hostFacts(hosts: readonly string[]): readonly Fact[] {
  if (hosts.length === 0) return [];
  const more = hosts.length - SHOWN_HOSTS;
  const value = [...hosts.slice(0, SHOWN_HOSTS), ...(more > 0 ? [`and ${formatCount(more)} more`] : [])].join(', ');
  return [{ label: 'running on', value }];
}
