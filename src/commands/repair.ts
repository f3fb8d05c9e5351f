import pkg from '../../package.json' with { type: 'json' };
import { defineCommand } from '../cli/command.js';
import type { Messages, Places, Results, Verbosity } from '../cli/context.js';
import type { ProgressContext } from '../cli/progress.js';
import { flag } from '../cli/flag.js';
import { printable } from '../core/platform/paths/raw-path.js';
import type { Loss } from '../core/mend/repair/losses.js';
import type { RepairPart, RepairResult } from '../core/mend/repair/repair-result.js';
import { formatBytes, formatCount } from '../ui/format.js';
import { learnProjects, recordRunFacts } from './kit/account.js';
import {
  limitFlags,
  storeModeFlag,
  uploadArg,
  uploadTargetFlags,
  uploadTargetRules,
  workersFlag,
} from './kit/flags.js';
import { amountText, fact, firstLines, textOf } from './kit/lines.js';
import { withResult } from './kit/run.js';
import { type StoreContext, withStore } from './kit/store.js';
import { findUpload, uploadUrl } from './kit/upload-target.js';
import { exclusiveFlag } from './kit/guard-flags.js';

const flags = {
  ...uploadTargetFlags('us-west-2'),
  ...exclusiveFlag,
  ...storeModeFlag,
  execute: flag.on({ describe: 'write the rebuilt manifest; without it nothing is written' }),
  force: flag.on({ describe: 'rewrite an intact manifest as well, if its chunks hold everything that it says' }),
  fromPrevious: flag.on({
    describe: 'take entries that are not in the chunks of the upload from versions before it, also unproven ones',
  }),
  ...workersFlag,
  limitDownload: limitFlags.limitDownload,
};

export const command = defineCommand({
  path: 'repair',
  summary: 'put a lost or damaged manifest back, or rebuild it from the chunks',
  description:
    'A copy of the manifest is looked for first: in the cache of this computer, and beside the manifest. Else it is rebuilt: ' +
    'every chunk ends with its own table of contents (files, links, folders, attributes). Without --execute these are read ' +
    '(a listing and one small request a chunk), and what would be written is shown. With --execute every chunk is also ' +
    'read through once, for its SHA-256, and the manifest is written; the damaged one is kept beside it as ' +
    'manifest.json.gz.*.pre-repair.bak, and the version record is made to name the new one. Nothing is deleted.\n' +
    'A version that lists only changes, or took entries over, is put together from the manifests of the versions before it, ' +
    'or from their chunks where these are lost, too, and from folders that an interrupted upload left; deletions are not in ' +
    'chunks. The counts in the version record tell whether it is all there. Versions that build on a manifest which cannot ' +
    'be proven to say the same as before become full listings of their own. Of a large listing only the segments that are lost are ' +
    'rebuilt, for all versions that name them. A sound manifest is never changed in what it ' +
    'says. Chunks in cold storage must be restored from it first.',
  args: [uploadArg],
  flags,
  rules: [...uploadTargetRules],
  examples: [
    'archiver repair s3://acme-archive/lab/uploads/20251114-093012-1a2b3c4d',
    'archiver repair s3://acme-archive/lab/uploads/20251114-093012-1a2b3c4d --execute',
    'archiver repair file:///mnt/backup/uploads/20251114-093012-1a2b3c4d --json',
  ],
  isRecorded: true,
  exits: {
    0: 'repaired, can be repaired, or the manifest is sound; no entry or byte is known to be lost (chunks of a sound manifest are not looked at: verify does that; unknown names what chunks do not tell, such as the mode of the source folder)',
    1: 'cannot be repaired; what could be read before can be read as before',
    4: 'not done: the store creates no key only once, and --exclusive was not given',
    3: 'repaired, or can be repaired, but entries or bytes are lost, or may be; the result names them',
  },
  async run(
    values,
    [url],
    context: Results<'repair'> & Messages & Verbosity & Places & StoreContext & ProgressContext,
  ) {
    const { baseUrl, uploadId, session } = await findUpload(url, values, context);
    const { writableStore } = await import('../core/store/create-once/create-once.js');
    const { repairUpload } = await import('../core/mend/repair/repair.js');
    const { hasLosses } = await import('../core/mend/repair/repair-result.js');
    const { cacheFolder } = await import('../core/dataset/cache/cache-folder.js');
    const { rememberedIn } = await import('../core/archive/run/remembered.js');
    const { execute, force, fromPrevious, workers } = values;
    const location = uploadUrl({ baseUrl, uploadId });
    // Warnings are printed after the progress display is gone; they would break it otherwise.
    const warnings: string[] = [];
    const { result } = await withResult(
      context,
      {},
      {
        work: (emit) => {
          emit({ type: 'start', operation: 'repair', source: location, target: '' });
          const call = { baseUrl, values, context, session, requestsAtOnce: workers, onEvent: emit };
          return withStore(call, async (read) => {
            const opened = execute ? await writableStore(read, context, { isExclusive: values.exclusive }) : read;
            const { store, region, requests } = opened;
            if (execute) {
              recordRunFacts(context, { operation: 'repair', uploadId });
              await learnProjects(context, store, [uploadId]);
            }
            const { cache } = rememberedIn(cacheFolder(context.home), opened, (text) => void warnings.push(text));
            const result = await repairUpload({
              store,
              uploadId,
              region,
              tool: `archiver ${pkg.version}`,
              cache,
              execute,
              force,
              fromPrevious,
              requestsAtOnce: workers,
              emit,
              signal: context.signal,
            });
            return { result, requests };
          });
        },
        show: ({ result, requests }) => ({
          document: { ...repairDocument(result), location, requests },
          text: () => textOf(repairLines(result, context.verbose, printable(location))),
        }),
      },
    );
    for (const warning of warnings) context.warn(warning);
    return hasLosses(result) ? 3 : 0;
  },
});

