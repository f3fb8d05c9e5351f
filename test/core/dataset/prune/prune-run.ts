// Runs a prune in a folder, on a store that tests may break.
import { randomBytes } from 'node:crypto';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { Compactions } from '../../../../src/core/dataset/prune/compactions.js';
import type { KeepRules } from '../../../../src/core/dataset/prune/keep-rules.js';
import { hasWork, planPrune, type PrunePlan } from '../../../../src/core/dataset/prune/plan-prune.js';
import { prune, type PruneOutcome } from '../../../../src/core/dataset/prune/prune.js';
import { fileStore } from '../../../../src/core/store/file/file-store.js';
import type { EventSink } from '../../../../src/core/events/events.js';
import type { DeleteFailure, ObjectStore, WholeStore } from '../../../../src/core/store/object-store.js';
import type { LinkSpec } from '../../../support/make-chain.js';
import { DATASET, makeDataset, writeObjects, type MadeDataset } from '../../../support/make-dataset.js';
import { tempFolder } from '../../../support/temp-folder.js';

export const DAY = 86_400_000;

/** Five versions: each edits one file and drops or keeps others; v3 changes only metadata; v4 turns a file into a folder. */
export const LINKS: readonly LinkSpec[] = [
  {
    files: [
      { path: 'a.txt', content: 'alpha' },
      { path: 'b.txt', content: 'beta', chunk: 1 },
      { path: 'c.txt', content: 'gamma', chunk: 2 },
      { path: 'dir', type: 'directory' },
      { path: 'dir/d.txt', content: 'delta', chunk: 1, linkGroup: 7 },
      { path: 'dir/e.txt', type: 'hardlink', linkTo: 'dir/d.txt', linkGroup: 7 },
      { path: 'link', type: 'symlink', target: 'a.txt' },
    ],
  },
  { files: [{ path: 'a.txt', content: 'alpha 2' }] },
  { files: [{ path: 'big.bin', content: 'x'.repeat(5000), pieces: 2000 }], kept: { 'b.txt': { mode: '0600' } } },
  {
    files: [
      { path: 'c.txt', type: 'directory' },
      { path: 'c.txt/inside', content: 'now a folder' },
    ],
    deleted: ['a.txt'],
  },
  { files: [{ path: 'new.txt', content: 'new' }], deleted: ['big.bin'] },
];

export interface PruneRunOptions {
  readonly keep?: Partial<KeepRules>;
  readonly abandonedAfterMs?: number;
  /** 0, which is at once, when not given. */
  readonly graceMs?: number;
  readonly now?: Date;
  readonly wrap?: (store: WholeStore) => ObjectStore;
  readonly datasetId?: string;
  /** True where not given: what tests keep is often smaller than what they retire. */
  readonly allowMassDelete?: boolean;
  readonly emit?: EventSink;
  /** While a person looks at the plan. */
  readonly afterPlan?: () => Promise<unknown>;
}

export interface PruneRun extends Partial<PruneOutcome> {
  readonly planned: PrunePlan;
}

/** Plans and carries out, as the command does. */
export async function pruneFolder(folder: string, options: PruneRunOptions = {}): Promise<PruneRun> {
  const plain = fileStore(folder);
  const store = options.wrap?.(plain) ?? plain;
  const settings = {
    datasetId: options.datasetId ?? DATASET,
    keep: { last: 2, ...options.keep },
    abandonedAfterMs: options.abandonedAfterMs ?? 7 * DAY,
    graceMs: options.graceMs ?? 0,
    now: options.now ?? new Date(),
    allowMassDelete: options.allowMassDelete ?? true,
    emit: options.emit,
    compactions: new Compactions(),
    mayRewrite: store.plain?.isExclusive !== false,
    signal: new AbortController().signal,
  };
  const planned = await planPrune(store, settings);
  if (!hasWork(planned)) return { planned };
  await options.afterPlan?.();
  const outcome = await prune(store, { ...settings, plan: planned, deleter: { ...plain, ...store }, randomBytes });
  return { planned, ...outcome };
}

/** A folder with the dataset in it. */
export async function datasetFolder(made: MadeDataset = makeDataset(LINKS)): Promise<string> {
  const folder = join(await tempFolder(), 'store');
  await writeObjects(folder, made.objects);
  return folder;
}

/** The same folder again, so that a test may spoil it. */
export async function copyOf(folder: string): Promise<string> {
  const copy = join(await tempFolder(), 'store');
  await cp(folder, copy, { recursive: true, preserveTimestamps: true });
  return copy;
}

/** Calls `before` ahead of every change of an object, with its number from 0. A server deletes one key after the other. */
export function onMutation(
  store: WholeStore,
  before: (call: number, what: string) => Promise<void> | void,
): WholeStore {
  let calls = 0;
  return {
    ...store,
    put: async (key, body, options) => {
      await before(calls++, `put ${key}`);
      return await store.put(key, body, options);
    },
    delete: async (keys, signal) => {
      const failures: DeleteFailure[] = [];
      for (const key of keys) {
        await before(calls++, `delete ${key}`);
        failures.push(...(await store.delete([key], signal)));
      }
      return failures;
    },
  };
}

/** A store whose process dies before this change. */
export function killedBefore(store: WholeStore, step: number): WholeStore {
  return onMutation(store, (call) => {
    if (call >= step) throw new Error('killed');
  });
}

/** Names of marks and of rewritten manifests without what is random in them. */
export const plainName = (name: string): string =>
  name
    .replace(/sweep-\d{8}T\d{6}Z-[0-9a-f]{8}/, 'sweep')
    .replace(/(\.gz)\.[0-9a-f]{8}\./, '$1.')
    .replace(/-[0-9a-f]{8}$/, '');

/** The changes that a prune of this folder makes, in their order. */
export async function stepsOf(folder: string, options: PruneRunOptions = {}): Promise<readonly string[]> {
  const steps: string[] = [];
  const note = (store: WholeStore): WholeStore => onMutation(store, (_call, what) => void steps.push(what));
  await pruneFolder(await copyOf(folder), { ...options, wrap: note });
  return steps;
}
