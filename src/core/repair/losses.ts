// What a rebuilt manifest lacks, as far as anything tells.
import type { VersionRecord } from '../manifest/manifest-types.js';
import { resultPath } from '../restore/failures.js';
import type { CutFiles } from './cut-files.js';
import type { FoundChunks } from './fetch-tables.js';
import { filesInFrames, type ReadChunk } from './read-chunks.js';
import { sameContent, type Rebuilt } from './rebuild.js';

export interface Loss {
  /** The file that it is about. */
  readonly path?: string;
  /** The object that it is about, below the folder of the upload. */
  readonly key?: string;
  readonly reason: string;
}

export interface LossSources {
  readonly found: FoundChunks;
  readonly cut: CutFiles;
  /** When the chunks were read. */
  readonly read: readonly ReadChunk[] | undefined;
  readonly rebuilt: Rebuilt;
  readonly record: VersionRecord | undefined;
}

/** Everything that is lost or may be. */
export function findLosses({ found, cut, read, rebuilt, record }: LossSources): readonly Loss[] {
  const isComplete = record !== undefined && sameContent(rebuilt.totals, record.totals);
  return [
    ...found.bad.map(({ reason, ...about }) => ({
      ...about,
      reason: `${reason}: what it holds is not in the manifest`,
    })),
    // A resumed upload may leave numbers out. Where everything is there, none is missing.
    ...(isComplete ? [] : found.missing.map((number) => missingChunk(number))),
    ...cut.lost.map(({ path, reason }) => ({ path: resultPath(path), reason })),
    ...damagedFrames(found, read),
    ...fewerThanRecorded(rebuilt, record),
  ];
}

const missingChunk = (number: number): Loss => ({
  key: `chunk-${String(number).padStart(6, '0')}.tar.zst`,
  reason: 'the chunk is not in the store, and nothing tells what it held',
});

function damagedFrames({ chunks }: FoundChunks, read: readonly ReadChunk[] | undefined): readonly Loss[] {
  return (read ?? []).flatMap(({ damagedFrames: frames }, position) => {
    const chunk = chunks[position];
    if (chunk === undefined || frames.length === 0) return [];
    const reason = `${frames.length} of the ${chunk.table.frames.length} frames of ${chunk.key} are damaged`;
    const files = filesInFrames(chunk, frames).map((path) => ({ path: resultPath(path), key: chunk.key, reason }));
    return files.length > 0 ? files : [{ key: chunk.key, reason }];
  });
}

function fewerThanRecorded({ totals }: Rebuilt, record: VersionRecord | undefined): readonly Loss[] {
  const expected = record?.totals;
  if (expected === undefined || (totals.entries >= expected.entries && totals.bytes >= expected.bytes)) return [];
  const said = `${expected.entries} entries with ${expected.bytes} bytes`;
  return [
    {
      reason: `the version record counts ${said}, and the rebuilt manifest has ${totals.entries} with ${totals.bytes}`,
    },
  ];
}

/** What cannot be told from the chunks, as sentences. */
export function findUnknowns({ rebuilt, record, found }: LossSources): readonly string[] {
  const { head, totals, takenFrom } = rebuilt;
  const isMore = record !== undefined && totals.entries > record.totals.entries;
  return [
    ...(head.listing === 'delta'
      ? ['deletions, and changes of metadata alone, that the delta held: those files are as in the version before']
      : []),
    ...(takenFrom === undefined
      ? []
      : [`what differs from ${takenFrom} without new content: its entries were taken over as they are there`]),
    ...(record === undefined
      ? ['how many paths were left out when it was uploaded, and whether chunks after the last one are missing']
      : []),
    ...(isMore
      ? [
          `which ${totals.entries - record.totals.entries} of the entries the version did not have: its record counts fewer`,
        ]
      : []),
    ...(found.others.length > 0
      ? [`what ${found.others.length} other objects of the upload are for (${found.others[0]}, …)`]
      : []),
  ];
}
