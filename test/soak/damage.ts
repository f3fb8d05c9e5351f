// Real damage: a manifest or a chunk is deleted, cut off or flipped behind the program's back. On the store itself only
// where a repair owes the whole version; everything else on a copy, where what is lost does no harm.
import { gunzipSync } from 'node:zlib';
import { below } from './commands.js';
import { versionName } from './expectations.js';
import { anyFault } from './fault-plan.js';
import type { Rng } from './prng.js';
import { differences } from './snapshot.js';
import type { SoakStore } from './soak-store.js';
import { listVersions, nameOf, survey, type Listed, type Surveyed } from './survey.js';
import { SoakFailure, type World } from './world.js';

export type Harm = 'delete' | 'truncate' | 'flip';

const manifestKey = ({ base, uploadId }: Listed): string => `${below(base)}uploads/${uploadId}/manifest.json.gz`;
const uploadUrl = (store: SoakStore, { base, uploadId }: Listed): string => `${store.url}${base}/uploads/${uploadId}`;

export async function harmObject(rng: Rng, store: SoakStore, key: string, harm: Harm): Promise<void> {
  if (harm === 'delete') return await store.remove(key);
  const bytes = await store.get(key);
  if (harm === 'truncate') return await store.put(key, bytes.subarray(0, rng.int(0, bytes.length - 1)));
  const at = rng.int(0, bytes.length - 1);
  bytes.writeUInt8(bytes.readUInt8(at) ^ (1 << rng.int(0, 7)), at);
  return await store.put(key, bytes);
}

/** Versions whose every entry lies in chunks of their own. */
export async function selfContained(world: World, listed: readonly Listed[]): Promise<Listed[]> {
  const found: Listed[] = [];
  for (const one of listed) {
    if (one.listing !== 'full') continue;
    if (!gunzipSync(await world.store.get(manifestKey(one))).includes('"../')) found.push(one);
  }
  return found;
}

/** Damages a manifest in the store itself and repairs it; the check after the step wants all of it back. */
export async function repairInPlace(world: World, rng: Rng, target: Listed): Promise<void> {
  const harm = rng.pick(['delete', 'truncate', 'flip'] as const);
  world.say(`${harm} manifest of ${nameOf(target)} and repair it`);
  await harmObject(rng, world.store, manifestKey(target), harm);
  const machine = world.machine(rng.pick(['alpha', 'beta']));
  const args = ['repair', uploadUrl(world.store, target), '--execute', '--json'];
  for (let tries = rng.int(0, 2); tries > 0; tries--) {
    const fault = anyFault(rng, world.store.upstream !== undefined);
    world.say(world.describe({ machine: machine.name, args, fault }));
    await world.run(machine, args, { fault });
  }
  await world.release();
  const run = await world.run(machine, args);
  if (run.status !== 0)
    throw new SoakFailure(
      `${world.describe(run)} after ${harm} ended with ${run.status}, and all is in the chunks: ${run.stdout}${run.stderr}`,
    );
}

/** Damages a copy of the store, repairs it as far as it goes, and looks at all versions before and after. */
export async function damageCopy(world: World, rng: Rng, target: Listed): Promise<void> {
  const copy = await world.store.copy('copy');
  try {
    await new CopyTrial(world, rng, copy, target).run();
  } finally {
    await copy.discard();
  }
}

class CopyTrial {
  private targetKey = '';
  private isChunk = false;
  private harm: Harm = 'delete';

  constructor(
    private readonly world: World,
    private readonly rng: Rng,
    private readonly copy: SoakStore,
    private readonly target: Listed,
  ) {}

  async run(): Promise<void> {
    const { world, rng, copy, target } = this;
    this.harm = rng.pick(['delete', 'truncate', 'flip'] as const);
    const objects = await copy.list();
    const chunks = objects.filter(
      ({ key, size }) =>
        size > 0 && key.startsWith(`${below(target.base)}uploads/${target.uploadId}/`) && /chunk-|\/files\//.test(key),
    );
    this.isChunk = chunks.length > 0 && rng.chance(0.4);
    this.targetKey = this.isChunk ? rng.pick(chunks).key : manifestKey(target);
    world.say(`${this.harm} ${this.targetKey} of ${versionName(target)} in a copy`);
    await harmObject(rng, copy, this.targetKey, this.harm);
    await this.look('after the damage', target.uploadId);
    const repaired = this.isChunk ? undefined : await this.repair();
    if (repaired !== undefined) await this.lookAfterRepair(repaired);
    if (repaired !== 1) await this.pruneNothing(repaired);
  }

  /** Every version restores to what it was, or fails and does not verify. */
  private async look(when: string, mayBreak: string | undefined): Promise<Surveyed[]> {
    const { world, copy } = this;
    const surveyed = await survey(world, copy, await listVersions(world, copy, await copy.list()), () => this.isChunk);
    for (const one of surveyed) {
      const isRestored = one.restore.status === 0;
      const isVerified = one.verify.status === 0;
      const tree = world.expectations.treeOf(one);
      const found = tree && isRestored ? differences(tree, one.tree) : [];
      if (found.length > 0)
        throw new SoakFailure(`${nameOf(one)} restores to something else ${when}:\n  ${found.join('\n  ')}`);
      if (!isRestored && isVerified)
        throw new SoakFailure(
          `${nameOf(one)} verifies ${when}, but cannot be restored: ${one.restore.stderr}${one.restore.stdout.slice(0, 2000)}`,
        );
      // A whole chunk is verified where a restore may need a part of it only.
      if (isRestored && !isVerified && !this.isChunk)
        throw new SoakFailure(`${nameOf(one)} restores ${when}, but does not verify: ${one.verify.stdout}`);
      if (!isRestored && mayBreak === undefined)
        throw new SoakFailure(
          `${nameOf(one)} cannot be restored ${when}: ${one.restore.stderr}${one.restore.stdout.slice(0, 2000)}`,
        );
    }
    return surveyed;
  }

