import { defineCommand } from '../cli/command.js';
import type { MemoryLimit, Results, Verbosity } from '../cli/context.js';
import { flag, type Values } from '../cli/flag.js';
import type { ProgressContext } from '../cli/progress.js';
import { conflicts } from '../cli/rule.js';
import { printable } from '../core/paths/raw-path.js';
import type { Problem } from '../core/verify/problem.js';
import type { VerifyMode, VerifyResult } from '../core/verify/verify.js';
import { formatBytes, formatCount, formatDuration, formatQuantity } from '../ui/format.js';
import { limitFlags, outputFlags, uploadArg, uploadTargetFlags, workersFlag } from './kit/flags.js';
import { amountText, fact, firstLines, textOf } from './kit/lines.js';
import { headline } from './kit/headline.js';
import { stopwatch, withResult } from './kit/run.js';
import { type StoreContext, withStore } from './kit/store.js';
import { uploadTarget, uploadUrl } from './kit/upload-target.js';

const flags = {
  ...uploadTargetFlags('us-west-2'),
  quick: flag.on({ describe: 'check the manifest alone' }),
  deep: flag.on({ describe: 'read every chunk again and check each byte of it' }),
  sample: flag.percent({
    placeholder: 'PERCENT',
    describe: 'deep-check this share of the chunks, chosen at random, at least one: 5%',
  }),
  ...workersFlag,
  limitDownload: limitFlags.limitDownload,
  ...outputFlags,
};

export const command = defineCommand({
  path: 'verify',
  summary: 'check that an upload is whole',
  description:
    'Checks the manifest against itself (counts, sizes, shards, positions, order, checksums), that the version record ' +
    'names it, and that every chunk is in the store with its size: two listings. --deep also reads the chunks: their SHA-256, that of each frame, the tar ' +
    'headers, and the MD5 of every file; damage is reported with the files that it hits, and the rest is checked. ' +
    '--sample 5% does that for some chunks only. Where the manifest is a delta, all that it builds on is checked: each ' +
    'manifest, the totals of the whole, and the chunks that it needs, in whichever upload they lie. Objects that nothing ' +
    'refers to are warnings. The verdict says what was looked at, and so does `checked` of --json: "manifest" (--quick), ' +
    '"presence" of chunks, a "sample" of them read, or "content", all of it; only then the upload is called whole.',
  args: [uploadArg],
  flags,
  rules: [conflicts('quick', ['deep', 'sample'])],
  examples: [
    'archiver verify s3://acme-archive/lab/uploads/20251114-093012-1a2b3c4d',
    'archiver verify --bucket acme-archive --upload-id 20251114-093012-1a2b3c4d --deep',
    'archiver verify file:///mnt/backup/uploads/20251114-093012-1a2b3c4d --sample 5%',
  ],
  exits: { 0: 'all checks passed', 1: 'verification failed, or the upload cannot be read' },
  async run(values, [url], context: Results & Verbosity & MemoryLimit & StoreContext & ProgressContext) {
    const { baseUrl, uploadId } = uploadTarget(url, values);
    const { verifyUpload } = await import('../core/verify/verify.js');
    const { workers } = values;
    const elapsed = stopwatch(context);
    const { result } = await withResult(context, values, {
      work: (emit) => {
        const call = { baseUrl, values, context, requestsAtOnce: workers, onEvent: emit };
        return withStore(call, async ({ store, requests }) => {
          const result = await verifyUpload({
            reader: store,
            uploadId,
            mode: modeOf(values),
            sample: values.sample ?? 1,
            random: Math.random,
            requestsAtOnce: workers,
            memoryLimitBytes: context.memoryLimitBytes,
            emit,
            signal: context.signal,
          });
          return { result, requests };
        });
      },
      show: async ({ result, requests }) => {
        const durationMs = elapsed();
        const { mode: _, bytesRead: bytesFetched, ...document } = result;
        const first = headline(result.ok, verdict(result), context);
        return {
          document: { ...document, bytesFetched, location: uploadUrl({ baseUrl, uploadId }), durationMs, requests },
          text: () => textOf([first, ...detailLines(result, durationMs, context.verbose)]),
        };
      },
    });
    return result.ok ? 0 : 1;
  },
});

function modeOf({ quick, deep, sample }: Values<typeof flags>): VerifyMode {
  if (quick) return 'quick';
  return deep || sample !== undefined ? 'deep' : 'default';
}

const verdict = (result: VerifyResult): string => {
  const name = `upload ${printable(result.uploadId)}`;
  return result.ok ? name + soundText(result) : `${name} is damaged: ${formatQuantity(result.errorCount, 'error')}`;
};

/** No more than what was looked at. */
function soundText({ checked, chunks, chunksRead }: VerifyResult): string {
  const all = formatQuantity(chunks, 'chunk');
  if (checked === 'content') return ' is whole';
  if (checked === 'sample') return `: no damage in ${formatCount(chunksRead)} of ${all} read`;
  if (checked === 'presence') return `: ${chunks === 1 ? '' : 'all '}${all} present; contents not read`;
  return ': manifest consistent; chunks not looked at';
}

function detailLines(result: VerifyResult, durationMs: number, isVerbose: boolean): string[] {
  const { errors, errorCount, warnings, hint } = result;
  return [
    fact('checked', `${checkedText(result)}, in ${formatDuration(durationMs)}`),
    ...firstLines(errors.map(problemLine('error')), { total: errorCount, isVerbose }),
    ...firstLines(warnings.map(problemLine('warning')), { isVerbose }),
    ...(hint === null ? [] : [fact('next', hint)]),
  ];
}

function checkedText({ mode, entries, files, bytes, chunks, chunksRead, filesRead, bytesRead }: VerifyResult): string {
  const manifest = `${formatCount(entries)} entries, ${amountText(files, 'file', bytes)}`;
  if (mode === 'quick') return `the manifest: ${manifest}`;
  if (mode === 'default') return `${manifest}, and that ${formatQuantity(chunks, 'chunk')} are there`;
  return `${manifest}; read ${chunksRead} of ${formatQuantity(chunks, 'chunk')} (${formatBytes(bytesRead)}), ${formatQuantity(filesRead, 'content')} of files and hard links sound`;
}

const problemLine =
  (label: string) =>
  ({ message, path, key }: Problem): string => {
    const about = path ?? key;
    return fact(label, printable(about === undefined || message.includes(about) ? message : `${about}: ${message}`));
  };
