import { defineCommand } from '../cli/command.js';
import type { MemoryLimit, Results, Verbosity } from '../cli/context.js';
import { flag, type Values } from '../cli/flag.js';
import type { ProgressContext } from '../cli/progress.js';
import { conflicts } from '../cli/rule.js';
import type { EventSink } from '../core/events/events.js';
import type { ObjectReader, RequestCounts } from '../core/store/object-store.js';
import type { StoreVerdict } from '../core/mend/verify/store-verdict.js';
import type { VerifyStoreOptions } from '../core/mend/verify/verify-store.js';
import type { VerifyMode, VerifyResult } from '../core/mend/verify/verify.js';
import type { Document, Exact } from '../json/documents.js';
import { lookOf } from '../ui/look.js';
import { signText } from '../ui/sign.js';
import {
  limitFlags,
  outputFlags,
  recordFlags,
  uploadArg,
  uploadTargetFlags,
  uploadTargetRules,
  workersFlag,
} from './kit/flags.js';
import { allWritersFlag } from './kit/all-writers.js';
import { invalidatingChecks } from './kit/invalidate-checks.js';
import { textOf } from './kit/lines.js';
import { stopwatch, withResult } from './kit/run.js';
import { type StoreCall, type StoreContext, withStore } from './kit/store.js';
import { memoryLimit } from './kit/memory-limit.js';
import { partDocument, refuseMovingPart } from './kit/part.js';
import type { Found } from './kit/record-check.js';
import { unrecordedLines } from './kit/unrecorded-lines.js';
import { type ThawEstimate, thawDocument, thawEstimate, unreadLines } from './kit/unread-cold.js';
import { findUpload, targetOf, uploadUrl } from './kit/upload-target.js';

const flags = {
  ...uploadTargetFlags('us-west-2'),
  ...allWritersFlag,
  quick: flag.on({ describe: 'check the manifest alone' }),
  deep: flag.on({ describe: 'read every chunk again and check each byte of it' }),
  sample: flag.percent({
    placeholder: 'PERCENT',
    describe: 'deep-check this share of the chunks, chosen at random, at least one: 5%',
  }),
  part: flag.part({
    placeholder: 'I/N',
    describe: 'deep-check this part of the chunks; N calls, on as many machines, read each chunk once: 3/16',
  }),
  ...workersFlag,
  limitDownload: limitFlags.limitDownload,
  ...recordFlags,
  ...outputFlags,
};

type VerifyContext = Results<'verify'> & Verbosity & MemoryLimit & StoreContext & ProgressContext;

