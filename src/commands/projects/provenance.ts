// Converts the git and DVC flags of `upload` and `sync` to provenance for the engine. All of it is read before anything is sent.
import type { Context } from '../../cli/context.js';
import type { SlotValues } from '../../cli/slots.js';
import { suggest } from '../../core/platform/text/suggest.js';
import type { UploadProvenance } from '../../core/archive/run/upload-provenance.js';
import { type Pipeline, readPipeline } from '../../core/projects/dvc/pipeline.js';
import { usageError } from '../../core/platform/failures/errors.js';
import { readGit } from '../../core/projects/git/read-git.js';
import type { DvcRecord, DvcStageRecord } from '../../core/format/manifest/provenance-schema.js';
import { isOfStage, recordedStage, type Stages } from '../../core/format/manifest/provenance.js';
import { checkedDvc, isStageName } from '../../core/format/manifest/provenance-schema.js';
import { displayPath, printable, type RawPath, textFromRaw } from '../../core/platform/paths/raw-path.js';
import { didYouMean } from '../kit/lines.js';
import { isGiven } from '../kit/run.js';

interface ProvenanceValues {
  readonly gitMetadata: boolean;
  readonly dvcAuto: boolean;
  readonly dvcStage: string | undefined;
  readonly dvcCacheDir: string;
  readonly generateDvcFiles: boolean;
}

/**
 * Reads the provenance; undefined if nothing is to be recorded. @throws usage for what is not there; io, integrity for what cannot be read
 */
export async function provenanceOptions(
  given: SlotValues,
  source: RawPath,
  context: Pick<Context, 'env' | 'signal' | 'origins' | 'warn'>,
): Promise<UploadProvenance | undefined> {
  // Commands that archive one folder have all of these flags.
  const values = given as unknown as ProvenanceValues;
  const git = values.gitMetadata ? await readGit(source, context) : undefined;
  const { dvc, stages } = await dvcPart(values, source, context);
  if (git === undefined && dvc === undefined) return undefined;
  const commit = git === undefined ? {} : { commit: git.commit };
  return { git, dvc, ofEntries: { ...commit, ...(stages === undefined ? {} : { stages }) } };
}

interface DvcPart {
  readonly dvc?: DvcRecord;
  readonly stages?: Stages;
}

async function dvcPart(
  values: ProvenanceValues,
  source: RawPath,
  context: Pick<Context, 'origins' | 'signal' | 'warn'>,
): Promise<DvcPart> {
  const { dvcAuto, dvcCacheDir: cacheDir, generateDvcFiles } = values;
  const name = values.dvcStage === undefined ? undefined : recordedStage(values.dvcStage);
  const what = 'what would be recorded of DVC';
  if (!dvcAuto && name === undefined) {
    return generateDvcFiles || isGiven(context, 'dvcCacheDir') ? { dvc: checkedDvc({ cacheDir }, what) } : {};
  }
  const pipeline = await pipelineOf(source, values, context.signal);
  warnOfUnknown(pipeline, values, context);
  const all = [...pipeline.stages, ...pipeline.dvcFiles];
  const rounds = all.filter((one) => one.name !== name && name !== undefined && isOfStage(one.name, name));
  const stage = name === undefined || rounds.length > 0 ? undefined : stageRecord(pipeline, name);
  // Of `.dvc` files, only folders: an export writes one list for each, and its own file for every other.
  const folders = pipeline.dvcFiles.filter(({ outs }) => outs.some(({ md5 }) => md5?.endsWith('.dir')));
  const recorded = dvcAuto ? [...pipeline.stages, ...folders] : rounds;
  const outs = recorded.length > 0 || dvcAuto ? { outs: recorded.flatMap((one) => one.outs) } : {};
  return {
    dvc: checkedDvc({ cacheDir, ...(stage === undefined ? {} : { stage }), ...outs }, what),
    stages: { outs: dvcAuto ? checkedNames(pipeline) : outsOf(pipeline, name), areAll: dvcAuto },
  };
}

async function pipelineOf(source: RawPath, { dvcAuto }: ProvenanceValues, signal: AbortSignal): Promise<Pipeline> {
  const folder = textFromRaw(source);
  const pipeline = folder === undefined ? undefined : await readPipeline(folder, signal);
  if (pipeline !== undefined) return pipeline;
  const flag = dvcAuto ? '--dvc-auto' : '--dvc-stage';
  throw usageError(
    `${flag}: there is no dvc.yaml and no .dvc file in ${displayPath(source)}`,
    `name the folder that has them, or leave out ${flag}`,
  );
}

const WHY = {
  notRun: 'has loops or templates, and dvc.lock does not have it',
  wdir: "has a template in 'wdir', which is not worked out",
} as const;

/** Says which stages no file gets, and which files could not be read. */
function warnOfUnknown(
  { unknown, unread }: Pipeline,
  { dvcAuto }: ProvenanceValues,
  { warn }: Pick<Context, 'warn'>,
): void {
  if (!dvcAuto) return;
  for (const { name, why } of unknown) warn(`stage ${printable(name)} ${WHY[why]}: no file is recorded as made by it`);
  for (const problem of unread) warn(`${problem}; no file is recorded as made by its stages`);
}

function stageRecord({ stages, dvcFiles, unknown }: Pipeline, name: string): DvcStageRecord {
  const all = [...stages, ...dvcFiles];
  const stage = all.find((one) => one.name === name);
  if (stage !== undefined) return stage;
  const left = unknown.find((one) => one.name === name.replace(/@.*$/s, ''));
  if (left !== undefined)
    throw usageError(
      `--dvc-stage: stage ${printable(name)} ${WHY[left.why]}`,
      left.why === 'wdir' ? "write the folder into 'wdir'" : `run it first: dvc repro ${printable(name)}`,
    );
  const names = all.map((one) => one.name);
  const more = names.length > SHOWN ? ` and ${names.length - SHOWN} more` : '';
  throw usageError(
    `--dvc-stage: there is no stage ${printable(name)}${didYouMean(suggest(name, names))}`,
    names.length === 0
      ? 'there are no stages'
      : `the stages are ${names.slice(0, SHOWN).map(printable).join(', ')}${more}`,
  );
}

const SHOWN = 20;

/** The outputs of this stage alone, or of all rounds of a loop. */
const outsOf = ({ outs }: Pipeline, name = ''): Pipeline['outs'] =>
  new Map([...outs].filter(([, stage]) => isOfStage(stage, name)));

function checkedNames({ outs }: Pipeline): Pipeline['outs'] {
  for (const name of outs.values())
    if (name !== '' && !isStageName(name))
      throw usageError(`--dvc-auto: a stage has a name that cannot be recorded: ${printable(name.slice(0, 60))}`);
  return outs;
}
