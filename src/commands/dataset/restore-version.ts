import { defineCommand } from '../../cli/command.js';
import type { Clock, Results } from '../../cli/context.js';
import { flag } from '../../cli/flag.js';
import { MIN_GRACE_MS } from '../../core/dataset/prune/keep-rules.js';
import { usageError } from '../../core/platform/failures/errors.js';
import { exclusiveFlag } from '../kit/guard-flags.js';
import { datasetFlag, placeArg, storeFlags, storeModeFlag, writerFlag } from '../kit/flags.js';
import { textOf } from '../kit/lines.js';
import { type StoreContext, withStore } from '../kit/store.js';
import { type ReadingContext, whileReading } from '../kit/while-reading.js';

const SHA256 = /^[0-9a-f]{64}$/;

export const command = defineCommand({
  path: 'dataset restore-version',
  summary: 'bring back a version that a prune has retired, while all of it is there',
  description:
    'A prune retires versions, marks what no other version needs, and deletes it with a later prune, --grace after. Until an hour before that a ' +
    'retired version comes back under its own number: every manifest that it builds on and every object that they name is looked for, ' +
    'its record is made again from its manifest, which the digest in its tombstone proves, and everything is looked at once more. Where ' +
    'something is gone, or a prune may be deleting it, nothing is changed. Nothing is fetched but manifests, so that cold objects stay as they are.\n' +
    'The next prune retires it again unless a --keep flag, or a tag (`dataset tag`), keeps it. What was marked of it stays marked: later uploads ' +
    'send such content again. Checks of it that a prune has removed do not come back. On a store that creates no key only once it needs --exclusive.',
  args: [placeArg],
  flags: {
    ...datasetFlag,
    version: flag.text({
      required: true,
      names: 'version',
      placeholder: 'N',
      describe: 'the number of the version, such as 12, v12, or 12.b for one of several with that number',
    }),
    grace: flag.duration({
      default: '24h',
      describe: 'the shortest --grace of the prunes of this place; at least 2h',
    }),
    manifestSha256: flag.text({
      placeholder: 'HEX',
      describe: 'take the manifest with this SHA-256, where the tombstone does not say which the version had',
    }),
    dryRun: flag.on({ describe: 'look whether it can come back; change nothing' }),
    ...exclusiveFlag,
    ...writerFlag,
    ...storeModeFlag,
    ...storeFlags('us-west-2'),
  },
  rules: [
    { kind: 'check', text: '--grace is at least 2h, as that of a prune', ok: ({ grace }) => grace >= MIN_GRACE_MS },
    {
      kind: 'check',
      text: '--manifest-sha256 has 64 of 0-9 a-f',
      ok: ({ manifestSha256 }) => manifestSha256 === undefined || SHA256.test(manifestSha256),
    },
  ],
  examples: [
    'archiver dataset restore-version s3://acme-archive/lab --dataset results --version 12',
    'archiver dataset restore-version file:///mnt/backup --dataset-id results-1a2b3c4d --version 12 --dry-run',
  ],
  exits: {
    0: 'brought back, or not retired',
    1: 'not brought back: there is no such version, something of it is gone or may be, another process was faster, or the store failed',
    4: 'not done: the store creates no key only once, and --exclusive was not given',
  },
  async run(values, [url], context: Results<'dataset restore-version'> & Clock & StoreContext & ReadingContext) {
    const { datasetBase } = await import('../kit/dataset-target.js');
    const { writableStore } = await import('../../core/store/create-once/create-once.js');
    const { findDataset } = await import('../../core/dataset/records/find-dataset.js');
    const { parseVersionSelector } = await import('../../core/dataset/records/version-selector.js');
    const { undelete } = await import('../../core/mend/undelete/undelete.js');
    const { undeletedDocument, undeletedLines } = await import('./restored-version.js');
    const baseUrl = datasetBase(url, values.writerId);
    const version = parseVersionSelector(values.version);
    if (version.kind !== 'ordinal')
      throw usageError(`--version ${values.version} is no number of a version`, 'a retired version has nothing else');
    const { grace: graceMs, manifestSha256, dryRun, exclusive: isExclusive } = values;
    const { signal } = context;
    const { requests, ...done } = await whileReading(context, baseUrl, (emit) =>
      withStore({ baseUrl, values, context, onEvent: emit }, async (opened) => {
        const { store, requests } = await writableStore(opened, context, { isExclusive, dryRun });
        const options = { warn: context.warn, signal };
        const { datasetId } = await findDataset(store, values.datasetId, options);
        const request = { datasetId, version, graceMs, manifestSha256, dryRun, signal };
        return { ...(await undelete(store, request)), requests };
      }),
    );
    context.result({ ...undeletedDocument(done), location: baseUrl, dryRun, requests }, () =>
      textOf(undeletedLines(done, { baseUrl, dryRun })),
    );
    return 0;
  },
});
