import { defineCommand } from '../cli/command.js';
import type { Messages, StreamedResults, Verbosity } from '../cli/context.js';
import { flag } from '../cli/flag.js';
import type { ReadView } from '../core/dataset/chain/read-view.js';
import type { EventSink } from '../core/events.js';
import { chunksOf, listedFile } from '../core/manifest/listed-file.js';
import type { ChunkRecord, Entry, UploadId } from '../core/manifest/manifest-types.js';
import type { ObjectReader } from '../core/object-store/object-store.js';
import { displayPath, printable } from '../core/paths/raw-path.js';
import { formatBytes } from '../ui/format.js';
import { formatTimestamp } from '../ui/format-time.js';
import { uploadArg, uploadTargetFlags } from './kit/flags.js';
import { documentParts } from './kit/pieces.js';
import { type StoreContext, withStore } from './kit/store.js';
import { TextChannel } from './kit/text-channel.js';
import { uploadTarget, uploadUrl } from './kit/upload-target.js';
import { type ReadingContext, whileReading } from './kit/while-reading.js';

const flags = {
  ...uploadTargetFlags('us-west-2'),
  pattern: flag.text({
    placeholder: 'GLOB',
    describe: 'only paths that match, such as "**/*.csv"; names that begin with a dot count',
  }),
};

export const command = defineCommand({
  path: 'list',
  summary: 'list the files of an upload',
  description:
    'Reads manifests alone: that of the upload, and where it is a delta those it builds on. Shows size, time and path of everything but folders, in the order of the paths; with ' +
    '--verbose also the MD5, git commit, shard, chunk and DVC stage of each file. Rows appear while the manifest is read, however long it is.',
  args: [uploadArg],
  flags,
  examples: [
    'archiver list --bucket acme-archive --prefix lab --upload-id 20251114-093012-1a2b3c4d',
    'archiver list s3://acme-archive/lab/uploads/20251114-093012-1a2b3c4d --pattern "**/*.csv" --verbose',
    'archiver list file:///mnt/backup/uploads/20251114-093012-1a2b3c4d --json',
  ],
  exits: { 0: 'listed', 1: 'the manifest is missing, damaged or cannot be read' },
  async run(values, [url], context: StreamedResults & Messages & Verbosity & StoreContext & ReadingContext) {
    const target = uploadTarget(url, values);
    const location = uploadUrl(target);
    const warn = (text: string): void => context.warn(text);
    const wanted = { uploadId: target.uploadId, pattern: values.pattern, warn, signal: context.signal };
    const list: WriteEntries = (written) =>
      whileReading(context, location, (emit, aside) =>
        withStore({ baseUrl: target.baseUrl, values, context, onEvent: emit }, async ({ store, requests }) => {
          const put = (text: string): Promise<void> => aside(() => written.put(text));
          return { ...(await eachEntry({ ...wanted, reader: store, emit }, { ...written, put })), requests };
        }),
      );
    if (context.json) await asDocument(list, { uploadId: target.uploadId, location }, context);
    else await asRows(list, context);
  },
});

interface Wanted {
  readonly reader: ObjectReader;
  readonly uploadId: UploadId;
  readonly pattern: string | undefined;
  readonly warn: (text: string) => void;
  readonly emit: EventSink;
  readonly signal: AbortSignal;
}

interface Written {
  readonly textOf: (entry: Entry, chunks: readonly ChunkRecord[]) => string;
  readonly separator: string;
  readonly put: (text: string) => Promise<void>;
}

interface Listed {
  readonly view: ReadView;
  readonly files: number;
  readonly bytes: number;
}

/** Reads the manifest and writes its entries. */
type WriteEntries = (written: Written) => Promise<Listed & { readonly requests: unknown }>;

