// `restore STORE --to-tar FILE|-` and `--to-zip FILE|-`: what is selected becomes one archive.
import { resolve } from 'node:path';
import { writeChecked } from '../../cli/checked-write.js';
import type { Context } from '../../cli/context.js';
import { dashed, joinWords } from '../../cli/rule.js';
import { usageError } from '../../core/platform/failures/errors.js';
import { fileFailure } from '../../core/platform/failures/file-failure.js';
import { systemCode, ArchiverError, isArchiverError } from '../../core/platform/failures/errors.js';
import { NewFile } from '../../core/platform/state/new-file.js';
import type { Bytes } from '../../core/restore/export/archive-format.js';
import { type Compression, compressed } from '../../core/restore/export/compressed.js';
import { exportUpload } from '../../core/restore/export/export-upload.js';
import { TarFormat } from '../../core/restore/export/tar-format.js';
import { ZipFormat } from '../../core/restore/export/zip-format.js';
import { retrievalDocument } from '../../core/restore/retrieval-document.js';
import type { RestoreOptions, RestoreResult } from '../../core/restore/restore.js';
import type { OpenedStore } from '../../core/store/open-store.js';
import { openFrameCache } from '../kit/frame-cache.js';
import { pricedFetch } from '../kit/priced-fetch.js';
import { restoreCommand } from '../kit/restore-command.js';
import { restoreFiles } from '../kit/restore-files.js';
import { statusOf } from '../kit/restore-result.js';
import { selectorsOf } from '../kit/selectors.js';
import { findUpload, uploadUrl } from '../kit/upload-target.js';
import type { ExportValues } from './export-values.js';

interface ExportCall {
  readonly url: string;
  readonly folder: string | undefined;
  readonly idleKeys: readonly string[];
}

/** Flags about a folder that mean something for an archive, too. */
const KEPT_KEYS: readonly string[] = ['overwrite', 'keepSpecialBits'];

/** Writes the archive; returns the exit status. @throws usage for flags that can do nothing; conflict where FILE is there */
export async function exportFiles(
  values: ExportValues,
  call: ExportCall,
  context: Context<'restore'>,
): Promise<number> {
  const isZip = values.toZip !== undefined;
  const name = values.toTar ?? values.toZip ?? '-';
  const toStdout = name === '-';
  refuseIdle({ toStdout, isZip }, call, context);
  const output = toStdout
    ? undefined
    : await beginFile(
        resolve(context.cwd, name),
        values.overwrite === 'always' && context.origins['overwrite'] === 'flag',
      );
  try {
    const target = await findUpload(call.url, values, context);
    let text = '';
    const told = toStdout ? resultTo(context, (shown) => (text = shown)) : context;
    const restore = {
      operation: 'restore' as const,
      outputDir: toStdout ? 'stdout' : resolve(context.cwd, name),
      target,
      manifestSha256: target.manifestSha256,
      selectors: await selectorsOf(values, context),
      openCache: () => openFrameCache(values, context),
      fillsCache: false,
      fetch: async (options: Omit<RestoreOptions, 'reader' | 'mayFetch'>, opened: OpenedStore) => {
        const priced = pricedFetch({ values, target, opened }, context);
        const write = async (bytes: Bytes): Promise<void> => {
          const pieces = compressed(bytes, isZip ? 'none' : compressionOf(name));
          await (output === undefined ? toStream(pieces, context) : toFile(pieces, output));
        };
        const format = isZip ? new ZipFormat() : new TarFormat();
        const { now } = context;
        const given = { ...options, reader: opened.store, mayFetch: priced.check, target: options.outputDir };
        const result = await exportUpload({ ...given, format, write, now }).catch(async (error: unknown) => {
          throw withThawHint(await priced.withPrice(error), values, uploadUrl(target));
        });
        if (output !== undefined && statusOf(result) !== 1) await finish(output, options.outputDir);
        return { result, more: await documentOf(result, priced) };
      },
    };
    const status = await restoreFiles({ ...values, dryRun: false }, restore, told, (restored, more) => ({
      ...restored,
      ...more,
    }));
    if (toStdout && (status !== 0 || !context.quiet)) context.stderr.write(text);
    if (toStdout && status !== 0) context.warn('what was written to stdout is not all that was selected');
    return status;
  } catch (error) {
    throw toStdout ? notWhole(error) : error;
  } finally {
    await output?.discard();
  }
}

