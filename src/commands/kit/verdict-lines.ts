// What a check of a store found, as text.
import { printable } from '../../core/paths/raw-path.js';
import type { Problem } from '../../core/verify/problem.js';
import type { VerifyResult } from '../../core/verify/verify.js';
import type { DatasetVerdict, StoreVerdict, VersionVerdict } from '../../core/verify/verify-store.js';
import { formatBytes, formatCount, formatDuration, formatQuantity } from '../../ui/format.js';
import { fact, firstLines } from './lines.js';

type Looked = Pick<VerifyResult, 'checked' | 'chunks' | 'chunksRead'>;

/** No more than what was looked at. */
export function soundText({ checked, chunks, chunksRead }: Looked, is = 'is', manifest = 'manifest'): string {
  const all = formatQuantity(chunks, 'chunk');
  if (checked === 'content') return ` ${is} whole`;
  if (checked === 'sample') return `: no damage in ${formatCount(chunksRead)} of ${all} read`;
  if (checked === 'presence') return `: ${chunks === 1 ? '' : 'all '}${all} present; contents not read`;
  return `: ${manifest} consistent; chunks not looked at`;
}

/** One problem; `prefix` says of what. */
export const problemLine =
  (label: string, prefix = '') =>
  ({ message, path, key }: Problem): string => {
    const about = path ?? key;
    const text = about === undefined || message.includes(about) ? message : `${about}: ${message}`;
    return fact(label, printable(prefix + text));
  };

/** The verdict on a store in one sentence. */
export function storeVerdict(result: StoreVerdict): string {
  const { ok, versions, damagedVersions, datasets } = result;
  const name = `${formatQuantity(versions, 'version')} of ${formatQuantity(datasets.length, 'dataset')}`;
  if (ok) return name + soundText(result, versions === 1 ? 'is' : 'are', 'manifests');
  return `${formatCount(damagedVersions)} of ${name} ${damagedVersions === 1 ? 'is' : 'are'} damaged`;
}

/** What was looked at in all, and each dataset. */
export function storeLines(result: StoreVerdict, durationMs: number, isVerbose: boolean): string[] {
  const { mode, chunks, chunksRead, bytesRead, filesRead } = result;
  const time = `in ${formatDuration(durationMs)}`;
  const read = `read ${formatCount(chunksRead)} of ${formatQuantity(chunks, 'chunk')} (${formatBytes(bytesRead)}), each once`;
  const what = {
    quick: 'the manifest of each version',
    default: `the manifest of each version, and the presence of ${formatQuantity(chunks, 'chunk')}`,
    deep: `${read}; ${formatQuantity(filesRead, 'content')} of files and hard links sound`,
  }[mode];
  return [
    fact('checked', `${what}, ${time}`),
    ...result.datasets.flatMap((each) => datasetLines(each, result, isVerbose)),
  ];
}

function datasetLines(dataset: DatasetVerdict, { checked }: StoreVerdict, isVerbose: boolean): string[] {
  const { datasetId, versions } = dataset;
  const damaged = versions.filter(({ ok }) => !ok);
  const warned = versions.filter(({ ok, warnings }) => ok && warnings.length > 0);
  const count = formatQuantity(versions.length, 'version');
  const looked = { ...dataset, checked };
  const verdict = dataset.ok
    ? `${count}${soundText(looked, versions.length === 1 ? 'is' : 'are', 'manifests')}`
    : `${formatCount(damaged.length)} of ${count} damaged`;
  return [
    fact('dataset', `${printable(datasetId)}: ${verdict}`),
    ...damaged.flatMap((version) => versionLines(version, 'error', isVerbose)),
    ...warned.flatMap((version) => versionLines(version, 'warning', isVerbose)),
  ];
}

function versionLines(verdict: VersionVerdict, label: 'error' | 'warning', isVerbose: boolean): readonly string[] {
  const { version, errors, errorCount, warnings, hint } = verdict;
  const problems = label === 'error' ? errors : warnings;
  const total = label === 'error' ? errorCount : warnings.length;
  const lines = problems.map(problemLine(label, `v${version}: `));
  return [...firstLines(lines, { total, isVerbose }), ...(hint === null ? [] : [fact('next', hint)])];
}
