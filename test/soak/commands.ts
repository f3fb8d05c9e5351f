// Draws commands that write, and says of each what its version must hold.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Claim } from './check.js';
import { type Mode, type VersionKey } from './expectations.js';
import { NO_FAULT, type Fault } from './fault-plan.js';
import type { Rng } from './prng.js';
import { markerOf } from './source-tree.js';
import type { Listed } from './survey.js';
import type { Machine, Run, RunSettings, World } from './world.js';

/** Two folders take turns in one dataset: most of what the other one holds is gone then. */
export const MASS_DELETE = '--allow-mass-delete';
const EVERY_DELETE = ['--track-deletes', MASS_DELETE];

/** Who writes where. */
export interface Lane {
  readonly machine: string;
  readonly base: string;
  /** Given by hand, else derived from host and folder. */
  readonly datasetId: string | undefined;
  readonly flags: readonly string[];
}

export const LANES: readonly Lane[] = [
  { machine: 'alpha', base: '', datasetId: undefined, flags: [] },
  { machine: 'beta', base: '', datasetId: undefined, flags: [] },
  { machine: 'alpha', base: '', datasetId: 'shared', flags: ['--dataset-id', 'shared'] },
  { machine: 'beta', base: '', datasetId: 'shared', flags: ['--dataset-id', 'shared'] },
  {
    machine: 'gamma',
    base: '/writers/fleet',
    datasetId: 'gamma',
    flags: ['--writer-id', 'fleet', '--dataset-id', 'gamma'],
  },
];

export interface WriteCommand {
  readonly machine: Machine;
  readonly base: string;
  readonly args: readonly string[];
  readonly modes: readonly Mode[];
  /** Success means that the source as it is now is what was committed. */
  readonly isFresh: boolean;
  /** Nothing need be wrong when it is refused. */
  readonly mayFail?: boolean;
  /** "No changes" says something about the newest version. */
  readonly isAboutHead: boolean;
}

const EXACT: readonly Mode[] = [{ kind: 'exact' }];
const OVERLAY: readonly Mode[] = [{ kind: 'overlay' }];
const EITHER: readonly Mode[] = [...EXACT, ...OVERLAY];

type Kind = 'tracked' | 'sync' | 'force' | 'upload' | 'dedup' | 'direct' | 'incremental' | 'previous' | 'create';

const WEIGHTS: Readonly<Record<Kind, number>> = {
  tracked: 26,
  sync: 14,
  force: 4,
  upload: 8,
  dedup: 4,
  direct: 5,
  incremental: 10,
  previous: 6,
  create: 12,
};

/** Keeps manifests of versions, for `--prev-manifest` now or much later. */
class ManifestShelf {
  private readonly held: { readonly key: VersionKey; readonly path: string }[] = [];

  constructor(private readonly world: World) {}

  /** One of the versions, as it is or as it was. */
  async take(
    rng: Rng,
    versions: readonly Listed[],
  ): Promise<{ readonly key: VersionKey; readonly path: string; readonly isOld: boolean } | undefined> {
    const [first] = versions;
    if (!first) return undefined;
    const older = this.held.filter(({ key }) => key.base === first.base && key.datasetId === first.datasetId);
    if (older.length > 0 && rng.chance(0.4)) return { ...rng.pick(older), isOld: true };
    const listed = rng.pick(versions);
    const folder = join(this.world.folder, 'manifests');
    mkdirSync(folder, { recursive: true });
    const path = join(folder, `${listed.uploadId}-${this.held.length}.json.gz`);
    writeFileSync(path, await this.world.store.get(`${below(listed.base)}uploads/${listed.uploadId}/manifest.json.gz`));
    this.held.push({ key: listed, path });
    return { key: listed, path, isOld: false };
  }
}

/** A key's beginning below the store's URL. */
export const below = (base: string): string => (base === '' ? '' : `${base.slice(1)}/`);

export class Writers {
  private readonly shelf: ManifestShelf;
  private readonly derived = new Map<string, string>();

  constructor(private readonly world: World) {
    this.shelf = new ManifestShelf(world);
  }

  /** The listed versions of the lane's dataset. */
  versionsOf(lane: Lane, listed: readonly Listed[]): Listed[] {
    const datasetId = lane.datasetId ?? this.derived.get(lane.machine);
    return listed.filter((one) => one.base === lane.base && one.datasetId === datasetId);
  }

  /** A plain sync that must leave the source as it is in the newest version. */
  plainSync(lane: Lane): WriteCommand {
    return this.command(lane, ['sync', ...EVERY_DELETE], EXACT);
  }

  /** Any writing command for the lane; changes the source first, mostly. */
  async draw(rng: Rng, lane: Lane, listed: readonly Listed[]): Promise<WriteCommand> {
    const machine = this.world.machine(lane.machine);
    if (rng.chance(0.85)) machine.source.mutate(rng.fork('source'));
    const isReader = machine.denied === undefined;
    const kind = rng.weighted<Kind>({
      ...WEIGHTS,
      create: lane.flags.length === 0 ? WEIGHTS.create : 0,
      previous: isReader ? WEIGHTS.previous : 0,
    });
    switch (kind) {
      case 'tracked':
        return this.command(lane, ['sync', ...EVERY_DELETE], EXACT);
      case 'sync':
        return this.command(lane, ['sync', MASS_DELETE], isReader ? OVERLAY : EITHER);
      case 'force':
        return this.command(lane, ['sync', '--force', ...EVERY_DELETE], EXACT);
      case 'incremental':
        return this.command(lane, ['upload', '--incremental', MASS_DELETE], isReader ? OVERLAY : EITHER);
      case 'previous':
        return await this.withPrevious(rng, lane, listed);
      case 'create':
        return this.createUpload(rng, lane);
      case 'upload':
      case 'dedup':
      case 'direct':
        return this.fullUpload(rng, lane, kind);
      default:
        return kind satisfies never;
    }
  }

