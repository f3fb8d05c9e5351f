// Which modules of src/ share a file of dist/. esbuild makes a chunk of the modules that the same entries reach (an `import()`
// is an entry), so modules that some commands share and others do not would come in hundreds of small files: slower to open
// than to run, and more at once than a low `ulimit -n` allows. So each `import()` goes to a module of its own that imports
// all of every group it reaches: esbuild sees one set for each group, and what runs before the command is known is the first.
import { readFile } from 'node:fs/promises';
import { dirname, relative, resolve } from 'node:path';
import { build } from 'esbuild';

// Each group is what its modules import at once, directly or not, without what groups before it have. Who loads one of its
// modules loads all: what only some of its users need belongs to another group, or to none.
const groups = {
  everyday: [
    'src/commands/called.ts',
    // What the others share with what the first ones run.
    'src/commands/kit/dataset-table.ts',
    'src/commands/projects/dvc/sidecar-document.ts',
    'src/core/dataset/prune/keep-rules.ts',
    'src/core/format/columns/entry-table.ts',
    'src/core/format/columns/rows.ts',
    'src/core/format/manifest/provenance.ts',
    'src/core/money/ledger/days.ts',
    'src/core/money/ledger/micros.ts',
    'src/core/money/ledger/period.ts',
    'src/core/notify/alerts/amounts.ts',
    'src/core/notify/alerts/channel.ts',
    'src/core/platform/lists-by-key.ts',
    'src/core/store/providers/address.ts',
    'src/core/store/reader-below.ts',
    'src/core/store/unfinished-hidden.ts',
  ],
  commands: ['src/commands/index.ts'],
  // A shell waits for these.
  completing: ['src/cli/complete-known.ts', 'src/core/seen/seen-place.ts'],
  listing: ['src/core/seen/seen-entries.ts'],
  state: [
    'src/core/platform/state/document.ts',
    'src/core/platform/state/document-folder.ts',
    'src/core/platform/state/lock.ts',
    'src/core/platform/state/replace-file.ts',
    'src/core/store/until-cancelled.ts',
    'src/core/dataset/records/identity.ts',
    'src/core/events/progress-meter.ts',
    'src/core/platform/limits/for-each-limit.ts',
    'src/core/platform/limits/pace.ts',
  ],
  stores: [
    'src/core/store/open-store.ts',
    'src/cli/progress.ts',
    'src/commands/kit/dataset-target.ts',
    'src/core/dataset/records/versions.ts',
    'src/core/dataset/records/find-dataset.ts',
    'src/core/dataset/records/version-selector.ts',
    'src/screens/progress/text-reporter.ts',
    'src/screens/progress/final-lines.ts',
  ],
  prices: ['src/commands/kit/prices.ts', 'src/core/cost/upload-cost.ts'],
  manifests: [
    'src/core/dataset/chain/read-view.ts',
    'src/core/dataset/chain/version-view.ts',
    'src/core/dataset/history/versions-with-paths.ts',
    'src/core/dataset/marks.ts',
    'src/core/dataset/check-references.ts',
    'src/core/format/manifest/selection.ts',
    'src/core/format/manifest/manifest-copy.ts',
  ],
  contents: [
    'src/core/format/columns/entry-table.ts',
    'src/core/platform/codec/codec.ts',
    'src/core/platform/limits/byte-budget.ts',
    'src/core/platform/md5/md5-lanes.ts',
    'src/core/restore/output-tree/output-folder.ts',
    'src/core/platform/paths/collisions.ts',
    'src/core/platform/paths/path-rules.ts',
    'src/core/format/tar/tar-block.ts',
    'src/core/platform/threads/worker-thread.ts',
    // What uploads share with those who read: a restore or a check would load all of an upload for it.
    'src/core/cost/cost-cap.ts',
    'src/core/cost/retrieval-cost.ts',
    'src/core/dataset/attempts.ts',
    'src/core/dataset/cache/check-cache.ts',
    'src/core/format/chunk/content-seeds.ts',
    'src/core/format/tar/pax-records.ts',
    'src/core/format/tar/posix-acl.ts',
    'src/core/mend/verify/cold-chunks.ts',
    'src/core/platform/account-name.ts',
    'src/core/platform/md5/lane-runner.ts',
    'src/core/platform/paths/leads-out.ts',
    'src/core/restore/thaw/chunk-states.ts',
  ],
  recording: [
    'src/commands/money/open-meter.ts',
    'src/commands/money/record-run.ts',
    'src/core/money/budget/open-book.ts',
    'src/core/money/budget/reserve.ts',
    'src/core/money/budget/budget-alerts.ts',
    'src/core/notify/alerts/raise-alerts.ts',
    'src/core/money/ledger/upload-history.ts',
  ],
  planning: [
    'src/commands/upload/engine-options.ts',
    'src/core/archive/plan/planned-upload.ts',
    'src/core/archive/scan/source-folder.ts',
    'src/core/money/budget/verdict.ts',
    'src/core/archive/resume/state-folder.ts',
  ],
  archiving: [
    'src/commands/upload/run-archive.ts',
    'src/commands/upload/actual-cost.ts',
    'src/commands/upload/saved-command.ts',
    'src/commands/upload/dry-run.ts',
    'src/core/archive/inspect-destination.ts',
    'src/core/projects/dvc/sidecar-run.ts',
    'src/commands/notify/run-notices.ts',
    'src/commands/projects/provenance.ts',
    'src/commands/projects/dvc-files.ts',
  ],
  verifying: ['src/core/mend/verify/verify.ts'],
  jobs: ['src/core/restore/jobs/change-job.ts', 'src/core/restore/jobs/check-job.ts'],
  restoring: ['src/commands/kit/retrieve-with-job.ts'],
};

