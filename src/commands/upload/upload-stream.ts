// `archiver upload - STORE --name PATH`: what stdin, or a command, gives becomes a version with that one file.
import { hostname } from 'node:os';
import type { Context } from '../../cli/context.js';
import type { ProgressFormat } from '../../cli/progress.js';
import { dashed, joinWords } from '../../cli/rule.js';
import { archiveStream, type StreamInput } from '../../core/archive/archive-stream.js';
import type { ArchiveOptions } from '../../core/archive/run/settings.js';
import type { TransferOptions } from '../../core/archive/run/transfer-policy.js';
import { checkDatasetId } from '../../core/dataset/records/dataset-id.js';
import { defined } from '../../core/platform/defined.js';
import { usageError } from '../../core/platform/failures/errors.js';
import { rawFromText, withEnd } from '../../core/platform/paths/raw-path.js';
import { typedPath } from '../../core/platform/text/typed-path.js';
import { filterFlags, provenanceFlags } from '../kit/flags.js';
import { guardOptions } from '../kit/guard-flags.js';
import { inspectStore } from '../kit/slots.js';
import { openForWriting, type StoreValues } from '../kit/store.js';
import { alsoCall, alsoStores, coldestOf } from './also/also-call.js';
import { commandInput } from './command-input.js';
import { confirmCold } from './confirm-cold.js';
import { directFlags } from './direct-flags.js';
import { engineEnvironment, uploadMemoryLimit } from './engine-options.js';
import {
  type EncryptionValues,
  encryptionOptions,
  lockOption,
  type LockValues,
  withoutClassOfFolder,
  classOption,
} from '../kit/place-options.js';
import { objectFlags } from './object-flags.js';
import { runArchive, storeOf } from './run-archive.js';
import { removeFlags } from './remove-flags.js';
import { tierFlags } from './tier-flags.js';

/** Stands for the folder of what has none, in manifests and in the ids of datasets. */
const STDIN_FOLDER = rawFromText('/dev/stdin/');
const FILE_MODE = 0o644;

/** Flags about folders, and about what can be read twice. */
const IDLE_KEYS = [
  ...Object.keys({ ...tierFlags, ...directFlags, ...filterFlags, ...provenanceFlags, ...objectFlags, ...removeFlags }),
  'incremental',
  'ignoreCtime',
  'prevManifest',
  'shardStrategy',
  'enableDedup',
  'resume',
  'forceRestart',
];

interface StreamValues extends StoreValues, EncryptionValues, LockValues {
  readonly name: string | undefined;
  readonly stdinCommand: string | undefined;
  readonly allowEmpty: boolean;
  readonly expectedSize: number | undefined;
  readonly also: readonly string[];
  readonly writerId: string;
  readonly datasetId: string | undefined;
  readonly newDataset: boolean;
  readonly project: string | undefined;
  readonly tag: Readonly<Record<string, string>>;
  readonly shardCount: number;
  readonly storageClass: string;
  readonly frameSize: number;
  readonly compressionLevel: number | undefined;
  readonly fileChecksums: boolean;
  readonly allowMassDelete: boolean;
  readonly newStore: boolean;
  readonly optimization: boolean;
  readonly congestionControl: TransferOptions['congestionControl'];
  readonly transporter: TransferOptions['transporter'];
  readonly disableStaging: boolean;
  readonly dryRun: boolean;
  readonly yes: boolean;
  readonly progressFormat: ProgressFormat | undefined;
}

/** Runs the command; returns its exit status. */
export async function uploadStream(
  given: StreamValues,
  destination: string,
  context: Context<'upload'>,
): Promise<number> {
  if (given.name === undefined)
    throw usageError('stdin (-) becomes one file: say its --name, such as db.sql', './- is a folder of that name');
  const name = typedPath(given.name);
  refuseIdle(given, context);
  const { base, url, writerId } = storeOf(destination, given.writerId);
  const prepare = async () => {
    const goal = { values: given, destination, context };
    const stores = alsoStores(goal);
    const values = withoutClassOfFolder(url, given, context);
    const found = await inspectStore(url, { ...values }, context);
    const cold = { ...values, storageClass: coldestOf(values, stores), autoTier: false, tierMax: undefined };
    await confirmCold(cold, context);
    const { compressionLevel, fileChecksums, shardCount } = values;
    const { optimization, congestionControl, transporter, disableStaging, datasetId, newDataset } = values;
    const { cwd } = context;
    const source = rawFromText(cwd);
    const options: Omit<ArchiveOptions, 'emit'> = {
      ...engineEnvironment(context),
      signal: context.signal,
      source,
      dataset: {
        ...defined({ id: datasetId === undefined ? undefined : checkDatasetId(datasetId) }),
        newDataset,
        writerId,
        origin: { path: withEnd(STDIN_FOLDER, name), owner: writerId ?? hostname() },
        encryption: encryptionOptions(values, url, context),
        ...guardOptions(values),
      },
      filter: { skipTrees: [] },
      packing: {
        frameBytes: values.frameSize,
        compressionLevel,
        fileChecksums,
        memoryLimitBytes: uploadMemoryLimit(context),
      },
      layout: { shardCount, ...classOption(url, values, context), lock: lockOption(values, url) },
      transfer: { optimization, congestionControl, transporter, disableStaging },
      labels: { tags: values.tag, project: values.project },
    };
    const input = inputOf(values, context);
    const stream = { file: { name, mode: FILE_MODE }, input };
    return {
      command: 'upload',
      values: { ...values },
      progressFormat: values.progressFormat,
      sources: [{ given: '-', real: source }],
      destination: base,
      storeUrl: url,
      policy: 'restart',
      options,
      open: openForWriting(url, values, context),
      found,
      isReadOnce: true,
      archive: (open, settings) => archiveStream(open, stream, settings),
      also: alsoCall(goal, stores),
    } satisfies Awaited<ReturnType<Parameters<typeof runArchive>[1]>>;
  };
  return await runArchive({ command: 'upload', values: { ...given }, sources: ['-'], storeUrl: url }, prepare, context);
}

/** Refuses what can do nothing for stdin. @throws usage */
function refuseIdle(values: StreamValues, { origins, stdin }: Context<'upload'>): void {
  const idle = IDLE_KEYS.filter((key) => origins[key] === 'flag').map(dashed);
  if (idle.length > 0) throw usageError(`${joinWords(idle, 'and')} can do nothing for stdin (-)`);
  if (values.dryRun) throw usageError('--dry-run cannot say what stdin (-) would give: it would have to be read');
  if (values.stdinCommand === undefined && stdin.isTTY === true)
    throw usageError(
      'stdin (-) is a terminal',
      'pipe something into it, as in pg_dump db | archiver upload - …, or name what writes it (--stdin-command)',
    );
}

function inputOf(values: StreamValues, context: Context<'upload'>): StreamInput {
  const { stdinCommand, allowEmpty: mayBeEmpty, expectedSize: maxBytes, progressFormat } = values;
  if (stdinCommand !== undefined)
    return { ...commandInput(stdinCommand, { progressFormat }, context), mayBeEmpty, maxBytes };
  const { stdin } = context;
  return {
    open: () => stdin,
    whole: () => Promise.resolve(),
    close: () => void stdin.destroy(),
    mayBeEmpty,
    maxBytes,
  };
}
