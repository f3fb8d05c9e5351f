// Runs plan, work and commit of the engine in this process, on a folder store that tests may break.
import { realpathSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { commitPlan, type CommittedPlan, type MissingParts } from '../../../../src/core/archive/parts/commit-plan.js';
import type { PartSize } from '../../../../src/core/archive/parts/cut-parts.js';
import { type NothingPlanned, planFolder, type WrittenPlan } from '../../../../src/core/archive/parts/plan-folder.js';
import { readPlan } from '../../../../src/core/archive/parts/read-plan.js';
import { workPart, type WorkedPart } from '../../../../src/core/archive/parts/work-part.js';
import type { ArchiveOptions } from '../../../../src/core/archive/run/settings.js';
import type { TransferEvent } from '../../../../src/core/events/events.js';
import { fileStore } from '../../../../src/core/store/file/file-store.js';
import type { ObjectStore, WholeStore } from '../../../../src/core/store/object-store.js';
import type { OpenedStore } from '../../../../src/core/store/open-store.js';
import { plainStore } from '../../../../src/core/store/plain-store.js';
import { newRequestCounts } from '../../../../src/core/store/request-count.js';
import { readView } from '../../../../src/core/dataset/chain/read-view.js';
import type { Entry } from '../../../../src/core/format/manifest/manifest-types.js';
import { asUploadId } from '../../../support/as-upload-id.js';
import { raw } from '../../../support/raw.js';
import { tempFolder } from '../../../support/temp-folder.js';

export interface PlanSite {
  readonly source: string;
  readonly base: string;
  readonly events: TransferEvent[];
  readonly wrap?: (store: WholeStore) => Partial<ObjectStore>;
  /** True for a store that cannot create a key only once. */
  readonly isPlain?: boolean;
}

/** An empty folder and a place for its store. */
export async function planSite(): Promise<PlanSite> {
  const above = realpathSync(await tempFolder());
  const source = join(above, 'data');
  mkdirSync(source);
  return { source, base: join(above, 'store'), events: [] };
}

export function openedStore({ base, wrap, isPlain = false }: PlanSite): OpenedStore {
  const plain = fileStore(base);
  const wrapped = { ...plain, ...wrap?.(plain) };
  const store = isPlain ? plainStore(wrapped, { isExclusive: true }) : wrapped;
  return {
    store,
    deleter: plain,
    requests: newRequestCounts(),
    retries: () => 0,
    isAws: false,
    createOnce: 'yes',
    close: () => undefined,
  };
}

const { signal } = new AbortController();

/** Plans, and expects that there is something to do. */
export async function planned(...args: Parameters<typeof plannedOrNot>): Promise<WrittenPlan> {
  const made = await plannedOrNot(...args);
  if (!('parts' in made)) throw new Error('nothing was planned');
  return made;
}

export async function plannedOrNot(
  site: PlanSite,
  partSize: PartSize = { count: 4 },
  options: Partial<ArchiveOptions> = {},
  maxRows?: number,
): Promise<WrittenPlan | NothingPlanned> {
  return await planFolder(() => Promise.resolve(openedStore(site)), {
    source: raw(site.source),
    partSize,
    ...(maxRows === undefined ? {} : { maxRows }),
    ...options,
    dataset: { host: 'test-host', id: 'd', ...options.dataset },
    packing: { compressionLevel: 1, frameBytes: 64 * 1024, ...options.packing },
    layout: { shardCount: 4, ...options.layout },
    labels: { tool: 'archiver test', ...options.labels },
    signal,
    emit: (event) => void site.events.push(event),
  });
}

export async function worked(
  site: PlanSite,
  plan: string,
  part: number,
  { stop = signal, ...options }: { readonly allowMassDelete?: boolean; readonly stop?: AbortSignal } = {},
): Promise<WorkedPart> {
  const opened = openedStore(site);
  return await workPart(opened, await readPlan(opened.store, asUploadId(plan), signal), part, {
    packing: { workers: 1 },
    allowMassDelete: false,
    host: 'node-1',
    pid: 1,
    job: {},
    ...options,
    signal: stop,
    emit: (event) => void site.events.push(event),
    warn: (text) => void site.events.push({ type: 'note', text }),
  });
}

export async function committed(
  site: PlanSite,
  plan: string,
  options: { readonly allowMassDelete?: boolean; readonly isExclusive?: boolean } = {},
): Promise<CommittedPlan | MissingParts> {
  const opened = openedStore(site);
  return await commitPlan(opened, await readPlan(opened.store, asUploadId(plan), signal), {
    allowMassDelete: false,
    isExclusive: false,
    ...options,
    signal,
    emit: (event) => void site.events.push(event),
    warn: (text) => void site.events.push({ type: 'note', text }),
  });
}

/** Every part once, in order. */
export async function workedAll(site: PlanSite, { uploadId, parts }: WrittenPlan): Promise<readonly WorkedPart[]> {
  const done: WorkedPart[] = [];
  for (const { part } of parts) done.push(await worked(site, uploadId, part));
  return done;
}

/** What a version lists, without the places of its contents and with hard link groups by their members. */
export async function listedBy(base: string, uploadId: string): Promise<readonly object[]> {
  const entries: Entry[] = [];
  await readView(fileStore(base), { uploadId: asUploadId(uploadId), onEntry: (entry) => void entries.push(entry) });
  const groups = new Map<number, string[]>();
  for (const { linkGroup, path } of entries)
    if (linkGroup !== undefined) groups.set(linkGroup, [...(groups.get(linkGroup) ?? []), path]);
  return entries.map(({ chunk: _c, offset: _o, segments: _s, xxh64: _x, linkGroup, ...entry }) => ({
    ...entry,
    ...(linkGroup === undefined ? {} : { group: groups.get(linkGroup) }),
  }));
}

export const notes = ({ events }: PlanSite): readonly string[] =>
  events.flatMap((event) => (event.type === 'note' ? [event.text] : []));
