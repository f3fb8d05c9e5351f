// What an agent remembers of a source to find that it is not what it was, and the rules for that. What an answer of the operator is needed
// for stays until there is one: `archiver fleetagent adopt`, or a config of a higher version. Pure.
import type { UploadResult } from '../../archive/upload-result.js';
import * as s from '../../platform/documents/schema.js';
import { counted } from '../../platform/text/counted.js';
import type { Finding, FindingKind } from '../heartbeat.js';
import type { AgentSource } from './agent-plan.js';
import { PLACE } from './source-place.js';

export const WATCHED = s.schema(() =>
  s.object({
    path: s.text,
    datasetId: s.orNull(s.text),
    /** Address of the store that it was sent to. */
    store: s.orNull(s.text),
    place: s.orNull(PLACE()),
    /** Files in the folder, and their bytes, when they were as they should be. */
    files: s.count,
    bytes: s.count,
    /** Files of earlier versions that are not in the folder. */
    gone: s.count,
    /** Stored bytes by bytes of the first version that was sent; null when not known. */
    ratio: s.orNull(s.amount),
    configVersion: s.orNull(s.count),
    /** When everything was last sent because the newest record was rewritten. */
    rewrittenAt: s.orNull(s.moment),
    /** True when the operator has answered what was found, until the next time that it is archived. */
    isAnswered: s.flag,
    /** What stays until it is answered. */
    open: s.listOf(s.object({ kind: s.text, detail: s.text })),
  }),
);

export type Watched = s.Read<typeof WATCHED>;

/** Less of a source than this share is a finding. */
const LEAST_LEFT = 0.5;
/** In sources of fewer files that is normal, unless there are none. */
const FEW_FILES = 10;
/** What is stored of content that does not compress, by its size. */
const DENSE = 0.95;
/** The same of content that does. */
const LOOSE = 0.9;

/** What is expected of a source that is archived. */
export interface Expected {
  /** Undefined for a source that was never archived here. */
  readonly before: Watched | undefined;
  readonly source: AgentSource;
  /** Address of the store that it is sent to. */
  readonly store: string;
  /** True when everything may be sent: it was asked for, or is the only way. */
  readonly isResendExpected: boolean;
  /** True when the config is newer than the last time. */
  readonly isNewConfig: boolean;
  readonly now: Date;
}

export const finding = (kind: FindingKind, { path }: Pick<AgentSource, 'path'>, detail: string): Finding => ({
  kind,
  source: path,
  detail: `${path}: ${detail}`,
});

/** True when the newest version has just what the folder holds, without any change: somebody has recorded it like that. */
const isRecorded = (changes: UploadResult['changes']): boolean => changes?.noChanges === true && changes.gone === 0;

/** Says why a source counts as empty; undefined when it does not. */
export function emptyText(
  { before, source }: Expected,
  { measured, files, changes }: UploadResult,
): string | undefined {
  if (measured.files > 0 || source.mayShrink || before?.isAnswered === true || isRecorded(changes)) return undefined;
  const were = before?.files ?? files;
  return were === 0 ? undefined : `it is empty, and held ${counted(were, 'file')}`;
}

/** Says how most of a source is gone; undefined when it is not. */
export function shrunkText({ before, source }: Expected, { measured, changes }: UploadResult): string | undefined {
  if (before === undefined || before.isAnswered || source.mayShrink || before.files < FEW_FILES) return undefined;
  if (isRecorded(changes)) return undefined;
  const { files, bytes = before.bytes } = measured;
  const isLess = (now: number, was: number): boolean => now < was * LEAST_LEFT;
  if (!isLess(files, before.files) && !isLess(bytes, before.bytes)) return undefined;
  const held = `${counted(before.files, 'file')} of ${before.bytes} bytes`;
  return `it holds ${counted(files, 'file')} of ${bytes} bytes, and held ${held}`;
}

/** Returns what the result is odd about, and what has to be answered. */
export function oddities(expected: Expected, result: UploadResult): readonly Finding[] {
  if (expected.before?.isAnswered === true) return [];
  const texts = [
    ['endpoint-changed', elsewhereText(expected)],
    ['dataset-changed', otherDatasetText(expected, result)],
    ['sent-again', resentText(expected, result)],
    ['mass-change', massChangeText(expected, result)],
  ] as const;
  const at = expected.now.toISOString();
  return texts.flatMap(([kind, text]) =>
    text === undefined ? [] : [finding(kind, expected.source, `${text} at ${at}`)],
  );
}

function elsewhereText({ before, store, isNewConfig }: Expected): string | undefined {
  const was = before?.store ?? store;
  return was === store || isNewConfig ? undefined : `it was sent to ${store}, and before to ${was},`;
}

function otherDatasetText({ before, source, isNewConfig }: Expected, { datasetId }: UploadResult): string | undefined {
  const was = before?.datasetId ?? datasetId;
  const isMeant = isNewConfig || source.mayMove;
  return was === datasetId || isMeant ? undefined : `dataset ${was} stopped, and ${datasetId} began`;
}

