// The JSON about a folder of this computer.
import { shownSkip } from '../../../core/archive/scan/skip.js';
import type { PlaceSums } from '../../../core/money/analyze/folder/hot-folders.js';
import { roundedUsd } from '../../../core/cost/money.js';
import { originOf } from '../../../core/cost/price-table.js';
import { classEstimateDocument } from '../class-estimate.js';
import { type AnalyzedFolder, hotPath } from './folder-text.js';

const placeDocument = (one: PlaceSums) => ({
  path: hotPath(one),
  isWhole: one.isWhole,
  files: one.files,
  bytes: one.bytes,
  oldFiles: one.oldFiles,
  oldBytes: one.oldBytes,
  newestDays: Math.floor(one.newestDays),
});

/** Returns the JSON document of a folder. */
export function folderDocument(analyzed: AnalyzedFolder) {
  const { path, rule, sums, directories, leftOut, skipped, ages, owners, largest, hottest, hotFolders } = analyzed;
  const { classes, oldClasses, nowUsd, uploadCommand, prices, durationMs } = analyzed;
  const { files, bytes, allocatedBytes, oldFiles, oldBytes } = sums;
  return {
    source: path,
    files,
    directories,
    bytes,
    allocatedBytes,
    ageBy: rule.ageBy,
    olderThanMs: rule.olderThanMs,
    oldFiles,
    oldBytes,
    ageBands: ages.map((band) => ({
      fromDays: band.fromDays,
      untilDays: band.untilDays,
      objects: band.files,
      bytes: band.bytes,
    })),
    owners: owners.map((one) => ({
      uid: one.uid,
      user: one.user,
      files: one.files,
      bytes: one.bytes,
      oldFiles: one.oldFiles,
      oldBytes: one.oldBytes,
    })),
    largestFolders: largest.map(placeDocument),
    hotFolders: hottest.map((one) => ({
      ...placeDocument(one),
      meanAgeDays: Math.floor(one.heat / one.oldBytes),
    })),
    hotFolderCount: hotFolders,
    classEstimates: classes.map(classEstimateDocument),
    oldClassEstimates: oldClasses.map(classEstimateDocument),
    ...(nowUsd && { onDiskUsd: roundedUsd(nowUsd.all), oldOnDiskUsd: roundedUsd(nowUsd.old) }),
    uploadCommand: uploadCommand ?? null,
    leftOutCount: leftOut,
    skipped: skipped.map(shownSkip),
    ...originOf(prices),
    durationMs,
  };
}
