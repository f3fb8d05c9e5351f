// Rewrites a manifest after its chunks got new keys. The document and its entries stay as they were written, including fields that this
// version does not know; only the keys and shards of chunks, the sums of shards and the list of replaced digests change.
import { StringDecoder } from 'node:string_decoder';
import { Readable } from 'node:stream';
import { ShardSums } from '../../dataset/chain/shard-sums.js';
import { integrityError } from '../../platform/failures/errors.js';
import { inflateManifest } from '../../format/manifest/inflate-manifest.js';
import { type LoadedManifest, readLoaded } from '../../format/manifest/loaded-manifest.js';
import { extentsOf } from '../../format/manifest/manifest-check.js';
import type { ChunkRecord, ShardRecord } from '../../format/manifest/manifest-types.js';
import { ManifestText } from '../../format/manifest/manifest-text.js';
import { encodedManifest, type EncodedManifest } from '../../format/manifest/encoded-manifest.js';

const FILES = '"files":[\n';

/** Encodes the manifest again with `chunks`: those of the manifest, in its order, in their new places. @throws integrity */
export async function movedManifest(loaded: LoadedManifest, chunks: readonly ChunkRecord[]): Promise<EncodedManifest> {
  const { chunks: _chunks, ...document } = loaded.document;
  const { replaces = [] } = loaded.head;
  const head = { ...document, replaces: [...replaces, loaded.sha256], shards: await shardsOf(loaded, chunks) };
  const records = loaded.document['chunks'] as readonly Readonly<Record<string, unknown>>[];
  const lines = records.map((record, position) => {
    const { key, shard } = chunks[position] ?? {};
    return JSON.stringify({ ...record, key, shard });
  });
  const text = new ManifestText();
  try {
    await copyEntries(loaded, text);
    return encodedManifest(
      await text.finish(`${JSON.stringify(head).slice(0, -1)},\n"chunks":[\n${lines.join(',\n')}\n],\n${FILES}`),
    );
  } catch (error) {
    text.destroy();
    throw error;
  }
}

/** Copies everything after the line that begins the list of entries. */
async function copyEntries({ key, bytes }: LoadedManifest, text: ManifestText): Promise<void> {
  const decoder = new StringDecoder('utf8');
  let before: string | undefined = '';
  for await (const piece of inflateManifest(Readable.from([bytes]), { what: `the manifest ${key}` })) {
    let part = decoder.write(piece);
    if (before !== undefined) {
      before += part;
      const at = before.indexOf(FILES);
      if (at < 0) continue;
      part = before.slice(at + FILES.length);
      before = undefined;
    }
    if (!text.add(part)) await text.drained();
  }
  text.add(decoder.end());
  if (before !== undefined) throw integrityError(`the manifest ${key} has no list of files`);
}

/** Counts files and bytes of each shard again; a cut file counts in the shard of its last part. */
async function shardsOf(loaded: LoadedManifest, chunks: readonly ChunkRecord[]): Promise<readonly ShardRecord[]> {
  const sums = new ShardSums();
  for await (const batch of readLoaded(loaded)) {
    for (const line of batch) {
      if ('foreignType' in line || line.type === 'deleted' || line.type === 'directory') continue;
      sums.add(chunks[line.chunk ?? extentsOf(line).at(-1)?.chunk ?? -1]?.shard, line.size);
    }
  }
  return sums.of(chunks);
}
