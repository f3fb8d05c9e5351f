// Compares two configs and describes what the newer one reads, or sends elsewhere, in addition. Patterns that cannot be compared count as
// wider.
import { printable } from '../../platform/paths/raw-path.js';
import { pathBelow } from './check-sources.js';
import type { FleetConfig, FleetSource } from './fleet-config.js';
import { quoted } from './problems.js';

/** Describes how `to` is wider than `from`, one sentence each; empty when it is not. */
export function widenings(from: FleetConfig, to: FleetConfig): string[] {
  const known = new Map(from.sources.map((source) => [source.path, source]));
  return [
    ...changed('writer_id', from.writerId, to.writerId),
    ...changed('the store', from.storeUrl, to.storeUrl),
    ...changed('kms_key_id', from.kmsKeyId, to.kmsKeyId),
    ...(to.pingUrl === undefined || to.pingUrl === from.pingUrl ? [] : ['ping_url is another address']),
    ...(to.allowScopeExpansion && !from.allowScopeExpansion ? ['allow_scope_expansion is turned on'] : []),
    ...to.sources.flatMap((source) => {
      const before = known.get(source.path);
      if (before === undefined) return [newPath(source.path, from.sources)];
      return [...switches(before, source), ...patterns(before, source)].map(
        (what) => `${quoted(source.path)}: ${what}`,
      );
    }),
  ].map(printable);
}

function changed(what: string, before: string | undefined, after: string | undefined): string[] {
  const shown = (value: string | undefined): string => (value === undefined ? 'none' : quoted(value));
  return before === after ? [] : [`${what} changes from ${shown(before)} to ${shown(after)}`];
}

function newPath(path: string, known: readonly FleetSource[]): string {
  const inside = known.find((source) => pathBelow(path, source.path) !== undefined);
  if (inside !== undefined) return `${quoted(path)} is new, and holds ${quoted(inside.path)} and more`;
  const around = known.find((source) => pathBelow(source.path, path) !== undefined);
  return around === undefined
    ? `${quoted(path)} is new`
    : `${quoted(path)} is new: what ${quoted(around.path)} leaves out there is read`;
}

function switches(before: FleetSource, after: FleetSource): string[] {
  return [
    ...(after.recursive && !before.recursive ? ['recursive is turned on'] : []),
    ...(after.mayMove && !before.mayMove ? ['may_move is turned on'] : []),
    ...(after.deleteAfterArchive && !before.deleteAfterArchive ? ['delete_after_archive is turned on'] : []),
    ...(after.minAgeMs < before.minAgeMs
      ? [`min_age is lowered from ${before.minAgeMs / 1000}s to ${after.minAgeMs / 1000}s`]
      : []),
  ];
}

/**
 * Compares patterns. Without patterns everything is read; with includes alone, only what they match; otherwise everything that is not
 * excluded, plus what is included (core/archive/scan/filter.ts).
 */
function patterns(before: FleetSource, after: FleetSource): string[] {
  const isLimited = ({ include, exclude }: FleetSource): boolean => include.length > 0 && exclude.length === 0;
  const isFree = ({ include, exclude }: FleetSource): boolean => include.length === 0 && exclude.length === 0;
  if (isFree(before)) return [];
  if (isLimited(before) && !isLimited(after)) return ['is no longer limited to its include_patterns'];
  const included = listWidenings(before.include, after.include, { name: 'include_patterns', isGrant: true });
  if (isLimited(after)) return included;
  return [...included, ...listWidenings(before.exclude, after.exclude, { name: 'exclude_patterns', isGrant: false })];
}

interface PatternList {
  readonly name: string;
  /** True when files that match a pattern without `!` are read. */
  readonly isGrant: boolean;
}

function listWidenings(before: readonly string[], after: readonly string[], { name, isGrant }: PatternList): string[] {
  const grants = (pattern: string): boolean => pattern.startsWith('!') !== isGrant;
  const added = after.filter((pattern) => grants(pattern) && !before.includes(pattern));
  const removed = before.filter((pattern) => !grants(pattern) && !after.includes(pattern));
  const hasNegation = [...before, ...after].some((pattern) => pattern.startsWith('!'));
  return [
    ...added.map((pattern) => `${name} has ${quoted(pattern)} added`),
    ...removed.map((pattern) => `${name} has ${quoted(pattern)} removed`),
    ...(hasNegation && !isSameOrder(before, after) ? [`${name} with ! come in another order`] : []),
  ];
}

/** True when the patterns that both have are in the same order. */
function isSameOrder(before: readonly string[], after: readonly string[]): boolean {
  const [had, has] = [new Set(before), new Set(after)];
  const kept = before.filter((pattern) => has.has(pattern));
  const order = after.filter((pattern) => had.has(pattern));
  return kept.length === order.length && kept.every((pattern, index) => pattern === order[index]);
}
