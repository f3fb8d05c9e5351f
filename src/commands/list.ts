import { defineCommand } from '../cli/command.js';
import type { StreamedResults, Verbosity } from '../cli/context.js';
import { flag } from '../cli/flag.js';
import type { ReadView } from '../core/dataset/chain/read-view.js';
import { chunksOf, listedFile } from '../core/manifest/listed-file.js';
import type { ChunkRecord, Entry } from '../core/manifest/manifest-types.js';
import { formatTimestamp } from '../core/manifest/timestamp.js';
import type { ObjectReader } from '../core/object-store/object-store.js';
import { displayPath, printable } from '../core/paths/raw-path.js';
import { formatBytes } from '../ui/format.js';
import { uploadArg, uploadTargetFlags } from './kit/flags.js';
import { documentParts } from './kit/pieces.js';
import { type StoreContext, withStore } from './kit/store.js';
import { TextChannel } from './kit/text-channel.js';
import { uploadTarget, uploadUrl } from './kit/upload-target.js';

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
  async run(values, [url], context: StreamedResults & Verbosity & StoreContext) {
    const target = uploadTarget(url, values);
    await withStore({ baseUrl: target.baseUrl, values, context }, async ({ store, requests }) => {
      const wanted = { reader: store, uploadId: target.uploadId, pattern: values.pattern, signal: context.signal };
      if (context.json) await asDocument(wanted, { location: uploadUrl(target), requests }, context);
      else await asRows(wanted, context);
    });
  },
});

interface Wanted {
  readonly reader: ObjectReader;
  readonly uploadId: string;
  readonly pattern: string | undefined;
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

/** Hands on the entries as text while the manifest streams in, so that memory stays flat. */
async function eachEntry(wanted: Wanted, { textOf, separator, put }: Written): Promise<Listed> {
  const { readView } = await import('../core/dataset/chain/read-view.js');
  const { createSelection } = await import('../core/manifest/selection.js');
  const { reader, uploadId, pattern, signal } = wanted;
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
    signal,
    onHead: ({ head }) => (chunks = head.chunks),
    onEntry: (entry) => {
      if (entry.type === 'directory' || !selection.matches(entry, undefined)) return;
      files++;
      bytes += entry.size;
      texts.push(textOf(entry, chunks));
    },
    onPiece: flush,
  });
  await flush();
  return { view, files, bytes };
}

async function asRows(wanted: Wanted, context: StreamedResults & Verbosity): Promise<void> {
  let isFirst = true;
  await eachEntry(wanted, {
    textOf: (entry, chunks) => listRow(entry, chunks, context.verbose),
    separator: '',
    put: async (text) => {
      await context.print(isFirst ? listHeader(context.verbose) + text : text);
      isFirst = false;
    },
  });
  context.result(undefined, () => (isFirst ? 'no file matches\n' : ''));
}

async function asDocument(
  wanted: Wanted,
  { location, requests }: { readonly location: string; readonly requests: unknown },
  context: StreamedResults,
): Promise<void> {
  const channel = new TextChannel();
  const listed = eachEntry(wanted, {
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
  async function* files(): AsyncGenerator<string> {
    if (first.done !== true) yield first.value;
    yield* pieces;
  }
  const tail = async (): Promise<object> => {
    const { view, files: count, bytes } = await listed;
    return { count, bytes, listing: view.head.listing, totals: view.head.totals, requests };
  };
  await context.streamDocument(documentParts({ uploadId: wanted.uploadId, location }, { files }, tail));
  await done;
}

const SIZE_WIDTH = 10;
const MD5_WIDTH = 32;
const COMMIT_DIGITS = 10;
const TIME_LENGTH = 'YYYY-MM-DDTHH:MM:SS'.length;

/** The line above the rows. */
function listHeader(isVerbose: boolean): string {
  const more = isVerbose ? `${'MD5'.padEnd(MD5_WIDTH)}  ${'COMMIT'.padEnd(COMMIT_DIGITS)}  SHARD  CHUNK  STAGE  ` : '';
  return `${'SIZE'.padStart(SIZE_WIDTH)}  ${'MODIFIED (UTC)'.padEnd(TIME_LENGTH)}  ${more}PATH\n`;
}

/** An entry as a row. The path comes last, so that it may be of any length. */
function listRow(entry: Entry, chunks: readonly ChunkRecord[], isVerbose: boolean): string {
  const size = formatBytes(entry.size).padStart(SIZE_WIDTH);
  const time = formatTimestamp(entry.mtime.seconds, entry.mtime.nanos)
    .slice(0, -'.123456789Z'.length)
    .replace('T', ' ');
  const link = entry.target === undefined ? '' : ` -> ${displayPath(entry.target)}`;
  const more = isVerbose ? verboseCells(entry, chunksOf(entry, chunks)) : '';
  return `${size}  ${time}  ${more}${displayPath(entry.path)}${link}\n`;
}

function verboseCells(entry: Entry, held: readonly ChunkRecord[]): string {
  const shard = String(held.at(-1)?.shard ?? '-').padStart('SHARD'.length);
  const key = displayPath(held[0]?.key ?? '-');
  const keys = held.length > 1 ? `${key}..${held.length}` : key;
  const commit = (entry.commit?.slice(0, COMMIT_DIGITS) ?? '-').padEnd(COMMIT_DIGITS);
  const stage = entry.stage === undefined ? '-' : printable(entry.stage);
  return `${(entry.md5 ?? '-').padEnd(MD5_WIDTH)}  ${commit}  ${shard}  ${keys}  ${stage}  `;
}