  /** The document of a run that says it was done. */
  claim(command: WriteCommand, run: Run): Claim | undefined {
    const { uploadId, datasetId, version, noChanges } = run.document;
    if ((run.status !== 0 && run.status !== 3) || typeof version !== 'number') return undefined;
    const { name, source } = command.machine;
    const key = { base: command.base, datasetId: String(datasetId), version };
    if (command.base === '' && command.isFresh && !command.args.includes('--dataset-id'))
      this.derived.set(name, key.datasetId);
    if (noChanges === true)
      return command.isAboutHead ? { kind: 'no-changes', key, source: source.now, run } : undefined;
    const marker = command.isFresh ? markerOf(name) : '';
    return { kind: 'committed', key, uploadId: String(uploadId), machine: name, source: source.now, marker, run };
  }

  private command(lane: Lane, [name = '', ...flags]: readonly string[], modes: readonly Mode[]): WriteCommand {
    const machine = this.world.machine(lane.machine);
    const args = [name, machine.source.root, this.world.store.url, ...lane.flags, ...flags, '--json', '--quiet'];
    return { machine, base: lane.base, args, modes, isFresh: true, isAboutHead: true };
  }

  private fullUpload(rng: Rng, lane: Lane, kind: 'upload' | 'dedup' | 'direct'): WriteCommand {
    const extra = { upload: [], dedup: ['--enable-dedup'], direct: ['--direct-upload', '--force-direct-upload'] }[kind];
    const strategy = ['--shard-strategy', rng.pick(['round-robin', 'type', 'hash'])];
    const again = rng.pick([[], [], ['--resume'], ['--force-restart']]);
    const flags = ['--shard-count', String(rng.int(4, 8)), ...strategy, ...extra, ...again, MASS_DELETE];
    const command = this.command(lane, ['upload', ...flags], EXACT);
    return again.includes('--resume') ? this.takingUp(command) : command;
  }

  /** It goes on with what was interrupted, whatever that was. */
  private takingUp(command: WriteCommand): WriteCommand {
    const modes = this.world.expectations.modesToResume(command.machine.name);
    // What it finds may have been begun with other settings.
    return { ...command, modes, isFresh: false, mayFail: true };
  }

  private async withPrevious(rng: Rng, lane: Lane, listed: readonly Listed[]): Promise<WriteCommand> {
    const found = await this.shelf.take(rng, this.versionsOf(lane, listed));
    const tree = found && this.world.expectations.treeOf(found.key);
    if (!found || !tree) return this.command(lane, ['upload', '--incremental', MASS_DELETE], OVERLAY);
    const modes: readonly Mode[] = [...OVERLAY, { kind: 'overlay-of', tree }];
    const command = this.command(lane, ['upload', '--incremental', '--prev-manifest', found.path, MASS_DELETE], modes);
    // What was set aside may be of a version that is gone, or lies elsewhere, by now.
    return { ...command, isAboutHead: false, mayFail: found.isOld };
  }

  private createUpload(rng: Rng, lane: Lane): WriteCommand {
    const machine = this.world.machine(lane.machine);
    const flags = [
      ...rng.pick([[], [], ['--no-cleanup-on-failure'], ['--resume']]),
      ...rng.pick([[], [], ['--fail-fast']]),
    ];
    const args = [
      'create',
      'upload',
      machine.source.root,
      '-b',
      this.world.store.url,
      ...chunkFlags(rng),
      ...flags,
      MASS_DELETE,
      '--json',
      '--quiet',
    ];
    const command = { machine, base: lane.base, args, modes: EXACT, isFresh: true, isAboutHead: true };
    return flags.includes('--resume') ? this.takingUp(command) : command;
  }
}

/** Chunks that are smaller than some files. */
export const chunkFlags = (rng: Rng): string[] => [
  '--chunk-size-mb',
  '1',
  '--shards',
  String(rng.int(2, 8)),
  '--workers',
  '2',
];

/** Takes a run of a writing command into account. */
export async function write(
  world: World,
  command: WriteCommand,
  fault: Fault,
  settings: Omit<RunSettings, 'fault'> = {},
): Promise<Run> {
  const { machine, modes } = command;
  const { name, source } = machine;
  world.expectations.begins(name, source.generation, source.now, modes);
  const isDenied = machine.denied?.test('ListObjectsV2') === true;
  // Who may not even list has nothing but the server's word.
  const isLie = fault.kind === 'request' && fault.trouble === 'lie';
  const run = await world.run(machine, command.args, {
    fault: isLie && isDenied ? NO_FAULT : fault,
    ...settings,
  });
  if (run.status !== 0 && run.status !== 3) world.expectations.stopped(name, modes);
  return run;
}