export const command = defineCommand({
  path: 'verify',
  summary: 'check that an upload is whole, or everything in a store',
  description:
    'Checks the manifest against itself (counts, sizes, shards, positions, order, checksums), that the version record ' +
    'names it, and that every chunk is in the store with its size: two listings. --deep also reads the chunks: their SHA-256, that of each frame, the tar ' +
    'headers, and the MD5 of every file; damage is reported with the files that it hits, and the rest is checked. ' +
    '--sample 5% does that for some chunks only, --part 3/16 for a sixteenth of them, as a task of an array does; the parts together read all, ' +
    'but for the MD5 of a file that is cut over chunks of several parts. Where the manifest is a delta, all that it builds on is checked: each ' +
    'manifest, the totals of the whole, and the chunks that it needs, in whichever upload they lie. Objects that nothing ' +
    'refers to are warnings. Chunks in cold storage are neither read nor requested: everything else is checked, and they are ' +
    'counted, with what it costs to request them. The verdict says what was looked at, and so does `checked` of --json: "manifest" (--quick), ' +
    '"presence" of chunks, a "sample" of them read, or "content", all of it; only then the upload is called whole.\n' +
    'The URL of a store instead of an upload: all that archiver list shows there is checked, every version of every dataset, ' +
    'uploads that are no version, and the same in writers/ and prefixes below, with or without --all-writers, which is for a dataset that is named. Objects are listed once for all of them, and a ' +
    'chunk that several versions share is read once, with the oldest of them. Uploads that are not finished or marked for ' +
    'deletion are counted and left out, and what nothing refers to is not looked at.\n' +
    'What was checked of versions, when, by whom and with which result is recorded in the store; `dataset versions` and `info` show it. ' +
    'Who may only read there is told that it was not recorded, and the status is that of the check.',
  args: [uploadArg],
  flags,
  rules: [
    ...uploadTargetRules,
    conflicts('allWriters', ['uploadId']),
    conflicts('quick', ['deep', 'sample', 'part', 'workers']),
    conflicts('sample', ['part']),
  ],
  examples: [
    'archiver verify s3://acme-archive/lab/uploads/20251114-093012-1a2b3c4d',
    'archiver verify --bucket acme-archive --upload-id 20251114-093012-1a2b3c4d --deep',
    'archiver verify file:///mnt/backup/uploads/20251114-093012-1a2b3c4d --sample 5%',
    'archiver verify s3://acme-archive/lab --sample 1%',
    'archiver verify s3://acme-archive/lab --dataset-id survey --version 12 --part "$SLURM_ARRAY_TASK_ID/16"',
  ],
  exits: {
    0: 'all checks passed',
    1: 'verification failed, or the upload or store cannot be read',
    3: 'what could be read passed; chunks in cold storage could not be read',
  },
  keepsMemoryLimit: ({ deep, sample, part }) => deep || sample !== undefined || part !== undefined,
  async run(values, [url], context: VerifyContext) {
    const named = await targetOf(url, values, context);
    const isOfVersion = (named.uploadId ?? values.datasetId ?? values.version ?? values.asOf) !== undefined;
    refuseMovingPart(values.part, { ...named, version: values.version });
    if (!isOfVersion) return await verifyAll(named.baseUrl, values, context);
    const { baseUrl, uploadId, session, version, record } = await findUpload(url, values, context);
    const { verifyUpload } = await import('../core/mend/verify/verify.js');
    const { verdictLines } = await import('./kit/verdict-lines.js');
    const { foundOfUpload } = await import('./kit/verified.js');
    return await check({ baseUrl, session }, values, context, {
      verify: (options) => verifyUpload({ ...options, uploadId, record }),
      find: (reader, result) => foundOfUpload(reader, result, version, context.signal),
      documentOf: (result, rest) => ({
        ...uploadDocument(result),
        location: uploadUrl({ baseUrl, uploadId }),
        ...rest,
      }),
      linesOf: (result, estimate, durationMs) =>
        verdictLines(result, {
          durationMs,
          unread: unreadLines(result.unreadCold, estimate),
          location: uploadUrl({ baseUrl, uploadId }),
          isVerbose: context.verbose,
        }),
    });
  },
});

/** Checks every version of every dataset. */
async function verifyAll(baseUrl: string, values: Values<typeof flags>, context: VerifyContext): Promise<number> {
  const { verifyStore } = await import('../core/mend/verify/verify-store.js');
  const { storeLines, storeVerdict } = await import('./kit/verdict-lines.js');
  const { foundOfStore } = await import('./kit/verified.js');
  const warnings: { readonly message: string }[] = [];
  const status = await check({ baseUrl }, values, context, {
    verify: async (options) => {
      const result = await verifyStore(options);
      warnings.push(...result.warnings);
      return result;
    },
    find: (reader, result) => foundOfStore(reader, result, values.part, context.signal),
    documentOf: (result, rest) => ({ ...storeDocument(result), ...rest }),
    linesOf: (result, estimate, durationMs) => [
      storeVerdict(result),
      ...storeLines(result, durationMs, {
        unread: unreadLines(result.unreadCold, estimate),
        isVerbose: context.verbose,
      }),
    ],
  });
  for (const { message } of warnings) context.warn(message);
  return status;
}

type Checked = Pick<VerifyResult, 'ok' | 'unreadCold'>;

