import { defineCommand } from '../cli/command.js';
import type { Messages, StreamedResults, Verbosity, Terminal } from '../cli/context.js';
import type { VersionWithPaths } from '../core/dataset/history/versions-with-paths.js';
import { ArchiverError } from '../core/platform/failures/errors.js';
import type { Failure } from '../core/platform/failures/failure-list.js';
import type { ListedEntries, ListEntriesOptions } from '../core/restore/listing/list-entries.js';
import { chunksOf, type ListedFile, listedFile } from '../core/format/manifest/listed-file.js';
import type { ChunkRecord, Entry } from '../core/format/manifest/manifest-types.js';
import { NothingSelected } from '../core/format/manifest/nothing-selected.js';
import type { ObjectReader, RequestCounts } from '../core/store/object-store.js';
import type { UploadLocation } from '../core/store/store-url.js';
import { type Json, jsonOf } from '../core/platform/json/document.js';
import { displayPath, printable } from '../core/platform/paths/raw-path.js';
import { totalsDocument } from './kit/totals-document.js';
import { otherVersionsClause, otherVersionsText, findInOtherVersions } from './kit/other-versions.js';
import { sizeAndTime, SIZE_AND_TIME } from './kit/entry-cells.js';
import { listRule, uploadArg, uploadTargetFlags, uploadTargetRules } from './kit/flags.js';
import { documentParts } from './kit/pieces.js';
import { restoreCommand } from './kit/restore-command.js';
import { type StoreContext, withStore } from './kit/store.js';
import { hashRule, isSelecting, NARROWING, selectorFlags, selectorsOf } from './kit/selectors.js';
import { findUpload, targetOf, uploadUrl } from './kit/upload-target.js';
import { type ReadingContext, whileReading } from './kit/while-reading.js';

const flags = {
  ...uploadTargetFlags('us-west-2'),
  ...selectorFlags,
};

export const command = defineCommand({
  path: 'list',
  summary: 'list the files of an upload, or the datasets and uploads of a store',
  description:
    'Of a store: its datasets with their newest versions, the ids of its uploads (the newest first; without a manifest they are ' +
    'the rest of one that was pruned, an attempt at a part of a plan, or not finished), and the places below it, such as those of writers, that have uploads of their own. Of an upload, or with --dataset, --version, --as-of or --pattern: its files.\n' +
    'Reads manifests alone: that of the upload, and where it is a delta those it builds on. Shows size, time and path of everything but folders, in the order of the paths; with ' +
    '--verbose also the MD5, git commit, shard, chunk and DVC stage of each file. Rows appear while the manifest is read, however long it is.\n' +
    NARROWING,
  args: [uploadArg],
  flags,
  rules: [...uploadTargetRules, hashRule, listRule],
  examples: [
    'archiver list s3://acme-archive/lab',
    'archiver list /mnt/backup --dataset photos',
    'archiver list --bucket acme-archive --prefix lab --upload-id 20251114-093012-1a2b3c4d',
    'archiver list s3://acme-archive/lab/uploads/20251114-093012-1a2b3c4d --pattern "**/*.csv" --verbose',
    'archiver list file:///mnt/backup/uploads/20251114-093012-1a2b3c4d --json',
  ],
  exits: {
    0: 'listed, or nothing matches a pattern',
    1: 'what was asked for is not there, or the manifest is missing, damaged or cannot be read',
    3: 'listed, but some of what was asked for is not there, or the newest version of a dataset is unreadable',
  },
  async run(
    values,
    [url],
    context: StreamedResults<'list'> & Messages & Verbosity & StoreContext & ReadingContext & Pick<Terminal, 'stdin'>,
  ) {
    const isOfFiles = isSelecting(values) || (values.datasetId ?? values.version ?? values.asOf) !== undefined;
    const named = isOfFiles ? undefined : await targetOf(url, values, context);
    if (named !== undefined && named.uploadId === undefined) {
      const { showStore } = await import('./list/show-store.js');
      return await showStore(named.baseUrl, values, context);
    }
    const target = await findUpload(url, values, context);
    const location = uploadUrl(target);
    const warn = (text: string): void => context.warn(text);
    const { baseUrl, uploadId, manifestSha256: sha256, session } = target;
    const { json, signal } = context;
    const wanted = {
      uploadId,
      sha256,
      selectors: await selectorsOf(values, context),
      withoutNames: !json,
      warn,
      signal,
    };
    const list: WriteEntries = (written) =>
      whileReading(context, location, (emit, aside) =>
        withStore({ baseUrl, values, context, session, onEvent: emit }, async ({ store, requests }) => {
          const put = (text: string): Promise<void> => aside(() => written.put(text));
          const look = (missing: readonly Failure[]) => findInOtherVersions(store, wanted, missing, context);
          try {
            const listed = await writeEntries(store, { ...wanted, emit }, { ...written, put });
            return { ...listed, elsewhere: await look(listed.unmatched), requests };
          } catch (error) {
            throw error instanceof NothingSelected ? withElsewhere(error, await look(error.unmatched), target) : error;
          }
        }),
      );
    const head = { uploadId: target.uploadId, location };
    const { unmatched, elsewhere } = await (json ? asDocument(list, head, context) : asRows(list, context));
    for (const { path, reason } of unmatched)
      context.warn(`${printable(path)}: ${reason}${otherVersionsClause(elsewhere, path)}`);
    return unmatched.length > 0 ? 3 : 0;
  },
});

