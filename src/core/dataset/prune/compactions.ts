// What a plan has composed is kept in memory until it is carried out, so that no listing is composed twice. Bounded: what does not fit is
// composed again.
import { loadExpected } from '../chain/load-chain.js';
import { digestsOf } from '../chain/version-view.js';
import { MAX_KEPT_BYTES, sizeOf } from '../../format/manifest/load-segments.js';
import type { ObjectReader } from '../../store/object-store.js';
import type { ParsedRecord } from '../records/version-record-parse.js';
import {
  type Composed,
  composeCompaction,
  type ComposeOptions,
  numberBefore,
  sealingKey,
} from './compose-compaction.js';

/** Bytes of all that is kept: gzipped, four million entries. */
const HELD_BYTES = 2 * MAX_KEPT_BYTES;

type Version = Pick<ParsedRecord, 'record'>;

export class Compactions {
  private readonly kept = new Map<string, Composed>();
  private heldBytes = 0;
  /** Only one is composed at a time, which may need much memory. */
  private last: Promise<unknown> = Promise.resolve();

  /** Composes the listing of a version; undefined for one that needs none. @throws as `composeCompaction` */
  async compose(reader: ObjectReader, version: Version, options: ComposeOptions): Promise<Composed | undefined> {
    const work = this.last.then(async () => await composeCompaction(reader, version, options));
    this.last = work.catch(() => undefined);
    const composed = await work;
    if (composed !== undefined) this.keep(reader, composed);
    return composed;
  }

  /**
   * The same at the time of writing: what was composed before, if the version and what was marked of its segments are as they were, else
   * anew. @throws as `composeCompaction`
   */
  async take(reader: ObjectReader, version: Version, signal: AbortSignal): Promise<Composed | undefined> {
    const composed = this.drop(reader, version);
    if (composed !== undefined && (await isCurrent(reader, version, composed, signal))) return composed;
    return await composeCompaction(reader, version, { signal });
  }

  private keep(reader: ObjectReader, composed: Composed): void {
    const bytes = bytesOf(composed);
    if (bytes === undefined || this.heldBytes + bytes > HELD_BYTES) return;
    this.heldBytes += bytes;
    this.kept.set(nameOf(reader, composed.newest), composed);
  }

  private drop(reader: ObjectReader, { record }: Version): Composed | undefined {
    const name = nameOf(reader, record);
    const composed = this.kept.get(name);
    if (composed === undefined) return undefined;
    this.kept.delete(name);
    this.heldBytes -= bytesOf(composed) ?? 0;
    return composed;
  }
}

const nameOf = ({ url }: ObjectReader, { uploadId }: { readonly uploadId: string }): string => `${url} ${uploadId}`;

/** Bytes of a listing and of the manifests that it was made of; undefined where their segments are not in memory. */
function bytesOf({ view: { chain }, plain }: Composed): number | undefined {
  const segments = chain.map(({ head }) => sizeOf(head.segments ?? []));
  if (segments.some((bytes) => bytes > MAX_KEPT_BYTES)) return undefined;
  const own = plain.segments?.own.map(({ bytes }) => bytes) ?? [];
  const texts = [plain.bytes, ...own, ...chain.map(({ bytes }) => bytes)];
  return texts.reduce((sum, { length }) => sum + length, 0) + segments.reduce((sum, bytes) => sum + bytes, 0);
}

async function isCurrent(
  reader: ObjectReader,
  { record }: Version,
  { view, newest, after }: Composed,
  signal: AbortSignal,
): Promise<boolean> {
  const [stored, before] = await Promise.all([
    loadExpected(reader, record.uploadId, digestsOf(record), { segments: 'none', signal }),
    numberBefore(reader, view, sealingKey(record, view) !== undefined, signal),
  ]);
  return stored.sha256 === newest.sha256 && before === after;
}
