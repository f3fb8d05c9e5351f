import { defineCommand } from '../../cli/command.js';
import { arg } from '../../cli/arg.js';
import type { Clock, Results } from '../../cli/context.js';
import { flag } from '../../cli/flag.js';
import { printable } from '../../core/paths/raw-path.js';
import { datasetFlag, placeArg, storeFlags, storeModeFlag, writerFlag } from '../kit/flags.js';
import { textOf } from '../kit/lines.js';
import { type StoreContext, withStore } from '../kit/store.js';

export const command = defineCommand({
  path: 'dataset tag',
  summary: 'tag versions of a dataset, so that no prune deletes them',
  description:
    'A tagged version is kept by every prune, whatever its --keep flags say, until the tag is removed. A version may have ' +
    'several tags, and several versions the same one. `dataset versions` shows them. Tags are not encrypted, in an ' +
    'encrypted dataset neither.',
  args: [
    placeArg,
    arg.text('TAG', { describe: 'up to 64 of A-Z a-z 0-9 . _ -, such as release-2026' }),
    arg.text('VERSION', { describe: 'latest, 12, v12, or a day: the newest made by its end (UTC)', many: true }),
  ],
  flags: {
    ...datasetFlag,
    remove: flag.on({ describe: 'take the tag away instead' }),
    ...writerFlag,
    ...storeModeFlag,
    ...storeFlags('us-west-2'),
  },
  examples: [
    'archiver dataset tag s3://acme-archive/lab submitted v12 --dataset-id results-1a2b3c4d',
    'archiver dataset tag file:///mnt/backup submitted v12 --dataset-id results-1a2b3c4d --remove',
  ],
  exits: {
    0: 'done, or nothing to do',
    1: 'there is no such version, a prune is retiring versions right now, or the store failed',
  },
  async run(values, [url, asked, selectors], context: Results & Clock & StoreContext) {
    const { datasetBase } = await import('../kit/dataset-target.js');
    const { checkTag } = await import('../../core/dataset/records/tag-key.js');
    const { findDataset } = await import('../../core/dataset/records/find-dataset.js');
    const { parseVersionSelector, resolveVersion } = await import('../../core/dataset/records/version-selector.js');
    const { addTag, removeTag } = await import('../../core/dataset/set-tag.js');
    const baseUrl = datasetBase(url, values.writerId);
    const tag = checkTag(asked);
    const wanted = selectors.map((text) => parseVersionSelector(text));
    const { remove } = values;
    const { now, signal } = context;
    return await withStore({ baseUrl, values, context }, async ({ store, requests }) => {
      const { datasetId } = await findDataset(store, values.datasetId, { warn: context.warn, signal });
      // A version that was pruned can still lose its tag.
      const ordinalOf = async (selector: (typeof wanted)[number]): Promise<number> =>
        remove && selector.kind === 'ordinal'
          ? selector.version
          : (await resolveVersion(store, datasetId, selector, { warn: context.warn, signal })).version;
      const versions: number[] = [];
      for (const selector of wanted) versions.push(await ordinalOf(selector));
      const done: { readonly version: number; readonly changed: boolean }[] = [];
      for (const version of new Set(versions)) {
        const its = { datasetId, version, tag };
        const changed = remove ? await removeTag(store, its, signal) : await addTag(store, its, { now: now(), signal });
        done.push({ version, changed });
      }
      context.result({ datasetId, location: baseUrl, tag, isRemoved: remove, versions: done, requests }, () =>
        textOf(done.map((each) => lineOf({ datasetId, tag, remove, ...each }))),
      );
      return 0;
    });
  },
});

interface Done {
  readonly datasetId: string;
  readonly version: number;
  readonly tag: string;
  readonly remove: boolean;
  readonly changed: boolean;
}

function lineOf({ datasetId, version, tag, remove, changed }: Done): string {
  const name = `v${version} of dataset ${printable(datasetId)}`;
  if (remove) return changed ? `${name} is no longer tagged ${tag}` : `${name} has no tag ${tag}`;
  return changed ? `${name} is tagged ${tag}` : `${name} was tagged ${tag} before`;
}
