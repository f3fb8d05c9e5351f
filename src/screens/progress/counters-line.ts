import type { TransferSnapshot } from '../../stores/transfer-state.js';
import { formatCount, formatRate, formatRatio } from '../../ui/format.js';
import type { Line } from '../../ui/toned-line.js';
import { OPERATION_WORDS } from './progress-words.js';

const GAP = '   ';

/** Files, rates, ratio and chunks: the most useful first, as many as fit. */
export function countersLine(snapshot: TransferSnapshot, columns: number): Line | undefined {
  if (snapshot.filesTotal === undefined) return undefined;
  const isWide = columns >= 120;
  const parts = [filesText(snapshot), ...rateTexts(snapshot, isWide), ratioText(snapshot)];
  const shown = parts.filter((part) => part !== '');
  const text = [...shown, chunksText(snapshot, isWide)].join(GAP);
  if (text.length <= columns) return [{ text }];
  const chunks = `${formatCount(snapshot.chunksDone)}/${formatCount(snapshot.chunksTotal ?? 0)} chunks`;
  return [{ text: joinFitting([...shown, chunks], columns) }];
}

function joinFitting(parts: readonly string[], columns: number): string {
  return parts.reduce((line, part) => {
    const longer = line === '' ? part : `${line}${GAP}${part}`;
    return longer.length <= columns || line === '' ? longer : line;
  }, '');
}

const filesText = ({ filesDone, filesTotal }: TransferSnapshot): string =>
  `${formatCount(filesDone)} of ${formatCount(filesTotal ?? 0)} files`;

function rateTexts(snapshot: TransferSnapshot, isWide: boolean): string[] {
  const raw = formatRate(snapshot.bytesPerSecond);
  if (!isWide || snapshot.operation === undefined) return [raw];
  const { rawVerb, storedVerb } = OPERATION_WORDS[snapshot.operation];
  return [`${rawVerb} ${raw}`, `${storedVerb} ${formatRate(snapshot.storedBytesPerSecond)}`];
}

function ratioText({ ratio, operation }: TransferSnapshot): string {
  if (ratio === undefined || operation !== 'upload') return '';
  return ratio < 1.05 ? 'same size' : `${formatRatio(ratio)} smaller`;
}

function chunksText(snapshot: TransferSnapshot, isWide: boolean): string {
  const { chunksDone, chunksTotal = 0, chunksInFlight, retries } = snapshot;
  const verb = snapshot.operation === 'upload' ? 'sent' : 'fetched';
  const done = `${formatCount(chunksDone)} of ${formatCount(chunksTotal)} chunks`;
  const retried = `${formatCount(retries)} retried`;
  return isWide ? `${done} ${verb}, ${formatCount(chunksInFlight)} in flight, ${retried}` : `${done}, ${retried}`;
}
