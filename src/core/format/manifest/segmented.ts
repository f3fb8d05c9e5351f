// When a listing lies in segments, and how its manifest is made then: a head that names them.
import type { AccountNames } from './entry-line.js';
import { manifestHeadText } from './manifest-head-text.js';
import { gzipText } from './gzip-text.js';
import { encodedManifest, type EncodedManifest } from './encoded-manifest.js';
import type { ManifestHead, SegmentPlace } from './manifest-types.js';
import { SEGMENTS_REQUIRED } from './requirements.js';
import type { EncodedSegment, FinishedSegments } from './segment-texts.js';

/** A smaller listing is one object, which old readers know, too. */
const SEGMENTED_FROM = 50_000;
const LEAST_ENTRIES = 4096;
/** Segments have some 140 bytes each in the head. */
const MOST_SEGMENTS = 2048;

/** Whether a listing of so many entries lies in segments. An encrypted manifest never does: its key opens one object. */
export const isSegmented = (entries: number, isSealed: boolean): boolean => !isSealed && entries >= SEGMENTED_FROM;

/** Entries of each segment, whole blocks, of a listing of so many. */
export const entriesPerSegment = (entries: number): number =>
  Math.max(1, Math.ceil(entries / MOST_SEGMENTS / LEAST_ENTRIES)) * LEAST_ENTRIES;

/** The manifest of a listing in these segments, all of which lie in the folder of its upload. */
export async function segmentedManifest(
  head: ManifestHead,
  { segments, unlisted }: FinishedSegments,
  linkGroups: number,
  names?: AccountNames,
): Promise<EncodedManifest> {
  const places = segments.map(({ place }) => place);
  return await headOfSegments({ ...head, chunks: unlisted, linkGroups }, places, segments, names);
}

/** The manifest of a listing in `places`, of which `own` are to be put. */
export async function headOfSegments(
  head: ManifestHead,
  places: readonly SegmentPlace[],
  own: readonly EncodedSegment[],
  names?: AccountNames,
): Promise<EncodedManifest> {
  const text = `${manifestHeadText({ ...head, requires: SEGMENTS_REQUIRED, segments: places }, names)}]}\n`;
  return { ...encodedManifest(await gzipText(text)), segments: { places, own } };
}