/** Returns the JSON document of the result. */
function repairDocument({ version, readBytes: bytesFetched, unknown: unknowns, parts, ...result }: RepairResult) {
  const ofDataset = { datasetId: version?.datasetId ?? null, version: version?.version ?? null };
  const found = parts.map(({ uploadId, from: foundIn }) => ({ uploadId, foundIn }));
  return { ...result, ...ofDataset, parts: found, bytesFetched, unknowns };
}

/** Lines about what was found and done. */
function repairLines(result: RepairResult, isVerbose: boolean, url: string): readonly string[] {
  const { parts, lost, unknown, isProven } = result;
  return [
    verdict(result),
    ...firstLines(parts.map(partLine), { isVerbose }),
    ...rebuiltLines(result),
    ...firstLines(segmentLines(result), { isVerbose }),
    ...rebasedLines(result),
    ...firstLines(lost.map(lossLine), { isVerbose }),
    ...unknown.map((text) => fact('unknown', printable(text))),
    ...(isProven ? [] : [fact('unproven', 'nothing shows that the version is exactly as it was')]),
    ...nextLines(result, url),
  ];
}

function nextLines({ status }: RepairResult, url: string): readonly string[] {
  if (status === 'repaired') return [`Check it: archiver verify ${url} --deep`];
  if (status === 'sound' || status === 'finished')
    return [`Its chunks were not looked at: archiver verify ${url} does that`];
  if (status !== 'repairable' && status !== 'unfinished') return [];
  return [`Nothing was written. To do it: archiver repair ${url} --execute`];
}

function verdict({ status, damage, uploadId, version, rebuilt, segmentKeys }: RepairResult): string {
  const name = `upload ${printable(uploadId)}`;
  const ofDataset = version === null ? '' : ` (version ${version.version} of ${printable(version.datasetId)})`;
  switch (status) {
    case 'sound':
      return `${name}${ofDataset} has a sound manifest: nothing to repair`;
    case 'unfinished':
      return `${name}${ofDataset} was repaired, but its version record still names the old manifest`;
    case 'finished':
      return `${name}${ofDataset}: the version record names the repaired manifest now`;
    case 'repairable':
    case 'repaired': {
      const part = segmentKeys.length > 0 ? 'a part of its manifest' : 'what builds on it';
      const what = rebuilt === null ? part : 'its manifest';
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
  segments: 'by the segments of its manifest that are whole, and its chunks',
  cache: 'by its manifest in the cache of this computer',
  copy: 'by a copy beside what was lost',
};

const partLine = ({ uploadId, from }: RepairPart): string => fact('found', `${printable(uploadId)}, ${FOUND[from]}`);

function lossLine({ path, key, reason }: Loss): string {
  const about = path ?? key;
  return fact('lost', printable(about === undefined ? reason : `${about}: ${reason}`));
}

function rebasedLines({ rebased, status }: RepairResult): readonly string[] {
  return rebased.map(({ version, uploadId, entries, difference }) => {
    const now = `version ${version} (${printable(uploadId)}): a full listing of ${formatCount(entries)} entries`;
    const text = difference === null ? now : `${now}; ${printable(difference)}`;
    return fact(status === 'repaired' ? 're-based' : 're-base', text);
  });
}

const segmentLines = ({ segmentKeys, status }: RepairResult): readonly string[] =>
  segmentKeys.map((key) => fact(status === 'repaired' ? 'wrote' : 'to write', printable(key)));

function rebuiltLines({ rebuilt, readBytes, status, backupKey, manifestKey }: RepairResult): readonly string[] {
  if (rebuilt === null) return [];
  const { entries, files, bytes, chunks, storedBytes, listing, encryptedBy } = rebuilt;
  const isDone = status === 'repaired';
  const data = `${formatCount(entries)} entries, ${amountText(files, 'file', bytes)}`;
  return [
    fact('holds', `${data}; ${amountText(chunks, 'chunk', storedBytes)}`),
    ...(listing === 'delta' ? [fact('listing', 'what differs from the version before')] : []),
    ...(encryptedBy === null ? [] : [fact('key', `${printable(encryptedBy)}: the manifest is encrypted`)]),
    ...(readBytes === 0
      ? []
      : [fact(isDone ? 'read' : 'to read', `${formatBytes(readBytes)}, for the SHA-256 of the chunks`)]),
    fact(isDone ? 'wrote' : 'to write', printable(manifestKey)),
    ...(backupKey === null ? [] : [fact(isDone ? 'kept' : 'to keep', printable(backupKey))]),
  ];
}
