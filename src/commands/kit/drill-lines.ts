// The result of a restore drill, as text and as keys of JSON.
import type { Environment, Terminal } from '../../cli/context.js';
import { versionName } from '../../core/dataset/records/version-name.js';
import type { VersionRecord } from '../../core/format/manifest/manifest-types.js';
import type { DrillResult } from '../../core/mend/drill/drill.js';
import { defined } from '../../core/platform/defined.js';
import { printable } from '../../core/platform/paths/raw-path.js';
import { formatBytes, formatCount, formatQuantity } from '../../ui/format.js';
import { formatUsd } from '../../ui/format-usd.js';
import { lookOf } from '../../ui/look.js';
import { signText } from '../../ui/sign.js';
import { shareText } from '../../screens/check-texts.js';
import { amountText, fact, failureText, firstLines } from './lines.js';
import { unrecordedLines } from './unrecorded-lines.js';

/** A drill of one version. */
export interface Drilled {
  readonly record: VersionRecord;
  readonly result: DrillResult;
  /** What fetching costs, as estimated; null where a price is not known. */
  readonly costUsd: number | null;
  readonly unrecordedReason: string | null;
}

/** Lines about the drill of one version. */
export function drillLines(
  { record, result, costUsd, unrecordedReason }: Drilled,
  dryRun: boolean,
  { colors, env }: Pick<Terminal, 'colors'> & Environment,
): readonly string[] {
  const { ok, files, bytes, failed, coverage, coldFiles, uncheckedFiles, cold } = result;
  const name = `${versionName(record)} of ${printable(record.datasetId)}`;
  const amount = amountText(files, 'file', bytes);
  const cost = costUsd === null ? 'at an unknown price' : `for ${formatUsd(costUsd)}`;
  const head = dryRun
    ? `${name}: would restore ${amount}, ${cost}`
    : files === 0
      ? `${name}: nothing could be restored for a trial`
      : ok
        ? `${name}: ${amount} restored and compared, all as they were`
        : `${name}: ${formatCount(failed.length)} of ${amount} did not come back as they were`;
  const { days, bytes: provenBytes, ofBytes, files: provenFiles, ofFiles } = coverage;
  const proven = `${shareText(provenBytes, ofBytes)} of ${formatBytes(ofBytes)}, ${formatCount(provenFiles)} of ${formatQuantity(ofFiles, 'content')}, within ${formatCount(days)} d`;
  const isPartial = coldFiles + uncheckedFiles > 0;
  const chunks = cold.reduce((sum, each) => sum + each.chunks, 0);
  const sign = signText(ok ? (isPartial || files === 0 ? 'warn' : 'good') : 'bad', lookOf(colors.stdout, env));
  return [
    dryRun ? head : `${sign} ${head}`,
    fact('proven', proven),
    ...(coldFiles === 0
      ? []
      : [
          fact(
            'left out',
            `${formatQuantity(coldFiles, 'content')} in ${formatQuantity(chunks, 'chunk')} in cold storage`,
          ),
        ]),
    ...(uncheckedFiles === 0
      ? []
      : [fact('left out', `${formatQuantity(uncheckedFiles, 'content')} without a checksum to compare with`)]),
    ...firstLines(failed.map((failure) => fact('FAILED', failureText(failure)))),
    ...unrecordedLines(unrecordedReason),
  ];
}

/** The drill of one version as keys of JSON. */
export const drillDocument = ({ record, result, costUsd, unrecordedReason }: Drilled) => ({
  datasetId: record.datasetId,
  version: record.version,
  ...defined({ fork: record.fork }),
  uploadId: record.uploadId,
  ok: result.ok,
  files: result.files,
  bytes: result.bytes,
  failed: result.failed,
  coldFileCount: result.coldFiles,
  uncheckedFileCount: result.uncheckedFiles,
  unreadCold: result.cold,
  bytesFetched: result.bytesFetched,
  provenDays: result.coverage.days,
  provenBytes: result.coverage.bytes,
  contentBytes: result.coverage.ofBytes,
  costUsd,
  unrecordedReason,
});