const isSound = ({ ok }: Checked): boolean => ok;

/** Facts that the document of every check has. */
interface CheckFacts {
  readonly thawEstimate?: ReturnType<typeof thawDocument>;
  /** Why no record of the check was put; null where one was. */
  readonly unrecordedReason: string | null;
  readonly durationMs: number;
  readonly requests: RequestCounts;
}

interface Check<T, D> {
  readonly verify: (options: VerifyStoreOptions) => Promise<T>;
  /** What is recorded of the result. */
  readonly find: (reader: ObjectReader, result: T) => Promise<readonly Found[]>;
  readonly documentOf: (result: T, facts: CheckFacts) => Exact<D, Document<'verify'>>;
  /** Returns the verdict and further lines. */
  readonly linesOf: (result: T, estimate: ThawEstimate, durationMs: number) => readonly string[];
}

async function check<T extends Checked, D extends Document<'verify'>>(
  place: Pick<StoreCall, 'baseUrl' | 'session'>,
  values: Values<typeof flags>,
  context: VerifyContext,
  { verify, find, documentOf, linesOf }: Check<T, D>,
): Promise<number> {
  const { workers } = values;
  const elapsed = stopwatch(context);
  const startedAt = context.now();
  const work = (emit: EventSink) => {
    const call = { ...place, values, context, requestsAtOnce: workers, onEvent: emit };
    return withStore(call, async (opened) => {
      const { store, requests } = opened;
      const result = await invalidatingChecks(context, isSound, () =>
        verify({
          reader: store,
          mode: modeOf(values),
          sample: values.sample ?? 1,
          part: values.part,
          random: Math.random,
          now: context.now,
          requestsAtOnce: workers,
          memoryLimitBytes: memoryLimit(context, 'reading content'),
          emit,
          signal: context.signal,
        }),
      );
      const recording = { find: () => find(store, result), startedAt };
      const { recordChecks } = await import('./kit/record-check.js');
      const unrecordedReason = await recordChecks(opened, recording, values, context);
      return { result, estimate: await thawEstimate(result.unreadCold, opened, context), unrecordedReason, requests };
    });
  };
  const { result } = await withResult<Document<'verify'>, Awaited<ReturnType<typeof work>>, D>(context, values, {
    work,
    show: ({ result, estimate, unrecordedReason, requests }) => {
      const durationMs = elapsed();
      const thawing = result.unreadCold.length === 0 ? {} : { thawEstimate: thawDocument(estimate) };
      return {
        document: documentOf(result, { ...thawing, unrecordedReason, durationMs, requests }),
        text: () => {
          const [first = '', ...more] = linesOf(result, estimate, durationMs);
          return textOf([`${signOf(result, context)} ${first}`, ...unrecordedLines(unrecordedReason), ...more]);
        },
      };
    },
  });
  if (!result.ok) return 1;
  return result.unreadCold.length === 0 ? 0 : 3;
}

function uploadDocument(result: VerifyResult) {
  const { mode: _, record: _record, bytesRead: bytesFetched, part, ...document } = result;
  return { ...document, ...partDocument(part), bytesFetched };
}

function storeDocument(result: StoreVerdict) {
  const {
    mode: _,
    bytesRead: bytesFetched,
    versions: versionCount,
    damagedVersions: damagedVersionCount,
    uncheckedUploads: uncheckedUploadCount,
    ...document
  } = result;
  return { ...document, versionCount, damagedVersionCount, uncheckedUploadCount, bytesFetched };
}

function signOf({ ok, unreadCold }: Checked, { colors, env }: VerifyContext): string {
  const sign = unreadCold.length === 0 ? 'good' : 'warn';
  return signText(ok ? sign : 'bad', lookOf(colors.stdout, env));
}

function modeOf({ quick, deep, sample, part }: Values<typeof flags>): VerifyMode {
  if (quick) return 'quick';
  return deep || (sample ?? part) !== undefined ? 'deep' : 'default';
}
