// The JSON of what is in a store and what it costs.
import type { InventoryRead } from '../../core/money/analyze/analyze-store.js';
import { athenaUsd } from '../../core/money/analyze/inventory/athena-cost.js';
import { type MoveSaving, payOffDays } from '../../core/money/analyze/move-savings.js';
import { roundedUsd } from '../../core/cost/money.js';
import { originOf } from '../../core/cost/price-table.js';
import { type AnalyzedStore, type Figures, whole } from './store-analysis.js';

/** Returns the JSON document of an analysis. */
export function analysisDocument(analyzed: AnalyzedStore, figures: Figures, showSavings: boolean) {
  const {
    location,
    isAws,
    versionsHidden,
    unfinished,
    unfinishedHidden,
    sample,
    inventory,
    prices,
    requests,
    durationMs,
  } = analyzed;
  const { objects, bytes, errors } = figures;
  return {
    location,
    objects,
    bytes,
    monthlyUsd: roundedUsd(figures.monthlyUsd),
    yearlyUsd: roundedUsd(figures.yearlyUsd),
    storedClasses: figures.classes.map((one) => ({ ...one, monthlyUsd: roundedUsd(one.monthlyUsd) })),
    sizeBands: figures.sizes.map(({ from, until, ...sum }) => ({ fromBytes: from, untilBytes: until, ...sum })),
    ageBands:
      figures.ages && figures.ages.map(({ from, until, ...sum }) => ({ fromDays: from, untilDays: until, ...sum })),
    versionsHidden,
    older: versionsHidden
      ? null
      : {
          ...figures.older,
          monthlyUsd: roundedUsd(figures.older.monthlyUsd),
          deleteMarkers: figures.deleteMarkers,
        },
    unfinished: unfinished && {
      unfinishedMultiparts: unfinished.uploads,
      bytes: unfinished.bytes,
      monthlyUsd: roundedUsd(figures.unfinishedUsd),
      staleMultiparts: unfinished.staleUploads,
      staleBytes: unfinished.staleBytes,
      staleUsd: roundedUsd(figures.staleUsd),
    },
    unfinishedHidden,
    ...(sample && {
      sampled: {
        objects: sample.objects,
        rangesListed: sample.drawn.length,
        rangeCount: sample.ranges,
        objectsError: errors.objects,
        bytesError: errors.bytes,
        monthlyErrorUsd: roundedUsd(errors.monthlyUsd),
      },
    }),
    ...(inventory && { inventory: inventoryDocument(inventory) }),
    ...(showSavings ? { classSavings: figures.moves.map(savingDocument) } : {}),
    isAws,
    ...originOf(prices),
    requests,
    durationMs,
  };
}

function savingDocument(move: MoveSaving) {
  const { firstYearSavedUsd, monthlySavedUsd, transitionsUsd, earlyDeletionUsd, ...rest } = move;
  const paysOffDays = payOffDays(move);
  return {
    ...rest,
    ...whole(move),
    monthlySavedUsd: roundedUsd(monthlySavedUsd),
    transitionsUsd: roundedUsd(transitionsUsd),
    earlyDeletionUsd: roundedUsd(earlyDeletionUsd),
    savedUsd: roundedUsd(firstYearSavedUsd),
    ...(paysOffDays === undefined ? {} : { paysOffDays }),
  };
}

function inventoryDocument({ createdAt, format, files, athena, ...rest }: InventoryRead) {
  return {
    createdAt: createdAt.toISOString(),
    inventoryFormat: format,
    inventoryFiles: files,
    ...rest,
    ...(athena && { athena: { ...athena, queryUsd: roundedUsd(athenaUsd(athena.scannedBytes)) } }),
  };
}