interface Written {
  readonly textOf: (entry: Entry, chunks: readonly ChunkRecord[]) => string;
  readonly separator: string;
  readonly put: (text: string) => Promise<void>;
}

interface Head {
  readonly uploadId: string;
  readonly location: string;
}

interface Done extends ListedEntries {
  readonly elsewhere: readonly VersionWithPaths[];
  readonly requests: RequestCounts;
}

/** Reads the manifest and writes its entries. */
type WriteEntries = (written: Written) => Promise<Done>;

/** Returns the error with a note where else the paths are, and the command that restores them. */
function withElsewhere(
  error: NothingSelected,
  found: readonly VersionWithPaths[],
  { baseUrl }: UploadLocation,
): ArchiverError {
  const [newest] = found;
  if (newest === undefined) return error;
  const files = newest.paths;
  const hint = restoreCommand({ location: baseUrl, outputDir: './out', files, version: newest });
  return new ArchiverError('not-found', `${error.message}${otherVersionsText(found)}`, { cause: error, hint });
}

type Wanted = Omit<ListEntriesOptions, 'onEntry' | 'onPiece'>;

/** Writes the entries as text. */
async function writeEntries(
  reader: ObjectReader,
  wanted: Wanted,
  { textOf, separator, put }: Written,
): Promise<ListedEntries> {
  const { listEntries } = await import('../core/restore/listing/list-entries.js');
  let texts: string[] = [];
  return await listEntries(reader, {
    ...wanted,
    onEntry: (entry, chunks) => texts.push(textOf(entry, chunks)),
    onPiece: async () => {
      const text = texts.join(separator);
      texts = [];
      if (text !== '') await put(text);
    },
  });
}

async function asRows(list: WriteEntries, context: StreamedResults<'list'> & Verbosity): Promise<Done> {
  let isFirst = true;
  const listed = await list({
    textOf: (entry, chunks) => listRow(entry, chunks, context.verbose),
    separator: '',
    put: async (text) => {
      await context.print(isFirst ? listHeader(context.verbose) + text : text);
      isFirst = false;
    },
  });
  context.result(undefined, () => (isFirst ? 'no file matches\n' : ''));
  return listed;
}

type ListedJson = Json<ListedFile>;

async function asDocument(list: WriteEntries, head: Head, context: StreamedResults<'list'>): Promise<Done> {
  const { Channel } = await import('../core/restore/listing/channel.js');
  const channel = new Channel<ListedJson>();
  const listed = list({
    textOf: (entry, chunks) => jsonOf(listedFile(entry, chunks)),
    separator: ',',
    put: (text) => channel.put(text as ListedJson),
  });
  const done = listed.then(
    () => channel.close(),
    (error: unknown) => channel.close({ error }),
  );
  const pieces = channel.read();
  // The first piece comes after the head was read, so errors about the whole are thrown before anything is written.
  const first = await pieces.next();
  async function* contents(): AsyncGenerator<ListedJson> {
    if (first.done !== true) yield first.value;
    yield* pieces;
  }
  const tail = async () => {
    const { view, files, bytes, requests } = await listed;
    return { files, bytes, listing: view.head.listing, totals: totalsDocument(view.head.totals), requests };
  };
  await context.streamDocument(documentParts(head, { contents }, tail));
  await done;
  return await listed;
}

const MD5_WIDTH = 32;
const COMMIT_DIGITS = 10;

/** The heading above the rows. */
function listHeader(isVerbose: boolean): string {
  const more = isVerbose ? `${'MD5'.padEnd(MD5_WIDTH)}  ${'COMMIT'.padEnd(COMMIT_DIGITS)}  SHARD  CHUNK  STAGE  ` : '';
  return `${SIZE_AND_TIME}  ${more}PATH\n`;
}

/** Formats an entry as a row. The path comes last, so that it may be of any length. */
function listRow(entry: Entry, chunks: readonly ChunkRecord[], isVerbose: boolean): string {
  const link = entry.target === undefined ? '' : ` -> ${displayPath(entry.target)}`;
  const more = isVerbose ? verboseCells(entry, chunksOf(entry, chunks)) : '';
  return `${sizeAndTime(entry)}  ${more}${displayPath(entry.path)}${link}\n`;
}

function verboseCells(entry: Entry, held: readonly ChunkRecord[]): string {
  const shard = String(held.at(-1)?.shard ?? '-').padStart('SHARD'.length);
  const key = printable(held[0]?.key ?? '-');
  const keys = held.length > 1 ? `${key}..${held.length}` : key;
  const commit = (entry.commit?.slice(0, COMMIT_DIGITS) ?? '-').padEnd(COMMIT_DIGITS);
  const stage = entry.stage === undefined ? '-' : printable(entry.stage);
  return `${(entry.md5 ?? '-').padEnd(MD5_WIDTH)}  ${commit}  ${shard}  ${keys}  ${stage}  `;
}