  private async repair(): Promise<number> {
    const { world, copy, target } = this;
    const run = await world.run(world.machine('beta'), ['repair', uploadUrl(copy, target), '--execute', '--json'], {
      store: copy,
    });
    world.say(`repair of the copy ended with ${run.status}`);
    if (run.status !== 0 && run.status !== 1 && run.status !== 3)
      throw new SoakFailure(`${world.describe(run)} ended with ${run.status}: ${run.stderr}`);
    return run.status;
  }

  private async lookAfterRepair(status: number): Promise<void> {
    if (status === 0) return void (await this.look('after a repair that found everything', undefined));
    if (status === 1) return void (await this.look('after a repair that was refused', this.target.uploadId));
    const { world, copy } = this;
    const surveyed = await survey(world, copy, await listVersions(world, copy, await copy.list()), () => false);
    for (const one of surveyed) {
      const name = `${nameOf(one)} after a repair with losses`;
      if ((one.restore.status === 0) !== (one.verify.status === 0))
        throw new SoakFailure(
          `${name}: restore ends with ${one.restore.status}, verify with ${one.verify.status}: ${one.restore.stderr}${one.verify.stdout.slice(0, 2000)}`,
        );
      // What builds on the version that lost something may have lost it too, but it must be readable.
      if (one.restore.status !== 0)
        throw new SoakFailure(`${name} cannot be restored: ${one.restore.stderr}${one.restore.stdout.slice(0, 2000)}`);
      const tree = world.expectations.treeOf(one);
      const isLater =
        one.base === this.target.base && one.datasetId === this.target.datasetId && one.version >= this.target.version;
      const found = tree ? differences(tree, one.tree) : [];
      if (!isLater && found.length > 0)
        throw new SoakFailure(`${name} restores to something else:\n  ${found.join('\n  ')}`);
    }
    await this.syncAnew();
  }

  /** A writer that never saw the store goes on with the repaired dataset. */
  private async syncAnew(): Promise<void> {
    const { world, copy, target } = this;
    const machine = world.machines.find(({ source }) => source.root === target.source);
    if (!machine || target.base !== '') return;
    const writer = { ...world.reader(), host: machine.host };
    const args = [
      'sync',
      machine.source.root,
      copy.url,
      '--dataset-id',
      target.datasetId,
      '--track-deletes',
      '--allow-mass-delete',
      '--json',
      '--quiet',
    ];
    const run = await world.run(writer, args, { store: copy });
    writer.forget();
    if (run.status !== 0)
      throw new SoakFailure(
        `${world.describe(run)} ended with ${run.status} after a repair with losses: ${run.stderr}${run.stdout}`,
      );
    const listed = await listVersions(world, copy, await copy.list());
    const head = listed.find(
      (one) => one.version === run.document['version'] && one.datasetId === target.datasetId && one.base === '',
    );
    if (!head) throw new SoakFailure(`${world.describe(run)} reports a version that is not there`);
    const [one] = await survey(world, copy, [head], () => false);
    const found =
      one?.restore.status === 0 ? differences(machine.source.now, one.tree) : [`exit ${one?.restore.status}`];
    if (found.length > 0)
      throw new SoakFailure(`${nameOf(head)}, synced after a repair with losses, is wrong:\n  ${found.join('\n  ')}`);
  }

  /** A prune that retires nothing, a day later, takes nothing from any version that was readable. */
  private async pruneNothing(repaired: number | undefined): Promise<void> {
    const { world, copy, target } = this;
    const before = await this.readable();
    const writer = target.base === '' ? [] : ['--writer-id', 'fleet'];
    const args = [
      'dataset',
      'prune',
      copy.url,
      '--dataset-id',
      target.datasetId,
      '--keep-last',
      '999',
      '--force',
      '--json',
      ...writer,
    ];
    for (let round = 0; round < 2; round++) {
      await copy.age(10 * 86_400_000);
      const run = await world.run(world.machine('alpha'), args, { store: copy });
      if (repaired === 0 && run.status !== 0)
        throw new SoakFailure(`${world.describe(run)} ended with ${run.status}: ${run.stderr}${run.stdout}`);
    }
    const after = await this.readable();
    for (const name of before)
      if (!after.has(name))
        throw new SoakFailure(
          `${name} was readable before a prune that retires nothing, and is not after it (${this.harm} ${this.targetKey})`,
        );
  }

  private async readable(): Promise<Set<string>> {
    const { world, copy } = this;
    const surveyed = await survey(world, copy, await listVersions(world, copy, await copy.list()), () => false);
    return new Set(surveyed.filter(({ restore }) => restore.status === 0).map(nameOf));
  }
}
