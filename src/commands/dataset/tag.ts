import { defineCommand } from '../../cli/command.js';
import { arg } from '../../cli/arg.js';
import type { Clock, Results } from '../../cli/context.js';
import { flag } from '../../cli/flag.js';
import type { RecordPlace } from '../../core/dataset/records/version-record.js';
import { printable } from '../../core/platform/paths/raw-path.js';
import { datasetFlag, placeArg, storeFlags, storeModeFlag, writerFlag } from '../kit/flags.js';
import { textOf } from '../kit/lines.js';
import { type StoreContext, withStore } from '../kit/store.js';
import { type VersionName, versionName } from '../../core/dataset/records/version-name.js';
import { defined } from '../../core/platform/defined.js';
import { createOnceFlag } from '../kit/guard-flags.js';

export const command = defineCommand({
  path: 'dataset tag',
  summary: 'tag versions of a dataset, so that no prune deletes them',
  description:
    'A tagged version is kept by every prune, whatever its --keep flags say, until the tag is removed. A version may have ' +
    'several tags, and several versions the same one. `dataset versions` shows them, and --version TAG means one elsewhere. A word that means a version, such as v3, latest or a day, is no tag. Tags are not encrypted, in an ' +
    'encrypted dataset neither.',
  args: [
    placeArg,
    arg.text('TAG', { describe: 'up to 64 of A-Z a-z 0-9 . _ -, such as release-2026', names: 'tag' }),
    arg.text('VERSION', {
      describe: 'latest, 12, v12, another tag of it, or a day: the newest made by its end',
      names: 'version',
      many: true,
    }),
  ],
  flags: {
    ...datasetFlag,
    remove: flag.on({ describe: 'take the tag away instead' }),
    ...createOnceFlag,
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
  async run(values, [url, asked, selectors], context: Results<'dataset tag'> & Clock & StoreContext) {
    const { writableStore } = await import('../../core/store/create-once/create-once.js');
    const { datasetBase } = await import('../kit/dataset-target.js');
    const { checkTag } = await import('../../core/dataset/records/tag-key.js');
    const { findDataset } = await import('../../core/dataset/records/find-dataset.js');
    const { checkNewTag, oneOf, parseVersionSelector, resolveListed } =
      await import('../../core/dataset/records/version-selector.js');
    const { listDatasets } = await import('../../core/dataset/records/versions.js');
    const { recordKey } = await import('../../core/dataset/records/version-record.js');
    const { addTag, removeTag } = await import('../../core/dataset/set-tag.js');
    const baseUrl = datasetBase(url, values.writerId);
    const tag = values.remove ? checkTag(asked) : checkNewTag(asked);
    const wanted = selectors.map((text) => parseVersionSelector(text));
    const { remove } = values;
    const { now, signal } = context;
    return await withStore({ baseUrl, values, context }, async (opened) => {
      const { store, deleter, requests } = remove ? opened : await writableStore(opened, context);
      const options = { warn: context.warn, signal };
      const { datasetId } = await findDataset(store, values.datasetId, options);
      // A version that was pruned can still lose its tag.
      const all = remove ? ((await listDatasets(store, signal)).ordinals.get(datasetId) ?? []) : [];
      const placeOf = async (selector: (typeof wanted)[number]): Promise<RecordPlace & VersionName> => {
        const retired = selector.kind === 'ordinal' ? oneOf({ datasetId, versions: all }, selector) : undefined;
        return retired ?? (await resolveListed(store, datasetId, selector, options)).listed;
      };
      const places = new Map<string, RecordPlace & VersionName>();
      for (const selector of wanted) {
        const place = await placeOf(selector);
        places.set(recordKey(place), place);
      }
      const done: (VersionName & { readonly changed: boolean })[] = [];
      for (const { version, fork, uploadId } of places.values()) {
        const its = { datasetId, version, uploadId, tag };
        const setting = { now: now(), deleter, signal };
        const changed = await (remove ? removeTag(store, its, setting) : addTag(store, its, setting));
        done.push({ version, ...defined({ fork }), changed });
      }
      context.result({ datasetId, location: baseUrl, tag, isRemoved: remove, versions: done, requests }, () =>
        textOf(done.map((each) => lineOf({ datasetId, tag, remove, ...each }))),
      );
      return 0;
    });
  },
});

interface Done extends VersionName {
  readonly datasetId: string;
  readonly tag: string;
  readonly remove: boolean;
  readonly changed: boolean;
}

function lineOf({ datasetId, tag, remove, changed, ...version }: Done): string {
  const name = `${versionName(version)} of dataset ${printable(datasetId)}`;
  if (remove) return changed ? `${name} is no longer tagged ${tag}` : `${name} has no tag ${tag}`;
  return changed ? `${name} is tagged ${tag}` : `${name} was tagged ${tag} before`;
}
