// Lists, restores and verifies every version as a machine that has never seen the store.
import { createHash } from 'node:crypto';
import { existsSync, rmSync } from 'node:fs';

import { gunzipSync } from 'node:zlib';
import { versionName, type VersionKey } from './expectations.js';
import { snapshot, type Tree } from './snapshot.js';
import type { SoakStore, StoredObject } from './soak-store.js';
import { SoakFailure, type Run, type World } from './world.js';

export interface Listed extends VersionKey {
  readonly uploadId: string;
  readonly listing: string;
  readonly source: string;
}

export interface Surveyed extends Listed {
  readonly restore: Run;
  readonly verify: Run;
  /** What the restore wrote. */
  readonly tree: Tree;
}

const AT_ONCE = 2;
const RECORD = /^((?:writers\/[^/]+\/)?)datasets\/([^/]+)\/v\d+\.json$/;

/** The versions of every dataset that has a record. @throws SoakFailure when they cannot be listed */
export async function listVersions(
  world: World,
  store: SoakStore,
  objects: readonly StoredObject[],
): Promise<Listed[]> {
  const datasets = new Map<string, { base: string; datasetId: string }>();
  for (const { key } of objects) {
    const [, base = '', datasetId = ''] = RECORD.exec(key) ?? [];
    if (datasetId !== '')
      datasets.set(`${base}${datasetId}`, { base: base === '' ? '' : `/${base.slice(0, -1)}`, datasetId });
  }
  const reader = world.reader();
  const listed = await inParallel([...datasets.values()], async ({ base, datasetId }) => {
    const args = ['dataset', 'versions', `${store.url}${base}`, '--dataset-id', datasetId, '--json'];
    const run = await world.run(reader, args, { store });
    if (run.status !== 0)
      throw new SoakFailure(`${world.describe(run)} ended with ${run.status}: ${run.stderr}${run.stdout}`);
    const versions = run.document['versions'] as readonly Record<string, unknown>[];
    return versions.map(({ version, uploadId, listing, source }) => ({
      base,
      datasetId,
      version: Number(version),
      uploadId: String(uploadId),
      listing: String(listing),
      source: String(source),
    }));
  });
  reader.forget();
  return listed.flat();
}

/** Restores one version into a fresh folder, with a fresh home. */
export async function restoreVersion(
  world: World,
  store: SoakStore,
  listed: VersionKey,
): Promise<{ readonly run: Run; readonly tree: Tree }> {
  const reader = world.reader();
  const output = `${reader.home}-out`;
  const { base, datasetId, version } = listed;
  const which = ['--all', '--dataset-id', datasetId, '--version', String(version)];
  const run = await world.run(reader, ['restore', `${store.url}${base}`, output, ...which, '--json', '--quiet'], {
    store,
  });
  const tree = existsSync(output) ? snapshot(output) : new Map<string, never>();
  rmSync(output, { recursive: true, force: true });
  reader.forget();
  world.counts.restored += 1;
  return { run, tree };
}

/** Restores and verifies versions. */
export async function survey(
  world: World,
  store: SoakStore,
  versions: readonly Listed[],
  isDeep: (listed: Listed) => boolean,
): Promise<Surveyed[]> {
  return await inParallel(versions, async (listed) => {
    const { run: restore, tree } = await restoreVersion(world, store, listed);
    const verify = await verifyVersion(world, store, listed, isDeep(listed));
    return { ...listed, restore, verify, tree };
  });
}

/** Verifies one version. */
export async function verifyVersion(world: World, store: SoakStore, listed: Listed, isDeep: boolean): Promise<Run> {
  const reader = world.reader();
  const url = `${store.url}${listed.base}/uploads/${listed.uploadId}`;
  const run = await world.run(reader, ['verify', url, '--json', '--quiet', ...(isDeep ? ['--deep'] : [])], { store });
  reader.forget();
  return run;
}

async function inParallel<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  const queue = [...items.entries()];
  const worker = async (): Promise<void> => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) results[next[0]] = await work(next[1]);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return results;
}

/**
 * A text that changes when anything changes that a version's restore may read: its record and all objects of the uploads
 * that its manifests name. Restores of what has not changed give what they gave before.
 */
export class Footprints {
  private readonly references = new Map<string, readonly string[]>();

  async of(store: SoakStore, listed: Listed, objects: readonly StoredObject[]): Promise<string> {
    const below = listed.base === '' ? '' : `${listed.base.slice(1)}/`;
    const reached = new Set([listed.uploadId]);
    for (const uploadId of reached)
      for (const other of await this.referencesOf(store, `${below}uploads/${uploadId}/manifest.json.gz`, objects))
        reached.add(other);
    const record = `${below}datasets/${listed.datasetId}/v${String(listed.version).padStart(8, '0')}.json`;
    const lines = objects
      .filter(
        ({ key }) =>
          key === record ||
          (key.startsWith(`${below}uploads/`) && reached.has(key.slice(below.length).split('/')[1] ?? '')),
      )
      .map(({ key, size, tag }) => `${key} ${size} ${tag}`);
    return createHash('sha1').update(lines.sort().join('\n')).digest('hex');
  }

  private async referencesOf(
    store: SoakStore,
    key: string,
    objects: readonly StoredObject[],
  ): Promise<readonly string[]> {
    const object = objects.find((one) => one.key === key);
    if (!object) return [];
    const name = `${key} ${object.tag}`;
    const known = this.references.get(name);
    if (known) return known;
    let text = '';
    try {
      text = gunzipSync(await store.get(key)).toString('latin1');
    } catch {
      return []; // Damaged on purpose, perhaps: the restore says so.
    }
    const found = [
      ...text.matchAll(/\.\.\/(\d{8}-\d{6}-[0-9a-f]{8})\//g),
      ...text.matchAll(/"previous":\{"uploadId":"([^"]+)"/g),
    ];
    const ids = [...new Set(found.map(([, id = '']) => id))];
    this.references.set(name, ids);
    return ids;
  }
}

/** For messages. */
export const nameOf = (listed: Listed): string => `${versionName(listed)} (${listed.uploadId})`;
