import { arg } from '../../cli/arg.js';
import { defineCommand } from '../../cli/command.js';
import type { Context } from '../../cli/context.js';
import { flag, type Values } from '../../cli/flag.js';
import { refuseS3Flags } from '../../cli/idle-flags.js';
import { conflicts, dashed, idle, requires } from '../../cli/rule.js';
import { PROVIDERS } from '../../core/store/providers/provider.js';
import { isPathWord } from '../../core/store/store-url.js';
import type { EventSink } from '../../core/events/events.js';
import { folderFlags, refuseTyped } from './analyze/folder-flags.js';
import { detectedStoreFlags, DEFAULT_REGION } from '../kit/flags.js';
import { fact } from '../kit/lines.js';
import { stopwatch, withResult } from '../kit/run.js';
import type { AnalyzedStore, TextLine } from './store-analysis.js';
import { fitLines, tableText } from '../kit/table.js';

const flags = {
  provider: flag.choice(PROVIDERS, {
    describe:
      'whose prices; when not given, what the address of the server tells, and for a folder aws. aws, b2 and wasabi have lists, the others cost what costControl.ownPrices says',
  }),
  ...detectedStoreFlags,
  region: flag.text({
    placeholder: 'NAME',
    describe: `region of the bucket; detected when not given. Of a folder: whose prices hold, ${DEFAULT_REGION} when not given`,
  }),
  format: flag.choice(['table', 'json'], { short: 'f', default: 'table', describe: 'json is the same as --json' }),
  inventory: flag.text({
    placeholder: 'URL',
    sample: 's3://acme-logs/acme-archive/daily/2026-05-31T01-00Z/manifest.json',
    describe: 'manifest.json of an S3 Inventory (CSV or Parquet) to read instead of listing; s3:// or file://',
  }),
  engine: flag.choice(['local', 'athena'], {
    default: 'local',
    describe: 'who adds up the inventory: this computer, or Amazon Athena from its table, in one query',
  }),
  athenaDatabase: flag.text({ placeholder: 'NAME', default: 'default', describe: 'database of the table' }),
  athenaTable: flag.text({
    placeholder: 'NAME',
    describe: "table over the inventory, as S3's user guide makes it, with partitions dt",
  }),
  athenaWorkgroup: flag.text({ placeholder: 'NAME', default: 'primary', describe: 'workgroup of the query' }),
  athenaOutputLocation: flag.text({
    placeholder: 'URL',
    sample: 's3://acme-athena/results/',
    describe: 'where Athena writes the result; not needed where the workgroup says it',
  }),
  athenaMaxScan: flag.bytes(1, {
    describe: 'bytes that Athena may read: more is refused before, and stopped while it runs',
  }),
  progress: flag.on({
    default: true,
    describe: 'show how much is listed, on stderr',
    off: 'show nothing until everything is listed',
  }),
  sampling: flag.on({
    describe: 'list only some ranges of keys, drawn by chance, and estimate the totals with their error',
  }),
  sampleSize: flag.int([1, 1_000_000_000], {
    default: 10_000,
    describe: 'objects that --sampling looks at, at least; it lists 30 ranges or more',
  }),
  showSavings: flag.on({
    default: true,
    describe: 'what moving objects to other classes saves',
    off: 'leave out what moving objects to other classes saves',
  }),
  ...folderFlags,
};

const ATHENA_FLAGS = [
  'athenaDatabase',
  'athenaTable',
  'athenaWorkgroup',
  'athenaOutputLocation',
  'athenaMaxScan',
] as const;