/** The modules that groups are named by. */
export const groupedModules = Object.values(groups).flat();

const isCode = (path) => /\.tsx?$/.test(path);

/** What each module of src/ that `entry` can load imports at once. */
async function importsOf(entry, options) {
  const { metafile } = await build({
    ...options,
    packages: 'external',
    entryPoints: [entry],
    metafile: true,
    write: false,
  });
  const now = ({ kind, external }) => kind === 'import-statement' && !external;
  return new Map(
    Object.entries(metafile.inputs).map(([path, { imports }]) => [path, imports.filter(now).map((one) => one.path)]),
  );
}

/** `from` and all that they import at once, directly or not. */
function closure(from, imports) {
  const found = new Set(from);
  // A set is walked on over what is added to it meanwhile.
  for (const path of found) {
    for (const next of imports.get(path) ?? []) found.add(next);
  }
  return found;
}

/** The modules of each group, what the program loads at its start first; none is in two. */
function setsOf(entry, imports) {
  const taken = new Set([entry]);
  return [[entry], ...Object.values(groups)].map((roots) => {
    const set = [...closure(roots, imports)].filter(
      // A program without a feature loads none of its modules.
      (path) => imports.has(path) && isCode(path) && !taken.has(path),
    );
    for (const path of set) taken.add(path);
    return set;
  });
}

/** A plugin of esbuild and the sets of modules that it keeps together; `options` are those of the build that it is for. */
export async function chunkGroups(entry, options) {
  const imports = await importsOf(entry, options);
  const sets = setsOf(entry, imports);
  // A group uses those before it only, so that the last is looked at first.
  const fromLast = sets.toReversed();
  const neededBy = (path) => {
    let reached = closure([path, ...sets[0]], imports);
    for (const set of fromLast)
      if (set.some((one) => reached.has(one))) reached = closure([...reached, ...set], imports);
    return sets.flatMap((set, group) => (set.some((one) => reached.has(one)) ? [group] : []));
  };
  const text = (path) => JSON.stringify(resolve(path));
  const plugin = {
    name: 'chunk-groups',
    setup(build) {
      build.onResolve({ filter: /^\.{1,2}\/.*\.js$/ }, async ({ path, kind, resolveDir, importer, pluginData }) => {
        if (kind !== 'dynamic-import' || pluginData === 'late') return undefined;
        const found = await build.resolve(path, { kind, resolveDir, importer, pluginData: 'late' });
        return imports.has(relative('.', found.path)) ? { path: found.path, namespace: 'late' } : found;
      });
      build.onLoad({ filter: /.*/, namespace: 'late' }, ({ path }) => {
        const before = neededBy(relative('.', path)).map((group) => `import 'group:${group}';`);
        return { contents: `${before.join('')}export * from ${text(path)};`, loader: 'js', resolveDir: dirname(path) };
      });
      build.onResolve({ filter: /^group:/ }, ({ path }) => ({ path, namespace: 'group' }));
      build.onLoad({ filter: /.*/, namespace: 'group' }, ({ path }) => {
        const all = sets[Number(path.slice('group:'.length))].map((one) => `import ${text(one)};`);
        return { contents: all.join(''), loader: 'js', resolveDir: resolve('.') };
      });
      // Of package.json the program says its version alone.
      build.onLoad({ filter: /[\\/]package\.json$/ }, async ({ path }) => {
        if (path !== resolve('package.json')) return undefined;
        const { version } = JSON.parse(await readFile(path, 'utf8'));
        return { contents: JSON.stringify({ version }), loader: 'json' };
      });
    },
  };
  return { plugin, sets };
}
