import { mkdtemp, rename, rm, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { runWithProgress } from '../../../cli/progress.js';
import { ArchiverError, isArchiverError } from '../../../core/platform/failures/errors.js';
import {
  baseName,
  displayPath,
  fsPath,
  pathBelow,
  printable,
  type RawPath,
  rawFromText,
  TOP,
} from '../../../core/platform/paths/raw-path.js';
import { restoreUpload, type RestoreOptions, type RestoreResult } from '../../../core/restore/restore.js';
import { problemLines } from '../../../screens/progress/problem-lines.js';
import { formatBytes, formatQuantity } from '../../../ui/format.js';
import { lookOf } from '../../../ui/look.js';
import { recordRunFacts, recordRunResult } from '../../kit/account.js';
import { invalidatingChecks } from '../../kit/invalidate-checks.js';
import { warnOf } from '../../kit/run.js';
import type { ArchiveCall, ArchiveCommand } from '../archive-command.js';
import { outageLines } from './outage-lines.js';
import { restoreHint } from '../../kit/restore-hint.js';
import { memoryLimit } from '../../kit/memory-limit.js';

/** The default of `restore --workers`. */
const REQUESTS_AT_ONCE = 4;

export const get: ArchiveCommand = {
  name: 'get',
  usage: 'get PATH [TO]',
  summary:
    'restore to this computer: files by their base name into TO, a folder or a new file name; folders with their ' +
    'whole path below TO. TO is the folder that archiver runs in when it is not given',
  options: [{ name: '-r', describe: 'folders with what is below them, which they always are' }],
  args: ['path', 'local', 'nothing'],
  minArgs: 1,
  maxArgs: 2,
  async run(call) {
    const { session, args } = call;
    const paths = await session.paths(args.slice(0, 1), call.streams);
    const to = args[1]?.text ?? '.';
    const target = resolve(session.context.cwd, to);
    const isFile = !to.endsWith('/') && !(await isFolder(target)) && args[1] !== undefined && isOneFile(call, paths);
    const result = isFile ? await getAs(call, paths, target) : await getInto(call, paths, target);
    await reportResult(call, result, target);
    if (result.failed.length === 0) return 0;
    return result.files + result.unchanged > 0 ? 3 : 1;
  },
};

const isFolder = async (path: string): Promise<boolean> =>
  (await stat(path).catch(() => undefined))?.isDirectory() === true;

const isOneFile = ({ session }: ArchiveCall, paths: readonly RawPath[]): boolean =>
  paths.length === 1 && !session.listing.isFolder(paths[0] ?? TOP);

/** Restores one file under another name. It is restored next to the target first, so that it appears as a whole. */
async function getAs(call: ArchiveCall, paths: readonly RawPath[], target: string): Promise<RestoreResult> {
  const temporary = await mkdtemp(join(dirname(target), '.archiver-get-')).catch((cause: unknown) => {
    throw new ArchiverError('io', `cannot write to ${printable(dirname(target))}`, { cause });
  });
  try {
    const result = await getInto(call, paths, temporary);
    const [path = TOP] = paths;
    if (result.files > 0) await rename(fsPath(pathBelow(rawFromText(temporary), baseName(path))), target);
    return result;
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

async function getInto(call: ArchiveCall, paths: readonly RawPath[], outputDir: string): Promise<RestoreResult> {
  const { session, streams } = call;
  const { reader, uploadId, manifestSha256, cache, during, fetchCheck } = session.archive;
  const { context } = session;
  const isAll = paths.includes(TOP);
  const progressFormat = streams.stderr.isTTY === true ? undefined : 'none';
  const options: Omit<RestoreOptions, 'emit'> = {
    operation: 'restore',
    reader,
    uploadId,
    manifestSha256,
    outputDir,
    selectors: isAll ? { all: true } : { paths },
    overwrite: 'if-changed',
    flatten: !paths.some((path) => session.listing.isFolder(path)),
    verifyFiles: true,
    keepSpecialBits: false,
    dryRun: false,
    requestsAtOnce: REQUESTS_AT_ONCE,
    memoryLimitBytes: memoryLimit(context, 'reading content'),
    cache,
    fillsCache: !isAll,
    mayFetch: fetchCheck(),
    signal: streams.signal,
  };
  const warn = (text: string): void => void streams.stderr.write(`! ${printable(text)}\n`);
  const world = { ...context, stderr: streams.stderr, signal: streams.signal, warn };
  // Progress on a terminal says it itself.
  const consumers = progressFormat === undefined ? [] : [{ name: 'outage', take: outageLines(call) }];
  recordRunFacts(context, { operation: 'restore', uploadId });
  try {
    const result = await runWithProgress(world, { progressFormat, consumers }, (emit) =>
      invalidatingChecks(world, isSound, () => during(emit, () => restoreUpload({ ...options, emit }))),
    );
    const { files = 0, bytes = 0 } = context.account.about ?? {};
    recordRunResult(context, { files: files + result.files, bytes: bytes + result.bytes });
    return result;
  } catch (error) {
    throw isArchiverError(error, 'cold-storage') ? notReadable(call, paths, error) : error;
  }
}

const isSound = ({ failed }: RestoreResult): boolean => failed.length === 0;

async function reportResult(
  { session, out, streams }: ArchiveCall,
  result: RestoreResult,
  target: string,
): Promise<void> {
  const { context } = session;
  const { files, bytes, unchanged, failed, warnings } = result;
  const kept = unchanged === 0 ? '' : `, ${formatQuantity(unchanged, 'file')} already in place`;
  await out.write(`${formatQuantity(files, 'file')}, ${formatBytes(bytes)} to ${printable(target)}${kept}\n`);
  warnOf(warnings, { warn: (text) => void streams.stderr.write(`! ${text}\n`) });
  if (failed.length === 0) return;
  const lines = problemLines('failed', failed, lookOf(context.colors.stderr, context.env));
  streams.stderr.write(`${lines.join('\n')}\n`);
}

/** The error for cold storage. Requesting chunks costs money and takes hours, so that is left to the command that says what it costs. */
function notReadable({ session }: ArchiveCall, paths: readonly RawPath[], cause: ArchiverError): ArchiverError {
  const what = paths.length === 1 ? displayPath(paths[0] ?? TOP) || 'the archive' : `some of ${paths.length} paths`;
  return new ArchiverError('cold-storage', `${what}: in cold storage and not readable yet`, {
    hint: restoreHint(session.archive.location, paths),
    cause,
  });
}
