// `archiver verify`: flags to options, the verdict to text or JSON.
import type { Context } from '../../cli/context.js';
import { runWithProgress } from '../../cli/progress.js';
import { printable } from '../../core/raw-path.js';
import type { Problem } from '../../core/verify/problem.js';
import { verifyUpload, type VerifyMode, type VerifyResult } from '../../core/verify/verify.js';
import { formatBytes, formatCount, formatDuration, formatQuantity } from '../../ui/format.js';
import { glyphsFor } from '../../ui/glyphs.js';
import { paintLine } from '../../ui/toned-line.js';
import { lookOf, type Look } from '../../ui/look.js';
import type { VerifyValues } from '../verify.js';
import { openForReading, uploadTarget, uploadUrl } from './upload-target.js';

const SHOWN = 10;

/** Runs the command; returns its exit status. */
export async function runVerify(values: VerifyValues, url: string | undefined, context: Context): Promise<number> {
  const target = uploadTarget(url, values);
  const startedAt = context.now().getTime();
  const { result, requests } = await runWithProgress(
    context,
    { progressFormat: values.progressFormat },
    async (emit) => {
      const opened = await openForReading(target.baseUrl, values, context, {
        requestsAtOnce: values.workers,
        onEvent: emit,
      });
      try {
        const result = await verifyUpload({
          reader: opened.store,
          uploadId: target.uploadId,
          mode: modeOf(values),
          sample: values.sample ?? 1,
          random: Math.random,
          requestsAtOnce: values.workers,
          memoryLimitBytes: context.memoryLimitBytes,
          emit,
          signal: context.signal,
        });
        return { result, requests: opened.requests };
      } finally {
        opened.close();
      }
    },
  );
  const durationMs = context.now().getTime() - startedAt;
  context.result({ ...result, location: uploadUrl(target), durationMs, requests }, () =>
    verdictText(result, durationMs, context.verbose, lookOf(context.colors.stdout, context.env)),
  );
  return result.ok ? 0 : 1;
}

function modeOf({ quick, deep, sample }: VerifyValues): VerifyMode {
  if (quick) return 'quick';
  return deep || sample !== undefined ? 'deep' : 'default';
}

function verdictText(result: VerifyResult, durationMs: number, isVerbose: boolean, look: Look): string {
  const { ok, errors, errorCount, warnings } = result;
  const glyphs = glyphsFor(look);
  const sign = ok ? ({ text: glyphs.good, tone: 'good' } as const) : ({ text: glyphs.failed, tone: 'bad' } as const);
  const verdict = ok ? 'is whole' : `is damaged: ${formatQuantity(errorCount, 'error')}`;
  const lines = [
    paintLine([sign, { text: ` upload ${printable(result.uploadId)} ${verdict}` }], look),
    `  checked   ${checkedText(result)}, in ${formatDuration(durationMs)}`,
    ...problemText('error   ', errors, errorCount, isVerbose),
    ...problemText('warning ', warnings, warnings.length, isVerbose),
  ];
  return `${lines.join('\n')}\n`;
}

function checkedText({ mode, entries, files, bytes, chunks, chunksRead, filesRead, bytesRead }: VerifyResult): string {
  const manifest = `${formatCount(entries)} entries, ${formatQuantity(files, 'file')}, ${formatBytes(bytes)}`;
  if (mode === 'quick') return `the manifest: ${manifest}`;
  if (mode === 'default') return `${manifest}, and that ${formatQuantity(chunks, 'chunk')} are there`;
  return `${manifest}; read ${chunksRead} of ${formatQuantity(chunks, 'chunk')} (${formatBytes(bytesRead)}) with ${formatQuantity(filesRead, 'sound file')}`;
}

function problemText(label: string, problems: readonly Problem[], count: number, isVerbose: boolean): string[] {
  const shown = isVerbose ? problems : problems.slice(0, SHOWN);
  const lines = shown.map(({ message, path, key }) => {
    const about = path ?? key;
    return `  ${label}  ${printable(about === undefined || message.includes(about) ? message : `${about}: ${message}`)}`;
  });
  const more = count - shown.length;
  return more > 0
    ? [
        ...lines,
        `  ${' '.repeat(label.length)}  and ${formatCount(more)} more${isVerbose ? '' : '; --verbose shows them'}`,
      ]
    : lines;
}