/** Hands on the entries as text while the manifest streams in, so that memory stays flat. */
async function eachEntry(
  { reader, uploadId, pattern, warn, emit, signal }: Wanted,
  { textOf, separator, put }: Written,
): Promise<Listed> {
  const { readView } = await import('../core/dataset/chain/read-view.js');
  const { createSelection } = await import('../core/manifest/selection.js');
  const selection = createSelection(pattern === undefined ? { all: true } : { pattern });
  let chunks: readonly ChunkRecord[] = [];
  let texts: string[] = [];
  let files = 0;
  let bytes = 0;
  const flush = async (): Promise<void> => {
    const text = texts.join(separator);
    texts = [];
    if (text !== '') await put(text);
  };
  const view = await readView(reader, {
    uploadId,
    emit,
    signal,
    onHead: ({ head }) => (chunks = head.chunks),
    onEntry: (entry) => {
      if (entry.type === 'directory' || !selection.matches(entry, undefined)) return;
      files++;
      bytes += entry.size;
      texts.push(textOf(entry, chunks));
    },
    onForeign: ({ path, foreignType }) => {
      if (selection.matches({ path, type: 'file' }, undefined))
        warn(
          `${displayPath(path)} is not listed: entries of type '${displayPath(foreignType)}' are not known; update archiver`,
        );
    },
    onPiece: flush,
  });
  await flush();
  return { view, files, bytes };
}

async function asRows(list: WriteEntries, context: StreamedResults & Verbosity): Promise<void> {
  let isFirst = true;
  await list({
    textOf: (entry, chunks) => listRow(entry, chunks, context.verbose),
    separator: '',
    put: async (text) => {
      await context.print(isFirst ? listHeader(context.verbose) + text : text);
      isFirst = false;
    },
  });
  context.result(undefined, () => (isFirst ? 'no file matches\n' : ''));
}

async function asDocument(list: WriteEntries, head: object, context: StreamedResults): Promise<void> {
  const channel = new TextChannel();
  const listed = list({
    textOf: (entry, chunks) => JSON.stringify(listedFile(entry, chunks)),
    separator: ',',
    put: (text) => channel.put(text),
  });
  const done = listed.then(
    () => channel.close(),
    (error: unknown) => channel.close({ error }),
  );
  const pieces = channel.read();
  // The first piece comes when the head was read: what is wrong with the whole is known before anything is written.
  const first = await pieces.next();
  async function* contents(): AsyncGenerator<string> {
    if (first.done !== true) yield first.value;
    yield* pieces;
  }
  const tail = async (): Promise<object> => {
    const { view, files, bytes, requests } = await listed;
    return { files, bytes, listing: view.head.listing, totals: view.head.totals, requests };
  };
  await context.streamDocument(documentParts(head, { contents }, tail));
  await done;
}

const SIZE_WIDTH = 10;
const MD5_WIDTH = 32;
const COMMIT_DIGITS = 10;
const TIME_LENGTH = 'YYYY-MM-DD HH:MM:SS+HH:MM'.length;

/** The line above the rows. */
function listHeader(isVerbose: boolean): string {
  const more = isVerbose ? `${'MD5'.padEnd(MD5_WIDTH)}  ${'COMMIT'.padEnd(COMMIT_DIGITS)}  SHARD  CHUNK  STAGE  ` : '';
  return `${'SIZE'.padStart(SIZE_WIDTH)}  ${'MODIFIED'.padEnd(TIME_LENGTH)}  ${more}PATH\n`;
}

/** An entry as a row. The path comes last, so that it may be of any length. */
function listRow(entry: Entry, chunks: readonly ChunkRecord[], isVerbose: boolean): string {
  const size = formatBytes(entry.size).padStart(SIZE_WIDTH);
  const time = formatTimestamp(new Date(entry.mtime.seconds * 1000)).padEnd(TIME_LENGTH);
  const link = entry.target === undefined ? '' : ` -> ${displayPath(entry.target)}`;
  const more = isVerbose ? verboseCells(entry, chunksOf(entry, chunks)) : '';
  return `${size}  ${time}  ${more}${displayPath(entry.path)}${link}\n`;
}

function verboseCells(entry: Entry, held: readonly ChunkRecord[]): string {
  const shard = String(held.at(-1)?.shard ?? '-').padStart('SHARD'.length);
  const key = printable(held[0]?.key ?? '-');
  const keys = held.length > 1 ? `${key}..${held.length}` : key;
  const commit = (entry.commit?.slice(0, COMMIT_DIGITS) ?? '-').padEnd(COMMIT_DIGITS);
  const stage = entry.stage === undefined ? '-' : printable(entry.stage);
  return `${(entry.md5 ?? '-').padEnd(MD5_WIDTH)}  ${commit}  ${shard}  ${keys}  ${stage}  `;
}