const compressionOf = (name: string): Compression =>
  /\.(?:gz|tgz)$/i.test(name) ? 'gzip' : /\.t?zst$/i.test(name) ? 'zstd' : 'none';

function refuseIdle(
  { toStdout, isZip }: { readonly toStdout: boolean; readonly isZip: boolean },
  { folder, idleKeys }: ExportCall,
  { origins, json, stdout }: Context<'restore'>,
): void {
  const flag = isZip ? '--to-zip' : '--to-tar';
  if (folder !== undefined) throw usageError(`${flag} writes an archive, and no OUTPUT_DIR: leave one of them out`);
  const idle = idleKeys.filter((key) => !KEPT_KEYS.includes(key) && origins[key] === 'flag').map(dashed);
  if (idle.length > 0) throw usageError(`${joinWords(idle, 'and')} can do nothing with ${flag}`);
  if (!toStdout) return;
  if (origins['overwrite'] === 'flag')
    throw usageError('--overwrite can do nothing where the archive goes to stdout (-)');
  if (json) throw usageError(`stdout carries the archive (${flag} -): there is no --json`);
  if (stdout.isTTY === true)
    throw usageError('an archive does not go to a terminal', `name a file, or send it elsewhere: … ${flag} - | tar -x`);
}

async function beginFile(path: string, replaces: boolean): Promise<NewFile> {
  try {
    return await NewFile.begin(path, replaces);
  } catch (error) {
    throw systemCode(error) === undefined ? error : fileFailure('write', path, error);
  }
}

async function finish(output: NewFile, path: string): Promise<void> {
  try {
    await output.finish();
  } catch (error) {
    throw systemCode(error) === undefined ? error : fileFailure('write', path, error);
  }
}

async function toStream(pieces: AsyncIterable<Uint8Array>, { stdout, signal }: Context<'restore'>): Promise<void> {
  for await (const piece of pieces) {
    signal.throwIfAborted();
    await writeChecked(stdout, piece, signal);
  }
}

async function toFile(pieces: AsyncIterable<Uint8Array>, output: NewFile): Promise<void> {
  for await (const piece of pieces) await output.write(piece);
}

/** Passes the text of the result on, since stdout carries the archive. */
const resultTo = (context: Context<'restore'>, show: (text: string) => void): Context<'restore'> => {
  const tell = (_document: unknown, text: () => string): void => show(text());
  return { ...context, json: false, result: tell, outcome: tell };
};

async function documentOf(result: RestoreResult, { estimate, asked }: ReturnType<typeof pricedFetch>) {
  const chunks = asked().map((chunk) => ({ ...chunk, state: 'readable' as const }));
  return retrievalDocument(
    { kind: 'restored', result, chunks, estimate: await estimate(true), project: null },
    undefined,
  );
}

/** Adds the command that requests what lies in cold storage. */
function withThawHint(error: unknown, { all, file, pattern }: ExportValues, location: string): unknown {
  if (!isArchiverError(error, 'cold-storage')) return error;
  const { code, message } = error;
  const isNamed = all || file.length + pattern.length > 0;
  const files = all ? undefined : file;
  const hint = isNamed
    ? restoreCommand({ location, outputDir: './out', files, patterns: pattern })
    : 'a restore into a folder requests it';
  return new ArchiverError(code, message, { hint, cause: error });
}

function notWhole(error: unknown): unknown {
  if (!isArchiverError(error) || error.code === 'usage' || error.code === 'cold-storage' || error.code === 'not-found')
    return error;
  const { code, message, hint, exitCode } = error;
  const text = `${message}; what was written to stdout is not a whole archive`;
  return new ArchiverError(code, text, { cause: error, hint, exitCode });
}
