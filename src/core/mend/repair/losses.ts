// Lists what a rebuilt manifest lacks, as far as that is known.
import { chunkKey, extentsOf } from '../../format/manifest/manifest-check.js';
import type { VersionRecord } from '../../format/manifest/manifest-types.js';
import { resultPath } from '../../platform/failures/failure-list.js';
import type { RawPath } from '../../platform/paths/raw-path.js';
import type { Choice } from './choose-layers.js';
import { filesInFrames } from './read-chunks.js';
import type { FolderRead } from './read-used.js';
import type { Rebuilt } from './rebuild.js';
import type { TableFolder } from './table-folder.js';
import type { UploadId } from '../../store/ids/upload-id.js';
import { fullKeyOf } from './found-chunk.js';

export interface Loss {
  /** Path of the file that is affected. */
  readonly path?: string;
  /** Key of the object that is affected, relative to the upload's folder. */
  readonly key?: string;
  readonly reason: string;
}

export interface LossSources {
  readonly uploadId: UploadId;
  readonly own: TableFolder;
  readonly choice: Choice;
  /** Chunks that were read through. */
  readonly read: readonly FolderRead[];
  readonly rebuilt: Rebuilt;
  readonly record: VersionRecord | undefined;
}

/** Returns everything that is or may be lost. */
export async function findLosses(sources: LossSources): Promise<readonly Loss[]> {
  const { uploadId, own, choice, rebuilt, record } = sources;
  const { found, cut } = own;
  const others = choice.layers.flatMap(({ tables }) => (tables === undefined || tables === own ? [] : [tables]));
  // Segments list what is in chunks whose tables cannot be read.
  const isListed = choice.isEqual && choice.layers[0]?.hasSegments === true;
  return [
    ...(isListed ? [] : found.bad.map(({ reason, ...about }) => ({ ...about, reason: notListed(reason) }))),
    // In additional folders, bad chunks matter only where something is missing.
    ...(choice.isEqual
      ? []
      : others.flatMap((tables) =>
          tables.found.bad.map(({ reason, ...about }) => ({
            ...about,
            key: `../${tables.uploadId}/${about.key}`,
            reason: notListed(reason),
          })),
        )),
    // A resumed upload may skip numbers. Where the totals match, no chunk is missing.
    ...(choice.isEqual ? [] : found.missing.map((number) => missingChunk(number))),
    ...(isListed ? [] : cut.lost.map(({ path, reason }) => ({ path: resultPath(path), reason }))),
    ...damagedOwn(sources),
    ...(await damagedOthers(sources, uploadId)),
    ...fewerThanRecorded(rebuilt, record),
  ];
}

const notListed = (reason: string): string => `${reason}: what it holds is not in the manifest`;

const missingChunk = (number: number): Loss => ({
  key: `chunk-${String(number).padStart(6, '0')}.tar.zst`,
  reason: 'the chunk is not in the store, and nothing shows what it held',
});

function damagedOwn({ own, read }: LossSources): readonly Loss[] {
  return read
    .filter(({ tables }) => tables === own)
    .flatMap((folder) =>
      damagedChunks(folder).flatMap(({ chunk, frames, reason }) => {
        const files = filesInFrames(chunk, frames).map((path) => ({ path: resultPath(path), key: chunk.key, reason }));
        return files.length > 0 ? files : [{ key: chunk.key, reason }];
      }),
    );
}

function damagedChunks({ chunks, read }: FolderRead): readonly {
  readonly chunk: FolderRead['chunks'][number];
  readonly frames: readonly number[];
  readonly reason: string;
}[] {
  return read.flatMap(({ damagedFrames: frames }, position) => {
    const chunk = chunks[position];
    if (chunk === undefined || frames.length === 0) return [];
    const reason = `${frames.length} of the ${chunk.table.frames.length} frames of ${chunk.key} are damaged`;
    return [{ chunk, frames, reason }];
  });
}

/** Chunks of other uploads hold more than this view uses, so only entries of the view are reported. */
async function damagedOthers({ own, read, rebuilt }: LossSources, uploadId: UploadId): Promise<readonly Loss[]> {
  const reasons = new Map<string, { readonly reason: string; readonly paths: ReadonlySet<RawPath> }>();
  for (const folder of read) {
    if (folder.tables === own) continue;
    for (const { chunk, frames, reason } of damagedChunks(folder)) {
      const key = fullKeyOf(folder.tables.uploadId, chunk);
      reasons.set(key, { reason, paths: new Set(filesInFrames(chunk, frames)) });
    }
  }
  if (reasons.size === 0) return [];
  const losses: Loss[] = [];
  for await (const batch of rebuilt.view.entries()) {
    for (const entry of batch) {
      for (const { chunk } of extentsOf(entry)) {
        const key = rebuilt.view.chunks[chunk]?.key ?? '';
        const damaged = reasons.get(chunkKey(uploadId, key) ?? '');
        if (damaged?.paths.has(entry.path) === true)
          losses.push({ path: resultPath(entry.path), key, reason: damaged.reason });
      }
    }
  }
  return losses;
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

/** Returns what cannot be determined from the chunks, as sentences. */
export function findUnknowns({ rebuilt, record, own, choice }: LossSources): readonly string[] {
  const { head, totals, takenFrom } = rebuilt;
  const { others } = own.found;
  const isMore = record !== undefined && totals.entries > record.totals.entries;
  const byTables = choice.layers.slice(1).filter(({ tables }) => tables !== undefined);
  return [
    ...(head.listing === 'delta'
      ? ['deletions, and changes of metadata alone, that the delta held: those files are as in the version before']
      : []),
    ...(takenFrom === undefined
      ? []
      : [`what differs from ${takenFrom} without new content: its entries were taken over as they are there`]),
    ...(byTables.length === 0
      ? []
      : [
          `deletions, and changes of metadata alone, in ${byTables.map(({ uploadId }) => uploadId).join(', ')}: no manifest lists them`,
        ]),
    ...(record === undefined
      ? ['how many paths were left out when it was uploaded, and whether chunks after the last one are missing']
      : []),
    ...(isMore
      ? [
          `which ${totals.entries - record.totals.entries} of the entries do not belong to the version: its record counts fewer`,
        ]
      : []),
    ...(others.length > 0 ? [`what ${others.length} other objects of the upload are for (${others[0]}, …)`] : []),
  ];
}
