// What a repair found and did, for people. Pure.
import { printable } from '../../core/paths/raw-path.js';
import type { Loss } from '../../core/repair/losses.js';
import type { RepairPart, RepairResult } from '../../core/repair/repair.js';
import { formatBytes, formatCount, formatQuantity } from '../../ui/format.js';

const SHOWN = 10;

function lossLines(lost: readonly Loss[], isVerbose: boolean): readonly string[] {
  const shown = isVerbose ? lost : lost.slice(0, SHOWN);
  const lines = shown.map(({ path, key, reason }) => {
    const about = path ?? key;
    return `  lost      ${printable(about === undefined ? reason : `${about}: ${reason}`)}`;
  });
  const more = lost.length - shown.length;
  return more === 0 ? lines : [...lines, `            and ${formatCount(more)} more; --verbose shows them`];
}

function verdict({ status, damage, uploadId, version, rebuilt }: RepairResult): string {
  const name = `upload ${printable(uploadId)}`;
  const ofDataset = version === null ? '' : ` (version ${version.version} of ${printable(version.datasetId)})`;
  switch (status) {
    case 'sound':
      return `${name}${ofDataset} has a sound manifest: nothing to do`;
    case 'unfinished':
      return `${name}${ofDataset} was repaired, but its version record still names the old manifest`;
    case 'finished':
      return `${name}${ofDataset}: the version record names the repaired manifest now`;
    case 'repairable':
    case 'repaired': {
      const what = rebuilt === null ? 'what builds on it' : 'its manifest';
      const done = status === 'repaired' ? `${what} was rebuilt` : `${what} can be rebuilt`;
      const why = damage === null ? 'it was sound' : printable(damage);
      return `${name}${ofDataset}: ${done} (${why})`;
    }
    default:
      return status satisfies never;
  }
}

const FOUND: Record<RepairPart['from'], string> = {
  chunks: 'by the tables of contents of its chunks',
  manifest: 'by its manifest',
  cache: 'by its manifest in the cache of this computer',
  copy: 'by a copy beside its manifest',
};

function partLines(parts: readonly RepairPart[], isVerbose: boolean): readonly string[] {
  const shown = isVerbose ? parts : parts.slice(0, SHOWN);
  const lines = shown.map(({ uploadId, from }) => `  found     ${printable(uploadId)}, ${FOUND[from]}`);
  const more = parts.length - shown.length;
  return more === 0 ? lines : [...lines, `            and ${formatCount(more)} more; --verbose shows them`];
}

function rebasedLines({ rebased, status }: RepairResult): readonly string[] {
  const label = status === 'repaired' ? 're-based' : 're-base';
  return rebased.map(({ version, uploadId, entries, difference }) => {
    const now = `version ${version} (${printable(uploadId)}): a full listing of ${formatCount(entries)} entries`;
    return `  ${label.padEnd(8)}  ${difference === null ? now : `${now}; ${printable(difference)}`}`;
  });
}

function rebuiltLines({ rebuilt, readBytes, status, backupKey, manifestKey }: RepairResult): readonly string[] {
  if (rebuilt === null) return [];
  const { entries, files, bytes, chunks, storedBytes, listing, encryptedBy } = rebuilt;
  const isDone = status === 'repaired';
  const read = isDone ? 'read' : 'to read';
  return [
    `  holds     ${formatCount(entries)} entries, ${formatQuantity(files, 'file')}, ${formatBytes(bytes)}; ${formatQuantity(chunks, 'chunk')}, ${formatBytes(storedBytes)}`,
    ...(listing === 'delta' ? ['  listing   what differs from the version before'] : []),
    ...(encryptedBy === null ? [] : [`  key       ${printable(encryptedBy)}: the manifest is encrypted`]),
    ...(readBytes === 0 ? [] : [`  ${read.padEnd(8)}  ${formatBytes(readBytes)}, for the SHA-256 of the chunks`]),
    `  ${(isDone ? 'wrote' : 'to write').padEnd(8)}  ${printable(manifestKey)}`,
    ...(backupKey === null ? [] : [`  ${(isDone ? 'kept' : 'to keep').padEnd(8)}  ${printable(backupKey)}`]),
  ];
}

/** The whole text. */
export function repairText(result: RepairResult, isVerbose: boolean, url: string): string {
  const { status, lost, unknown, isProven } = result;
  const next =
    status === 'repairable' || status === 'unfinished'
      ? [`Nothing was written. To do it: archiver repair ${printable(url)} --execute`]
      : status === 'repaired'
        ? [`Check it: archiver verify ${printable(url)} --deep`]
        : [];
  const lines = [
    verdict(result),
    ...partLines(result.parts, isVerbose),
    ...rebuiltLines(result),
    ...rebasedLines(result),
    ...lossLines(lost, isVerbose),
    ...unknown.map((text) => `  unknown   ${printable(text)}`),
    ...(isProven ? [] : ['  unproven  nothing shows that the version is exactly as it was']),
    ...next,
  ];
  return `${lines.join('\n')}\n`;
}
