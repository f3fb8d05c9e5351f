// Checks that a delta and everything that it builds on agree: each manifest with itself, the announced length of each chain, and the
// effective view with its announced totals.
import { loadChain } from '../../dataset/chain/load-chain.js';
import { ENTRY_TOTALS } from '../../dataset/chain/entry-sums.js';
import { mergeLevels } from '../../dataset/chain/merge-levels.js';
import type { MergedView } from '../../dataset/chain/merged-view.js';
import { type Summary, summarize } from '../../dataset/chain/summarize.js';
import { levelOf } from '../../dataset/chain/view.js';
import { IndexCheck } from '../../format/manifest/index-check.js';
import { type LoadedManifest, readLoaded } from '../../format/manifest/loaded-manifest.js';
import type { Entry, ManifestHead, Totals } from '../../format/manifest/manifest-types.js';
import type { ObjectReader } from '../../store/object-store.js';
import { throwIfCancelled } from '../../store/store-error.js';
import { displayPath } from '../../platform/paths/raw-path.js';
import { resultPath } from '../../platform/failures/failure-list.js';
import { ManifestChecker } from './manifest-checker.js';
import type { Problems, ProblemSink } from './problem.js';

export interface CheckChainOptions {
  readonly reader: ObjectReader;
  readonly errors: Problems;
  readonly warnings: Problems;
  /** Gets the entries of the view; positions refer to the chunks of `head`. */
  readonly onEntry: (entry: Entry, head: ManifestHead) => void;
  readonly signal: AbortSignal;
}

export interface CheckedChain extends Summary {
  /** Head of the newest manifest, with the chunks of the whole chain. */
  readonly head: ManifestHead;
}

/** Checks the chain that ends in `newest`. @throws integrity where it cannot be followed or merged */
export async function checkChain(newest: LoadedManifest, options: CheckChainOptions): Promise<CheckedChain> {
  const { reader, errors, signal } = options;
  const chain = await loadChain(reader, newest, { signal });
  for (const loaded of chain) await checkLink(loaded, options);
  chain.forEach((loaded, index) => checkRecord(loaded, chain.slice(index), errors));
  const view = mergeLevels(chain.map(levelOf), newest.uploadId); // checkTotals below reports all wrong totals
  const head: ManifestHead = { ...newest.head, chunks: view.chunks };
  const summary = await summarize(tapped(view, head, options), () => undefined); // reported by checkLink
  checkTotals(newest.head.view ?? newest.head.totals, summary, named(newest, errors));
  return { ...summary, head };
}

const named = ({ key }: LoadedManifest, problems: Problems): ProblemSink => ({
  add: (message, about) => problems.add(`in ${key}: ${message}`, about),
});

async function checkLink(loaded: LoadedManifest, options: CheckChainOptions): Promise<void> {
  const errors = named(loaded, options.errors);
  const checker = new ManifestChecker(loaded.head, errors, named(loaded, options.warnings));
  for await (const lines of readLoaded(loaded)) {
    throwIfCancelled(options.signal);
    for (const line of lines) {
      if ('foreignType' in line) {
        const path = resultPath(line.path);
        errors.add(`its type '${displayPath(line.foreignType)}' is not known`, { path });
      } else if (line.type === 'deleted') checker.tombstone(line);
      else checker.entry(line);
    }
  }
  checker.finish();
  const index = new IndexCheck();
  index.push(loaded.bytes);
  const problem = index.finish();
  if (problem !== undefined) errors.add(problem);
}

/**
 * Checks the chain that a delta announces. Skipped where a manifest in between was rewritten, because its numbers differ from those
 * counted.
 */
function checkRecord(loaded: LoadedManifest, chain: readonly LoadedManifest[], problems: Problems): void {
  const { chain: said } = loaded.head;
  if (said === undefined || chain.some(({ head }) => head.replaces !== undefined)) return;
  const deltas = chain.filter(({ head }) => head.listing === 'delta');
  const entries = deltas.reduce((sum, { head }) => sum + head.totals.entries, 0);
  if (said.deltas === deltas.length && said.entries === entries) return;
  named(loaded, problems).add(
    `it announces a chain of ${said.deltas} deltas with ${said.entries} entries, and there are ${deltas.length} with ${entries}`,
  );
}

function tapped(view: MergedView, head: ManifestHead, { onEntry, signal }: CheckChainOptions): MergedView {
  return {
    chunks: view.chunks,
    async *entries(onForeign) {
      for await (const batch of view.entries(onForeign)) {
        throwIfCancelled(signal);
        for (const entry of batch) onEntry(entry, head);
        yield batch;
      }
    },
  };
}

const COMPARED = { ...ENTRY_TOTALS, chunks: 'chunks', storedBytes: 'stored bytes' } as const;

function checkTotals(said: Totals, { totals }: Summary, errors: ProblemSink): void {
  for (const [key, what] of Object.entries(COMPARED) as [keyof typeof COMPARED, string][]) {
    if (said[key] !== totals[key])
      errors.add(`the view is announced with ${said[key]} ${what}, and has ${totals[key]}`);
  }
}
