// Text about what a check of a store found.
import { printable } from '../../core/platform/paths/raw-path.js';
import { type Problem, problemText } from '../../core/mend/verify/problem.js';
import type { VerifyResult } from '../../core/mend/verify/verify.js';
import type {
  DatasetVerdict,
  StoreVerdict,
  UploadVerdict,
  VersionVerdict,
} from '../../core/mend/verify/store-verdict.js';
import { formatBytes, formatCount, formatDuration, formatQuantity } from '../../ui/format.js';
import { amountText, fact, firstLines } from './lines.js';
import { chunksIn, requestHint } from './unread-cold.js';
import { versionName } from '../../core/dataset/records/version-name.js';

type CheckedUpload = Pick<VerifyResult, 'checked' | 'chunks' | 'chunksRead' | 'unreadCold' | 'part'>;

/** Says that an upload is sound, claiming no more than what was checked. */
export function soundText(
  { checked, chunks, chunksRead, unreadCold, part }: CheckedUpload,
  is = 'is',
  manifest = 'manifest',
): string {
  const cold = chunksIn(unreadCold);
  const unread = cold === 0 ? '' : `; ${formatCount(cold)} in cold storage not read`;
  const all = formatQuantity(chunks, 'chunk');
  if (checked === 'content') return ` ${is} whole`;
  const of = part === undefined ? '' : ` (part ${part.number} of ${part.of})`;
  if (checked === 'sample') return `: no damage in ${formatCount(chunksRead)} of ${all} read${of}${unread}`;
  if (checked === 'presence') return `: ${chunks === 1 ? '' : 'all '}${all} present; contents not read${of}`;
  return `: ${manifest} consistent; chunks not looked at`;
}

/** A line about one problem; `prefix` says what it is about. */
export const problemLine =
  (label: string, prefix = '') =>
  (problem: Problem): string =>
    fact(label, printable(prefix + problemText(problem)));

/** The verdict on a store in one sentence. */
export function storeVerdict(result: StoreVerdict): string {
  const { ok, versions, damagedVersions, datasets, uploads } = result;
  const groups = [
    {
      name: `${formatQuantity(versions, 'version')} of ${formatQuantity(datasets.length, 'dataset')}`,
      count: versions,
      damaged: damagedVersions,
    },
    {
      name: formatQuantity(uploads.length, 'other upload'),
      count: uploads.length,
      damaged: uploads.filter((upload) => !upload.ok).length,
    },
  ];
  const there = groups.filter(({ count }, index) => count > 0 || (index === 0 && uploads.length === 0));
  const all = there.map(({ name }) => name).join(' and ');
  if (ok) return all + soundText(result, versions + uploads.length === 1 ? 'is' : 'are', 'manifests');
  return there
    .filter(({ damaged }) => damaged > 0)
    .map(({ name, damaged }) => `${formatCount(damaged)} of ${name} ${damaged === 1 ? 'is' : 'are'} damaged`)
    .join(', ');
}

/** Lines about a whole store: what was checked, what was not (`unread`), then each dataset, so that how to repair damage comes last. */
export function storeLines(
  result: StoreVerdict,
  durationMs: number,
  { unread, isVerbose }: { readonly unread: readonly string[]; readonly isVerbose: boolean },
): string[] {
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
    ...unread,
    ...(result.uncheckedUploads === 0
      ? []
      : [
          fact('left out', `${formatQuantity(result.uncheckedUploads, 'upload')} not finished, or marked for deletion`),
        ]),
    ...(result.isComplete ? [] : [fact('left out', 'not every folder below was looked into')]),
    ...result.datasets.flatMap((each) => datasetLines(each, result, isVerbose)),
    ...result.uploads.flatMap((each) => uploadLines(each, result, isVerbose)),
  ];
}

/** Says where the upload is, unless it is in the store itself. */
const placeText = (location: string, store: StoreVerdict): string =>
  location === store.location ? '' : ` in ${printable(location)}`;

