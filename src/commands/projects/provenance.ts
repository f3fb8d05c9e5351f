// Converts the git and DVC flags of `upload` and `sync` to provenance for the engine. All of it is read before anything is sent.
import type { Context } from '../../cli/context.js';
import type { SlotValues } from '../../cli/slots.js';
import { suggest } from '../../core/platform/text/suggest.js';
import type { UploadProvenance } from '../../core/archive/run/upload-provenance.js';
import { type Pipeline, readPipeline } from '../../core/projects/dvc/pipeline.js';
import { usageError } from '../../core/platform/failures/errors.js';
import { readGit } from '../../core/projects/git/read-git.js';
import type { DvcRecord, DvcStageRecord } from '../../core/format/manifest/provenance-schema.js';
import { isOfStage, type Stages } from '../../core/format/manifest/provenance.js';
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
  context: Pick<Context, 'env' | 'signal' | 'origins'>,
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

async function dvcPart(values: ProvenanceValues, source: RawPath, context: Pick<Context, 'origins'>): Promise<DvcPart> {
  const { dvcAuto, dvcStage: name, dvcCacheDir: cacheDir, generateDvcFiles } = values;
  const what = 'what would be recorded of DVC';
  if (!dvcAuto && name === undefined) {
    return generateDvcFiles || isGiven(context, 'dvcCacheDir') ? { dvc: checkedDvc({ cacheDir }, what) } : {};
  }
  const pipeline = await pipelineOf(source, values);
  const rounds = pipeline.stages.filter((one) => one.name !== name && name !== undefined && isOfStage(one.name, name));
  const stage = name === undefined || rounds.length > 0 ? undefined : stageRecord(pipeline, name);
  const recorded = dvcAuto ? pipeline.stages : rounds;
  const outs = recorded.length > 0 || dvcAuto ? { outs: recorded.flatMap((one) => one.outs) } : {};
  return {
    dvc: checkedDvc({ cacheDir, ...(stage === undefined ? {} : { stage }), ...outs }, what),
    stages: { outs: dvcAuto ? checkedNames(pipeline) : outsOf(pipeline, name), areAll: dvcAuto },
  };
}

async function pipelineOf(source: RawPath, { dvcAuto }: ProvenanceValues): Promise<Pipeline> {
  const folder = textFromRaw(source);
  const pipeline = folder === undefined ? undefined : await readPipeline(folder);
  if (pipeline !== undefined) return pipeline;
  const flag = dvcAuto ? '--dvc-auto' : '--dvc-stage';
  throw usageError(
    `${flag}: there is no dvc.yaml in ${displayPath(source)}`,
    `name the folder that has it, or leave out ${flag}`,
  );
}

function stageRecord({ stages, notRun, lockMd5 }: Pipeline, name: string): DvcStageRecord {
  const stage = stages.find((one) => one.name === name);
  if (stage !== undefined) return { ...stage, ...(lockMd5 === undefined ? {} : { lockMd5 }) };
  if (notRun.includes(name.replace(/@.*$/s, '')))
    throw usageError(
      `--dvc-stage: stage ${printable(name)} has loops or templates, and dvc.lock does not have it`,
      `run it first: dvc repro ${printable(name)}`,
    );
  const names = stages.map((one) => one.name);
  const near = suggest(name, names);
  throw usageError(
    `--dvc-stage: dvc.yaml has no stage ${printable(name)}${didYouMean(near)}`,
    names.length === 0 ? 'it has no stages' : `its stages are ${names.map(printable).join(', ')}`,
  );
}

/** The outputs of this stage alone, or of all rounds of a loop. */
const outsOf = ({ outs }: Pipeline, name = ''): Pipeline['outs'] =>
  new Map([...outs].filter(([, stage]) => isOfStage(stage, name)));

function checkedNames({ outs }: Pipeline): Pipeline['outs'] {
  for (const name of outs.values())
    if (!isStageName(name))
      throw usageError(
        `--dvc-auto: a stage in dvc.yaml has a name that cannot be recorded: ${printable(name.slice(0, 60))}`,
      );
  return outs;
}
