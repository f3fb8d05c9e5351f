// Checks that a delta and everything that it builds on agree: each manifest with itself, the announced length of each chain, and the
// effective view with its announced totals.
import { loadChain } from '../../dataset/chain/load-chain.js';
import { ENTRY_TOTALS } from '../../dataset/chain/entry-sums.js';
import { mergeLevels } from '../../dataset/chain/merge-levels.js';
import { batchesOf, type EntryBatch } from '../../dataset/chain/merged-view.js';
import { type Summary, summarizeBatches } from '../../dataset/chain/summarize.js';
import { levelOf } from '../../dataset/chain/view.js';
import { IndexCheck } from '../../format/manifest/index-check.js';
import type { LoadedManifest } from '../../format/manifest/loaded-manifest.js';
import type { Line } from '../../format/manifest/manifest-parser.js';
import type { Entry, ManifestHead, Totals } from '../../format/manifest/manifest-types.js';
import type { ObjectReader } from '../../store/object-store.js';
import { throwIfCancelled } from '../../store/store-error.js';
import { displayPath } from '../../platform/paths/raw-path.js';
import { resultPath } from '../../platform/failures/failure-list.js';
import { checkedSegments } from './check-segments.js';
import { ManifestChecker } from './manifest-checker.js';
import { isRows, rowLines } from '../../format/rows/row-lines.js';
import type { Problems, ProblemSink } from './problem.js';

export interface CheckChainOptions {
  readonly reader: ObjectReader;
  readonly errors: Problems;
  readonly warnings: Problems;
  /** Digests of manifests that were found right before, and are not read line by line again; updated in place. */
  readonly right: Set<string>;
  /** Gets the entries of the view as they pass, with its head. */
  readonly onEntries?: ((entries: EntryBatch, head: ManifestHead) => void) | undefined;
  readonly signal: AbortSignal;
}

export interface CheckedChain extends Summary {
  /** Head of the newest manifest, with the chunks of the whole chain. */
  readonly head: ManifestHead;
  /** Entries of the view, those in these chunks (by position in `head`) and possibly others. */
  readonly entriesIn: (chunks: ReadonlySet<number>) => AsyncIterable<readonly Entry[]>;
}

/** Checks the chain that ends in `newest`. @throws integrity where it cannot be followed or merged */
export async function checkChain(newest: LoadedManifest, options: CheckChainOptions): Promise<CheckedChain> {
  const { reader, errors, onEntries, signal } = options;
  const chain = await loadChain(reader, newest, { signal });
  const isAlone = chain.length === 1;
  for (const loaded of isAlone ? [] : chain) await checkLink(loaded, options);
  chain.forEach((loaded, index) => checkRecord(loaded, chain.slice(index), errors));
  // A listing that nothing is merged onto is read once. checkTotals below reports all wrong totals.
  const view = isAlone ? newest.head : mergeLevels(chain.map(levelOf), newest.uploadId);
  const head: ManifestHead = { ...newest.head, chunks: view.chunks };
  // What is of an unknown type is reported by checkedLink.
  const batches = 'entries' in view ? batchesOf(view, () => undefined) : checkedOnce(newest, options);
  const pass = (batch: EntryBatch): void => onEntries?.(batch, head);
  const summary = await summarizeBatches(view.chunks, passing(batches, pass));
  if (!isAlone) checkTotals(newest.head.view ?? newest.head.totals, summary, named(newest, errors));
  return { ...summary, head, entriesIn: (chunks) => entriesIn(newest, chain, chunks) };
}

function entriesIn(
  newest: LoadedManifest,
  chain: readonly LoadedManifest[],
  chunks: ReadonlySet<number>,
): AsyncIterable<readonly Entry[]> {
  const { segments } = newest;
  const read =
    chain.length === 1 && segments !== undefined
      ? [{ ...newest, segments: segments.filter(({ positions }) => positions.some((at) => chunks.has(at))) }]
      : chain;
  return mergeLevels(read.map(levelOf), newest.uploadId).entries(() => undefined);
}

const named = ({ key }: LoadedManifest, problems: Problems): ProblemSink => ({
  add: (message, about) => problems.add(`in ${key}: ${message}`, about),
});

/** Checks a manifest, unless it was found right before. */
async function checkLink(loaded: LoadedManifest, options: CheckChainOptions): Promise<void> {
  if (options.right.has(loaded.sha256)) return;
  await summarizeBatches(loaded.head.chunks, checkedOnce(loaded, options));
}

/** As `checkedLink`; a manifest of which nothing is reported is right. */
async function* checkedOnce(loaded: LoadedManifest, options: CheckChainOptions): AsyncGenerator<EntryBatch> {
  const { errors, warnings, right } = options;
  const before = errors.count + warnings.count;
  yield* checkedLink(loaded, options);
  if (errors.count + warnings.count === before) right.add(loaded.sha256);
}

/** The same entries, which `pass` sees as well. */
async function* passing(
  batches: AsyncIterable<EntryBatch>,
  pass: (batch: EntryBatch) => void,
): AsyncGenerator<EntryBatch> {
  for await (const batch of batches) {
    pass(batch);
    yield batch;
  }
}

/** The entries of a manifest, which is checked while they pass. */
async function* checkedLink(loaded: LoadedManifest, options: CheckChainOptions): AsyncGenerator<EntryBatch> {
  const errors = named(loaded, options.errors);
  const checker = new ManifestChecker(loaded.head, errors, named(loaded, options.warnings));
  for await (const batch of loaded.segments === undefined ? rowLines(loaded) : checkedSegments(loaded, errors)) {
    throwIfCancelled(options.signal);
    if (isRows(batch)) checker.rows(batch);
    yield isRows(batch) ? batch : checkedLines(batch, checker, errors);
  }
  checker.finish();
  const index = new IndexCheck();
  index.push(loaded.bytes);
  const problem = index.finish();
  if (problem !== undefined) errors.add(problem);
}

/** Checks lines, and returns the entries among them. */
function checkedLines(lines: readonly Line[], checker: ManifestChecker, errors: ProblemSink): readonly Entry[] {
  const entries: Entry[] = [];
  for (const line of lines) {
    if ('foreignType' in line) {
      const path = resultPath(line.path);
      errors.add(`its type '${displayPath(line.foreignType)}' is not known`, { path });
    } else if (line.type === 'deleted') checker.tombstone(line);
    else {
      checker.entry(line);
      entries.push(line);
    }
  }
  return entries;
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

const COMPARED = { ...ENTRY_TOTALS, chunks: 'chunks', storedBytes: 'stored bytes' } as const;

function checkTotals(said: Totals, { totals }: Summary, errors: ProblemSink): void {
  for (const [key, what] of Object.entries(COMPARED) as [keyof typeof COMPARED, string][]) {
    if (said[key] !== totals[key])
      errors.add(`the view is announced with ${said[key]} ${what}, and has ${totals[key]}`);
  }
}
