// What is shown while chunks come back from cold storage: how many are readable, the state of each, and the next look.
import { displayText } from '../../stores/display-text.js';
import type { ThawProgress, TransferSnapshot } from '../../stores/transfer-state.js';
import { bar, level } from '../../ui/text-bar.js';
import { formatBytes, formatCount, formatDuration, formatQuantity } from '../../ui/format.js';
import { formatUsd } from '../../ui/format-usd.js';
import { glyphsFor } from '../../ui/glyphs.js';
import type { Line } from '../../ui/toned-line.js';
import type { Look } from '../../ui/look.js';

const LABEL = 'thawing      ';
const SHORTEST_BAR = 8;
const LONGEST_WAIT = '23h 59m'.length;

/** "7 of 12 chunks readable". */
export const readableText = ({ readable, chunks }: ThawProgress): string =>
  `${formatCount(readable)} of ${formatQuantity(chunks.length, 'chunk')} readable`;

/** Hours and minutes of this computer's clock. */
const clockText = (ms: number): string => new Date(ms).toTimeString().slice(0, 5);

/** "Restoring 41 files, 812 GiB from GLACIER   standard tier 3-5 h   est. $8.12". */
export function thawTitle({ files, bytes, storageClasses, tier, costUsd }: ThawProgress, look: Look): Line {
  const cost = costUsd === null ? 'cost unknown' : `est. ${formatUsd(costUsd)}`;
  return [
    { text: `Restoring ${formatQuantity(files, 'file')}, ${formatBytes(bytes)} from ` },
    { text: displayText(storageClasses, look), tone: 'accent' },
    { text: `   ${tier}   ${cost}`, tone: 'dim' },
  ];
}

/** The bar with what it counts and when the next look is. */
export function thawBar(thaw: ThawProgress, columns: number, look: Look): Line {
  // Of a fixed width, so that the bar's end stays where it is.
  const left = formatDuration(thaw.nextLookInMs).padEnd(LONGEST_WAIT);
  const readable = readableText(thaw);
  const texts = [
    `  ${readable}, next look ${clockText(thaw.nextLookAtMs)} in ${left}`,
    `  ${readable.replace(/ chunks?/, '')}, next in ${left}`,
    `  ${readable}`,
  ];
  const fits = texts.find((text) => LABEL.length + SHORTEST_BAR + text.length <= columns) ?? texts[2] ?? '';
  const fraction = thaw.chunks.length === 0 ? 1 : thaw.readable / thaw.chunks.length;
  const room = columns - LABEL.length - fits.length;
  return [{ text: LABEL }, { text: bar(fraction, room, glyphsFor(look)), tone: 'accent' }, { text: fits }];
}

/** One sign a chunk: full is readable, half is on its way. */
export function thawChunksLine(thaw: ThawProgress, columns: number, look: Look): Line | undefined {
  if (thaw.chunks.length > columns - LABEL.length) return undefined;
  const glyphs = glyphsFor(look);
  const signs = thaw.chunks.map((state) => level(state === 'readable' ? 1 : state === 'thawing' ? 0.5 : 0, glyphs));
  return [{ text: 'chunks'.padEnd(LABEL.length), tone: 'dim' }, { text: signs.join('') }];
}

/** What Ctrl+C does, with the command that goes on where a job is saved. */
export function thawInterrupt({ jobId }: ThawProgress, columns: number): string {
  if (jobId === undefined) return 'ctrl+c stops here; what was asked for stays asked for';
  const next = `archiver restore jobs check ${jobId}`;
  const long = `ctrl+c stops here; the job ${jobId} is saved: ${next}`;
  return long.length <= columns ? long : `ctrl+c stops; then: ${next}`;
}

/** What stays after an interruption. */
export function keptThawText({ jobId }: ThawProgress): string {
  const asked = 'what was asked for comes back all the same';
  return jobId === undefined ? asked : `${asked}; the job is saved: archiver restore jobs check ${jobId}`;
}

/** The state in one log line: `thawing 7/12 chunks readable, 5 thawing, next look 2025-11-14T12:09:00Z`. */
export function thawLogText(thaw: ThawProgress): string {
  const next = new Date(thaw.nextLookAtMs).toISOString().replace(/\.\d{3}Z$/, 'Z');
  const others = [...countsOf(thaw)]
    .filter(([state]) => state !== 'readable')
    .map(([state, count]) => `, ${count} ${state}`);
  return `thawing ${thaw.readable}/${thaw.chunks.length} chunks readable${others.join('')}, next look ${next}`;
}

/** The same for machines. */
export function thawObject({ thaw }: TransferSnapshot): Readonly<Record<string, unknown>> | undefined {
  if (thaw === undefined) return undefined;
  const { jobId, chunks, tier, storageClasses, costUsd, nextLookAtMs } = thaw;
  const nextLookAt = new Date(nextLookAtMs).toISOString();
  return {
    jobId,
    tier,
    storageClasses,
    costUsd,
    ...Object.fromEntries(countsOf(thaw)),
    chunkStates: chunks,
    nextLookAt,
  };
}

function countsOf({ chunks }: ThawProgress): ReadonlyMap<string, number> {
  const counts = new Map<string, number>([['readable', 0]]);
  for (const state of chunks) counts.set(state, (counts.get(state) ?? 0) + 1);
  return counts;
}