function resentText(
  { isNewConfig, isResendExpected }: Expected,
  { changes, version, measured }: UploadResult,
): string | undefined {
  const isWhole = changes?.comparedWith === 'none' && !changes.noChanges && (version ?? 1) > 1;
  if (!isWhole || isNewConfig || isResendExpected || measured.isRewritten) return undefined;
  return 'all of it was sent, and only changes were expected,';
}

const ratioOf = (bytes: number, storedBytes: number): number => (bytes === 0 ? 0 : storedBytes / bytes);

/** Says how most of a source was changed by something that encrypts files; undefined when it does not look like that. */
function massChangeText(
  { before, source }: Expected,
  { changes, measured, storedBytes }: UploadResult,
): string | undefined {
  if (before === undefined || changes === undefined || changes.comparedWith === 'none') return undefined;
  if (before.files < FEW_FILES || changes.noChanges) return undefined;
  const { added, modified, deleted, gone } = changes;
  const replaced = Math.min(added, deleted + Math.max(0, gone - before.gone));
  const share = (modified + replaced) / before.files;
  // A source may be allowed to change altogether.
  if (source.maxChangedPercent === 100 || share * 100 < source.maxChangedPercent) return undefined;
  const much = `${Math.min(100, Math.floor(share * 100))} % of its files were changed`;
  if (measured.suffixed * 2 > modified + replaced) return `${much} and have new suffixes`;
  // Files of which only times or modes changed are not packed, and tell nothing.
  const { packed } = measured;
  if (packed.files * 2 <= modified + replaced || ratioOf(packed.bytes, storedBytes) < DENSE) return undefined;
  if (before.ratio !== null && before.ratio < LOOSE) return `${much} and no longer compress`;
  // Of content that never compressed that tells nothing: files that were rewritten where they are count.
  const isInPlace = (modified / before.files) * 100 >= source.maxChangedPercent;
  return isInPlace ? `${much} and do not compress` : undefined;
}

/** Says that everything was sent because the newest record was rewritten, which is told once; undefined when it was not. */
export const rewrittenText = ({ isResendExpected }: Expected, { measured }: UploadResult): string | undefined =>
  measured.isRewritten && !isResendExpected
    ? 'all of it was sent, because the newest record was rewritten, as by a prune or a repair'
    : undefined;

/** So long another full version is not taken for the work of a prune. */
const REWRITTEN_MS = 7 * 86_400_000;

/** Kinds after which nothing is sent in full until somebody answers. */
const HOLDING: readonly string[] = ['sent-again', 'dataset-changed', 'endpoint-changed'] satisfies FindingKind[];

/** Says why everything may not be sent once more; undefined when it may. */
export function holdOf(before: Watched | undefined, now: Date): string | undefined {
  if (before === undefined || before.isAnswered) return undefined;
  const open = before.open.find(({ kind }) => HOLDING.includes(kind));
  if (open !== undefined) return open.detail;
  const { rewrittenAt } = before;
  const isLate = rewrittenAt === null || Math.abs(now.getTime() - Date.parse(rewrittenAt)) > REWRITTEN_MS;
  return isLate
    ? undefined
    : `${before.path}: all of it was sent at ${rewrittenAt}, because its newest record was rewritten`;
}

/** Returns what is remembered after a source was archived. */
export function watchedAfter(
  { before, source, store, now }: Expected,
  result: UploadResult,
  known: Pick<Watched, 'place' | 'configVersion'> & { readonly isAsItWas: boolean; readonly found: readonly Finding[] },
): Watched {
  const { measured, datasetId, changes } = result;
  const { place, configVersion, isAsItWas, found } = known;
  const open = before === undefined || before.isAnswered ? [] : before.open;
  // Each kind once, with when it was found first.
  const more = found.filter(({ kind }) => !open.some((one) => one.kind === kind));
  const { files, bytes = before?.bytes ?? 0 } = isAsItWas || before === undefined ? measured : before;
  return {
    path: source.path,
    datasetId,
    store,
    place,
    files,
    bytes,
    gone: changes?.gone ?? 0,
    ratio: ratioAfter(before, result),
    configVersion,
    rewrittenAt: measured.isRewritten ? now.toISOString() : (before?.rewrittenAt ?? null),
    isAnswered: false,
    open: [...open, ...more.map(({ kind, detail }) => ({ kind, detail }))],
  };
}

/** Returns how much the content of a source compresses, by the last time that all of it was sent. */
function ratioAfter(before: Watched | undefined, { measured, changes, storedBytes }: UploadResult): number | null {
  const { bytes } = measured.packed;
  const isWhole = changes === undefined || changes.comparedWith === 'none';
  return isWhole && bytes > 0 ? ratioOf(bytes, storedBytes) : (before?.ratio ?? null);
}
