// What is left of a listing in segments: the segments that are whole, and the ranges of paths of those that are lost, which alone are
// rebuilt.
import { composeRuns, movedKey } from '../../archive/changes/next-segments.js';
import type { Run } from '../../dataset/chain/touched-segments.js';
import type { Level, MergedView } from '../../dataset/chain/merged-view.js';
import { mergeLevels } from '../../dataset/chain/merge-levels.js';
import { levelOf } from '../../dataset/chain/view.js';
import { type LoadedManifest, withSegments } from '../../format/manifest/loaded-manifest.js';
import { keyOf } from '../../format/manifest/load-segments.js';
import { chunkKey, relativeChunkKey } from '../../format/manifest/manifest-check.js';
import { addEntries } from '../../format/manifest/compose-manifest.js';
import type { EncodedManifest } from '../../format/manifest/encoded-manifest.js';
import type { Entry, ManifestHead, SegmentPlace } from '../../format/manifest/manifest-types.js';
import { AFTER_ALL, type PathRange } from '../../format/manifest/path-range.js';
import { SegmentTexts } from '../../format/manifest/segment-texts.js';
import { type RawPath, TOP } from '../../platform/paths/raw-path.js';
import type { ObjectReader } from '../../store/object-store.js';
import { splitUploadKey } from '../../store/ids/upload-id.js';
import type { Layer } from './layers.js';
import type { SegmentMending } from './mend-segments.js';
import type { TableFolder } from './table-folder.js';

export class SegmentBase {
  /** The highest number of a group of hard links, with those of what was composed. */
  linkGroups: number;

  /** The manifest with the segments that are whole. */
  private constructor(
    readonly loaded: LoadedManifest,
    private readonly places: readonly SegmentPlace[],
    readonly lost: readonly SegmentPlace[],
    /** False where the head is a guess and only its segments are known. */
    readonly hasHead: boolean,
  ) {
    this.linkGroups = loaded.head.linkGroups ?? 0;
  }

  /** Opens what is left of the listing of `manifest`. @throws integrity, what the store throws */
  static async open(
    reader: ObjectReader,
    manifest: LoadedManifest,
    lost: readonly SegmentPlace[],
    { mending, signal }: { readonly mending: SegmentMending; readonly signal: AbortSignal },
  ): Promise<SegmentBase> {
    const places = manifest.head.segments ?? [];
    const segments = places.filter((place) => !lost.includes(place));
    const head = { ...manifest.head, segments };
    const loaded = await withSegments({ ...manifest, head }, { reader, cache: mending, signal });
    return new SegmentBase(loaded, places, lost, manifest.sha256 !== '');
  }

  /** Where entries are missing. */
  get ranges(): readonly PathRange[] {
    return this.lost.map((place) => this.rangeOf(place));
  }

  private rangeOf(place: SegmentPlace): PathRange {
    const at = this.places.indexOf(place);
    return { from: at === 0 ? TOP : place.first, before: this.places[at + 1]?.first ?? AFTER_ALL };
  }

  /** The tables of the upload's own chunks, as far as entries are missing, with the entries of its segments. @throws integrity */
  joined(tables: TableFolder): TableFolder {
    const { head, uploadId } = this.loaded;
    const { linkGroups = 0 } = head;
    const levels = [this.within(tables.level), levelOf(this.loaded)];
    const view = mergeLevels(levels, uploadId, { linkGroups });
    const entries = (): AsyncIterable<readonly Entry[]> => view.entries();
    return { ...tables, level: { uploadId, chunks: view.chunks, mentions: entries, entries } };
  }

  /** A layer without what is not missing. */
  layer = (layer: Layer): Layer => ({ ...layer, level: this.within(layer.level) });

  private within(level: Level): Level {
    const { ranges } = this;
    return {
      ...level,
      async *mentions() {
        for await (const batch of level.mentions()) yield batch.filter(({ path }) => isIn(ranges, path));
      },
    };
  }

