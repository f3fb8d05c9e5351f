// `archiver list`: rows, or one JSON document, while the manifest (or the merge of a chain) streams in. Memory stays flat.
import type { Context } from '../../cli/context.js';
import { type ReadView, readView } from '../../core/dataset/read-view.js';
import { createSelection } from '../../core/manifest/selection.js';
import type { ChunkRecord, Entry } from '../../core/manifest/manifest-types.js';
import type { ObjectReader } from '../../core/object-store/object-store.js';
import type { ListValues } from '../list.js';
import { listedFile, listHeader, listRow } from './listing.js';
import { TextChannel } from './text-channel.js';
import { openForReading } from '../kit/store.js';
import { uploadTarget, uploadUrl } from '../kit/upload-target.js';

interface Listing {
  readonly reader: ObjectReader;
  readonly uploadId: string;
  readonly pattern: string | undefined;
  readonly signal: AbortSignal;
  /** Turns an entry into text. */
  readonly textOf: (entry: Entry, chunks: readonly ChunkRecord[]) => string;
  readonly put: (text: string) => Promise<void>;
}

/** Runs the command. */
export async function runList(values: ListValues, url: string | undefined, context: Context): Promise<void> {
  const target = uploadTarget(url, values);
  const opened = await openForReading(target.baseUrl, values, context);
  const base = { reader: opened.store, uploadId: target.uploadId, pattern: values.pattern, signal: context.signal };
  try {
    if (context.json) await asDocument(base, uploadUrl(target), opened.requests, context);
    else await asRows(base, context);
  } finally {
    opened.close();
  }
}

async function list({
  reader,
  uploadId,
  pattern,
  signal,
  textOf,
  put,
}: Listing): Promise<{ manifest: ReadView; files: number; bytes: number }> {
  const selection = createSelection(pattern === undefined ? { all: true } : { pattern });
  let chunks: readonly ChunkRecord[] = [];
  let parts: string[] = [];
  let files = 0;
  let bytes = 0;
  const flush = async (): Promise<void> => {
    const text = parts.join('');
    parts = [];
    if (text !== '') await put(text);
  };
  const manifest = await readView(reader, {
    uploadId,
    signal,
    onHead: ({ head }) => {
      chunks = head.chunks;
    },
    onEntry: (entry) => {
      if (entry.type === 'directory' || !selection.matches(entry, undefined)) return;
      files++;
      bytes += entry.size;
      parts.push(textOf(entry, chunks));
    },
    onPiece: flush,
  });
  await flush();
  return { manifest, files, bytes };
}

async function asRows(base: Omit<Listing, 'textOf' | 'put'>, context: Context): Promise<void> {
  let isFirst = true;
  await list({
    ...base,
    textOf: (entry, chunks) => listRow(entry, chunks, context.verbose),
    put: async (text) => {
      await context.print(isFirst ? listHeader(context.verbose) + text : text);
      isFirst = false;
    },
  });
  context.result(undefined, () => (isFirst ? 'no file matches\n' : ''));
}

async function asDocument(
  base: Omit<Listing, 'textOf' | 'put'>,
  location: string,
  requests: unknown,
  context: Context,
): Promise<void> {
  const channel = new TextChannel();
  let comma = '';
  const listing = list({
    ...base,
    textOf: (entry, chunks) => {
      const text = `${comma}${JSON.stringify(listedFile(entry, chunks))}`;
      comma = ',';
      return text;
    },
    put: (text) => channel.put(text),
  });
  const done = listing.then(
    () => channel.close(),
    (error: unknown) => channel.close({ error }),
  );
  const pieces = channel.read();
  // The first piece comes when the head was read: what is wrong with the whole is known before anything is written.
  const first = await pieces.next();
  await context.streamDocument(
    (async function* (): AsyncGenerator<string> {
      yield `{"uploadId":${JSON.stringify(base.uploadId)},"location":${JSON.stringify(location)},"files":[`;
      if (first.done !== true) yield first.value;
      yield* pieces;
      const { manifest, files, bytes } = await listing;
      yield `],"count":${files},"bytes":${bytes},"listing":${JSON.stringify(manifest.head.listing)},"totals":${JSON.stringify(manifest.head.totals)},"requests":${JSON.stringify(requests)}}`;
    })(),
  );
  await done;
}