function uploadLines(upload: UploadVerdict, store: StoreVerdict, isVerbose: boolean): string[] {
  const { ok, uploadId, location, errorCount } = upload;
  const verdict = ok ? soundText({ ...upload, checked: store.checked }) : `: ${formatQuantity(errorCount, 'error')}`;
  return [
    fact('upload', `${printable(uploadId)}${placeText(location, store)}${verdict}`),
    ...(ok && upload.warnings.length === 0 ? [] : problemLines(upload, ok ? 'warning' : 'error', isVerbose)),
  ];
}

function datasetLines(dataset: DatasetVerdict, store: StoreVerdict, isVerbose: boolean): string[] {
  const { checked } = store;
  const { datasetId, location, versions } = dataset;
  const damaged = versions.filter(({ ok }) => !ok);
  const warned = versions.filter(({ ok, warnings }) => ok && warnings.length > 0);
  const count = formatQuantity(versions.length, 'version');
  const looked = { ...dataset, checked };
  const verdict = dataset.ok
    ? `${count}${soundText(looked, versions.length === 1 ? 'is' : 'are', 'manifests')}`
    : `${formatCount(damaged.length)} of ${count} damaged`;
  return [
    fact('dataset', `${printable(datasetId)}${placeText(location, store)}: ${verdict}`),
    ...damaged.flatMap((each) => problemLines(each, 'error', isVerbose, `${versionName(each)}: `)),
    ...warned.flatMap((each) => problemLines(each, 'warning', isVerbose, `${versionName(each)}: `)),
  ];
}

function problemLines(
  verdict: Omit<VersionVerdict, 'version' | 'uploadId'>,
  label: 'error' | 'warning',
  isVerbose: boolean,
  prefix = '',
): readonly string[] {
  const { errors, errorCount, warnings, hint } = verdict;
  const problems = label === 'error' ? errors : warnings;
  const total = label === 'error' ? errorCount : warnings.length;
  const lines = problems.map(problemLine(label, prefix));
  return [...firstLines(lines, { total, isVerbose }), ...(hint === null ? [] : [fact('next', hint)])];
}

interface VerdictOptions {
  readonly durationMs: number;
  /** Lines about chunks that were not read. */
  readonly unread: readonly string[];
  readonly location: string;
  readonly isVerbose: boolean;
}

/** Lines about one upload: the verdict, what was checked, what was not, and what was found. */
export const verdictLines = (result: VerifyResult, options: VerdictOptions): readonly string[] => [
  uploadVerdict(result),
  checkedLine(result, options.durationMs),
  ...options.unread,
  ...foundLines(result, options),
];

/** Says of an upload what was found. */
const uploadVerdict = (result: VerifyResult): string => {
  const name = `upload ${printable(result.uploadId)}`;
  return result.ok ? name + soundText(result) : `${name} is damaged: ${formatQuantity(result.errorCount, 'error')}`;
};

const checkedLine = (result: VerifyResult, durationMs: number): string =>
  fact('checked', `${checkedText(result)}, in ${formatDuration(durationMs)}`);

function foundLines(
  { ok, errors, errorCount, warnings, hint, unreadCold }: VerifyResult,
  { location, isVerbose }: VerdictOptions,
): readonly string[] {
  const next = ok && unreadCold.some(({ state }) => state === 'cold') ? requestHint(location) : hint;
  return [
    ...firstLines(errors.map(problemLine('error')), { total: errorCount, isVerbose }),
    ...firstLines(warnings.map(problemLine('warning')), { isVerbose }),
    ...(next === null ? [] : [fact('next', next)]),
  ];
}

function checkedText({ mode, checked, ok, ...counts }: VerifyResult): string {
  const { entries, files, bytes, chunks, chunksRead, filesRead, bytesRead } = counts;
  if (checked === 'manifest' && !ok && entries === 0) return 'the manifest alone';
  const manifest = `${formatCount(entries)} ${entries === 1 ? 'entry' : 'entries'}, ${amountText(files, 'file', bytes)}`;
  if (mode === 'quick') return `the manifest: ${manifest}`;
  if (mode === 'default') return `${manifest}, and the presence of ${formatQuantity(chunks, 'chunk')}`;
  return `${manifest}; read ${chunksRead} of ${formatQuantity(chunks, 'chunk')} (${formatBytes(bytesRead)}), ${formatQuantity(filesRead, 'content')} of files and hard links sound`;
}