  /** Encodes lost segments again from a rebuilt view: those that are the same, byte for byte. @throws what the view throws */
  async encodedAgain(view: MergedView): Promise<ReadonlyMap<SegmentPlace, Buffer>> {
    const again = new Map<SegmentPlace, Buffer>();
    const texts = new Map<SegmentPlace, SegmentTexts>();
    let at = 0;
    for await (const batch of this.missing(view).entries()) {
      for (const entry of batch) {
        for (let next = this.places[at + 1]; next !== undefined && next.first <= entry.path; next = this.places[at + 1])
          at++;
        const place = this.places[at];
        if (place === undefined) continue;
        const its = texts.get(place) ?? new SegmentTexts(Infinity);
        texts.set(place, its);
        await addEntries(its, [entry]);
      }
    }
    for (const [place, its] of texts) {
      const { uploadId } = splitUploadKey(keyOf(this.loaded.uploadId, place)) ?? {};
      if (uploadId === undefined) continue;
      const chunks = view.chunks.map((record) => {
        const key = chunkKey(this.loaded.uploadId, record.key);
        return key === undefined ? record : { ...record, key: relativeChunkKey(uploadId, key) };
      });
      const { segments } = await its.finish(uploadId, chunks);
      const [only] = segments;
      if (segments.length === 1 && only?.place.sha256 === place.sha256) again.set(place, only.bytes);
    }
    return again;
  }

  /** The entries of a view in the ranges that are missing. */
  private missing(view: MergedView): MergedView {
    const { ranges } = this;
    return {
      chunks: view.chunks,
      async *entries(onForeign) {
        for await (const batch of view.entries(onForeign)) yield batch.filter(({ path }) => isIn(ranges, path));
      },
    };
  }

  /** The listing of a view that has the entries of the segments: these are named again, the rest is written. @throws what the view throws */
  async compose(head: ManifestHead, view: MergedView): Promise<EncodedManifest> {
    const { linkGroups = 0 } = this.loaded.head;
    const missing = this.missing(view);
    // Groups of the segments that stay have lower numbers.
    const placed = (entry: Entry): Entry => {
      if (entry.linkGroup === undefined) return entry;
      const linkGroup = linkGroups + entry.linkGroup;
      this.linkGroups = Math.max(this.linkGroups, linkGroup);
      return { ...entry, linkGroup };
    };
    const entries = async function* (): AsyncGenerator<readonly Entry[]> {
      for await (const batch of missing.entries()) yield batch.map(placed);
    };
    const merged = { chunks: view.chunks, entries };
    // Each lost segment is a run of its own, so that another manifest can name what took its place.
    const runs = this.places.map((place, position): SegmentPlace | Run =>
      this.lost.includes(place)
        ? { most: place.counts.entries, segments: [position], before: this.places[position + 1]?.first }
        : place,
    );
    return await composeRuns({ ...head, linkGroups }, this.loaded.uploadId, runs, merged);
  }

  /** The segments of another manifest, with what took the place of lost ones; undefined where it names none of these. */
  replacedIn({ uploadId, segments = [] }: ManifestHead, written: EncodedManifest): readonly SegmentPlace[] | undefined {
    const lost = new Map(this.lost.map((place) => [keyOf(this.loaded.uploadId, place), place]));
    let isSame = true;
    const replaced = segments.flatMap((place) => {
      const gone = lost.get(keyOf(uploadId, place));
      if (gone === undefined) return place;
      isSame = false;
      const { from, before } = this.rangeOf(gone);
      return (written.segments?.own ?? [])
        .filter(({ place: { first } }) => first >= from && first < before)
        .map(({ place: next }) => ({ ...next, key: movedKey(next.key, this.loaded.uploadId, uploadId) }));
    });
    return isSame ? undefined : replaced;
  }
}

const isIn = (ranges: readonly PathRange[], path: RawPath): boolean =>
  ranges.some(({ from, before }) => path >= from && path < before);