export const command = defineCommand({
  path: 'analyze',
  summary: 'show what a bucket costs, or what is old and big in a folder',
  description:
    'Lists a bucket or a prefix, whoever wrote it, and adds up its objects by storage class, size and age. Older versions and ' +
    'unfinished multipart uploads are billed too and are in the cost, where they may be listed. What a class saves counts the ' +
    'overhead and smallest size of each object, the transition of each, and the minimum time of the class it leaves; only objects ' +
    'of the size from which on that pays are moved.\n' +
    'Nothing is changed. A listing of 1000 objects is one request. --sampling draws ranges of keys between folders: a store ' +
    'without folders is listed in full, and a sample may miss a folder that is much larger than the others.\n' +
    '--inventory reads what S3 has listed, so that nothing is listed but the unfinished uploads of URL; without URL nothing but the ' +
    'inventory is read. It is of its date, and without what its configuration leaves out. --engine athena has Athena read it, for ' +
    'buckets of billions of objects; what that costs at most is said before.\n' +
    'A path (/data, data) is a folder of this computer that is looked at as an upload would, with its rules and filters, and without ' +
    'reading content: age by size, owners, the folders where most is old, what each storage class would cost, and the `archiver upload` ' +
    'line for them. On a terminal that is a screen with the folders by size or age, where marked ones give the line; --once prints. A ' +
    'store in a folder is named by its URL, file:///folder.',
  args: [
    arg.url('URL', {
      describe:
        'the bucket: s3://bucket[/prefix], or file:///folder; or the path of a folder; not needed with --inventory',
      orFlag: 'inventory',
      takesFolders: true,
    }),
  ],
  flags,
  rules: [
    requires('sampleSize', 'sampling'),
    conflicts('inventory', ['sampling', 'sampleSize']),
    {
      kind: 'check',
      text: '--engine athena needs --inventory and --athena-table',
      ok: ({ engine, inventory, athenaTable }) =>
        engine === 'local' || (inventory !== undefined && athenaTable !== undefined),
    },
    ...ATHENA_FLAGS.map((key) =>
      idle(key, ['engine'], `${dashed(key)} needs --engine athena`, ({ engine }) => engine !== 'athena'),
    ),
  ],
  examples: [
    'archiver analyze s3://acme-archive',
    'archiver analyze s3://acme-archive/lab --sampling --sample-size 50000',
    'archiver analyze results --older-than 2y --upload-to s3://acme-archive/lab',
    'archiver analyze --inventory s3://acme-logs/acme-archive/daily/2026-05-31T01-00Z/manifest.json',
    'archiver analyze s3://backups --endpoint-url https://s3.wasabisys.com --provider wasabi --json',
  ],
  exits: {
    0: 'analyzed, also where a price is not known',
    1: 'the place is not there or cannot be listed',
    3: 'analyzed, but something in the folder could not be looked at',
  },
  hasScreen: true,
  async run(values, [url], context: Context<'analyze'>) {
    const [[typed = ''] = []] = context.typed;
    if (typed !== '' && isPathWord(typed)) {
      const { analyzeFolder } = await import('./analyze/local-folder.js');
      return await analyzeFolder(typed, values, context);
    }
    refuseForStore(url, values, context);
    const elapsed = stopwatch(context);
    await withResult(context, values.progress ? {} : { progressFormat: 'none' }, {
      work: async (emit) => await shown(await analyzed(url, { values, context, emit, elapsed }), values, context),
      show: ({ document, text }) => ({ document, text: () => text, isResult: true }),
    });
    return 0;
  },
});

/** Refuses flags of a folder for a store, and where it is a folder those of S3, too. @throws usage */
function refuseForStore(url: string | undefined, values: Values<typeof flags>, context: Context<'analyze'>): void {
  const keys = Object.keys(folderFlags);
  refuseTyped(keys, context, 'a store', 'they are for the path of a folder, such as /data or data');
  if (url?.startsWith('file:') !== true) return;
  const asS3 = { provider: { ...flags.provider, only: 's3' }, region: { ...flags.region, only: 's3' } } as const;
  refuseS3Flags(asS3, { origins: context.origins, values }, url);
}

interface Call {
  readonly values: Values<typeof flags>;
  readonly context: Context<'analyze'>;
  readonly emit: EventSink;
  readonly elapsed: () => number;
}

async function analyzed(url: string | undefined, { values, context, emit, elapsed }: Call): Promise<AnalyzedStore> {
  const { refuseIdleProvider, storePrices } = await import('./analyze/store-prices.js');
  await refuseIdleProvider(values, context);
  const call = { values: { ...values, region: values.region ?? DEFAULT_REGION }, context, emit };
  const { inventory } = values;
  const { analysis, ...found } =
    inventory === undefined
      ? await (await import('./analyze/from-listing.js')).listedStore(url ?? '', call)
      : await (await import('./analyze/from-inventory.js')).inventoriedStore(url, inventory, call);
  return { ...analysis, ...found, prices: storePrices(found, context), durationMs: elapsed() };
}

async function shown(store: AnalyzedStore, { format, showSavings }: Values<typeof flags>, context: Context<'analyze'>) {
  const kit = await import('./store-analysis.js');
  const { analysisDocument } = await import('./analysis-document.js');
  const { documentLine } = await import('../../core/platform/json/document.js');
  const figures = kit.figuresOf(store);
  const document = analysisDocument(store, figures, showSavings);
  if (format === 'json') return { document, text: documentLine(document) };
  const hasMoves = showSavings && figures.moves.length > 0;
  const tables = [
    await tableText(figures.classes, kit.CLASS_COLUMNS, context),
    await tableText(figures.sizes, kit.SIZE_COLUMNS, context),
    ...(figures.ages === null ? [] : [await tableText(figures.ages, kit.AGE_COLUMNS, context)]),
    ...(hasMoves ? [await tableText(figures.moves, kit.MOVE_COLUMNS, context)] : []),
  ];
  const lines = (facts: readonly TextLine[]): readonly string[] => facts.map(({ label, value }) => fact(label, value));
  const head = [kit.titleLine(store, figures), ...lines(kit.headFacts(store, figures))];
  const ends = [...lines(hasMoves ? kit.adviceFacts(figures) : []), fact('prices', kit.pricesText(store))];
  const [above, below] = await Promise.all([head, ends].map((own) => fitLines(own, context)));
  return { document, text: `${above}\n${tables.join('\n')}\n${below}` };
}
