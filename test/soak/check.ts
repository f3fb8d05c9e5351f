// After each step: every version that must be there is listed, restores to the tree it was made from, and verifies.
import { datasetName, versionName, type VersionKey } from './expectations.js';
import type { Rng } from './prng.js';
import type { Tree } from './snapshot.js';
import { Footprints, listVersions, nameOf, survey, verifyVersion, type Listed, type Surveyed } from './survey.js';
import { SoakFailure, type Run, type World } from './world.js';

/** What a command said that it had done. */
export type Claim =
  | {
      readonly kind: 'committed';
      readonly key: VersionKey;
      readonly uploadId: string;
      readonly machine: string;
      readonly source: Tree;
      readonly marker: string;
      readonly run: Run;
    }
  | { readonly kind: 'no-changes'; readonly key: VersionKey; readonly source: Tree; readonly run: Run };

/** A prune that ran: what it was entitled to retire. */
export interface PruneRun {
  readonly dataset: string;
  readonly keep: number;
  readonly run: Run;
  /** It ran alone to a good end. */
  readonly isSure: boolean;
}

export interface StepResult {
  readonly claims: readonly Claim[];
  readonly prunes: readonly PruneRun[];
}

const RECHECK = 0.05;

export class Checker {
  private readonly footprints = new Footprints();
  private readonly sound = new Map<string, string>();
  private readonly owners = new Map<string, string>();
  listed: readonly Listed[] = [];
  /** Versions that somebody has damaged, or that the command which wrote them has named as not whole. */
  readonly excused = new Set<string>();

  constructor(private readonly world: World) {}

  /** @throws SoakFailure */
  async check(rng: Rng, result: StepResult, isThorough = false): Promise<void> {
    const { world } = this;
    const objects = await world.store.list();
    this.listed = await listVersions(world, world.store, objects);
    this.compareListings(result);
    // Whoever says "no changes" has looked at the version, and calls it whole: from now on it is asked for again.
    for (const { kind, key } of result.claims) if (kind === 'no-changes') this.excused.delete(versionName(key));
    const due: Listed[] = [];
    for (const listed of this.listed) {
      if (this.excused.has(versionName(listed))) continue;
      const footprint = await this.footprints.of(world.store, listed, objects);
      const isChanged = this.sound.get(versionName(listed)) !== footprint;
      if (isChanged || isThorough || rng.chance(RECHECK)) due.push(listed);
      this.sound.set(versionName(listed), footprint);
    }
    due.sort((a, b) => a.version - b.version);
    const deep = new Set(due.filter(() => rng.chance(isThorough ? 0.5 : 0.1)));
    const surveyed = await survey(world, world.store, due, (listed) => deep.has(listed));
    const problems: string[] = [];
    for (const one of surveyed) problems.push(...(await this.judge(one)));
    problems.push(...this.judgeClaims(result.claims));
    if (problems.length > 0) throw new SoakFailure(problems.join('\n'));
  }

  private compareListings({ claims, prunes }: StepResult): void {
    const { expectations } = this.world;
    const names = new Set(this.listed.map(datasetName));
    for (const claim of claims) {
      if (claim.kind !== 'committed') continue;
      names.add(datasetName(claim.key));
      this.own(claim.key, claim.uploadId, `it is what ${this.world.describe(claim.run)} reports`);
    }
    for (const listed of this.listed) this.own(listed, listed.uploadId, 'it is listed');
    for (const name of names) {
      const known = expectations.dataset(name);
      const present = new Set(this.listed.filter((one) => datasetName(one) === name).map(({ version }) => version));
      this.entitle(name, prunes);
      for (const [version, one] of known) {
        if (one.isListed && !present.has(version) && !one.mayGo)
          throw new SoakFailure(
            `${name} v${version} (${one.uploadId}) is not listed any more, and no prune was entitled to retire it`,
          );
        if (!one.isListed && present.has(version))
          throw new SoakFailure(`${name} v${version} (${one.uploadId}) was retired and is listed again`);
        one.isListed = present.has(version);
      }
      this.checkPruned(name, present.size, prunes);
    }
  }

  /** Each ordinal belongs to one upload for ever, and each upload to one version. */
  private own(key: VersionKey, uploadId: string, why: string): void {
    const name = versionName(key);
    const known = this.world.expectations.dataset(datasetName(key));
    const before = known.get(key.version);
    if (before && before.uploadId !== uploadId)
      throw new SoakFailure(`${name} was upload ${before.uploadId} and now is ${uploadId}: ${why}`);
    const owner = this.owners.get(uploadId);
    if (owner !== undefined && owner !== name)
      throw new SoakFailure(`upload ${uploadId} is ${owner} and ${name}: ${why}`);
    this.owners.set(uploadId, name);
    if (!before) known.set(key.version, { uploadId, mayGo: false, isListed: true });
  }

  private entitle(name: string, prunes: readonly PruneRun[]): void {
    const known = this.world.expectations.dataset(name);
    for (const { dataset, keep } of prunes) {
      if (dataset !== name) continue;
      const newestFirst = [...known].filter(([, { isListed }]) => isListed).sort(([a], [b]) => b - a);
      for (const [, one] of newestFirst.slice(keep)) one.mayGo = true;
    }
  }

  private checkPruned(name: string, present: number, prunes: readonly PruneRun[]): void {
    for (const { dataset, keep, isSure, run } of prunes)
      if (dataset === name && isSure && present > keep)
        throw new SoakFailure(`${this.world.describe(run)} ended well and left ${present} versions`);
  }

  private async judge(one: Surveyed): Promise<string[]> {
    const { world } = this;
    const problems: string[] = [];
    if (one.restore.status !== 0)
      problems.push(
        `${nameOf(one)} cannot be restored (exit ${one.restore.status}): ${one.restore.stderr}${one.restore.stdout.slice(0, 2000)}`,
      );
    else {
      const machine = world.machines.find(({ source }) => source.root === one.source)?.name;
      const found = world.expectations.judge(one, machine, one.tree);
      if (found.length > 0) problems.push(`${nameOf(one)} restores to something else:\n  ${found.join('\n  ')}`);
    }
    const isVerified = one.verify.status === 0;
    if (problems.length === 0 && !isVerified)
      problems.push(
        `${nameOf(one)} restores, but does not verify (exit ${one.verify.status}): ${one.verify.stdout.slice(0, 2000)}`,
      );
    if (one.restore.status !== 0 && isVerified && (await verifyVersion(world, world.store, one, true)).status === 0)
      problems.push(`${nameOf(one)} cannot be restored, but verifies`);
    return problems;
  }

  private judgeClaims(claims: readonly Claim[]): string[] {
    return claims.flatMap((claim) => {
      const tree = this.world.expectations.treeOf(claim.key);
      const name = versionName(claim.key);
      const who = this.world.describe(claim.run);
      if (tree === undefined) {
        if (claim.kind === 'committed' && this.excused.has(name)) return [`${who} reports ${name}, which is not whole`];
        const one = this.world.expectations.dataset(datasetName(claim.key)).get(claim.key.version);
        return one?.mayGo === true ? [] : [`${who} reports ${name}, which is not there`];
      }
      if (claim.kind === 'no-changes') {
        const lacking = this.world.expectations.lacks(tree, claim.source);
        return lacking.length === 0 ? [] : [`${who} found no changes to ${name}, but\n  ${lacking.join('\n  ')}`];
      }
      if (tree.get(claim.marker)?.facts === claim.source.get(claim.marker)?.facts) return [];
      return [`${who} reports ${name}, which is another generation of its source`];
    });
  }
}
