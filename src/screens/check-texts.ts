// What checks of a version say, in words: each with its date and its maker, since it is a claim about that day and not the present.
import type { JudgedChecks, VersionCheck } from '../core/dataset/checks/judge-checks.js';
import { printable } from '../core/platform/paths/raw-path.js';
import { formatCount, formatDuration, formatPercent, formatQuantity } from '../ui/format.js';

const DAY_MS = 86_400_000;

/** How long ago it was, as long as that says something; a clock ahead of ours says `just now`. */
export function agoText(moment: string, now: Date): string {
  const ms = now.getTime() - Date.parse(moment);
  if (ms < 60_000) return 'just now';
  return ms < 2 * DAY_MS ? `${formatDuration(ms)} ago` : `${formatCount(Math.floor(ms / DAY_MS))} d ago`;
}

const byText = ({ user, host }: Pick<VersionCheck, 'user' | 'host'>): string =>
  printable(user === undefined ? host : `${user}@${host}`);

/** What was looked at: `verified deep`, `proven restorable`. */
function deedText({ kind, checked, part, ok }: VersionCheck): string {
  const of = part === undefined ? '' : `, part ${part.number} of ${part.of}`;
  if (kind === 'drill') return ok ? 'proven restorable' : 'restore drill FAILED';
  const how = kind === 'deep' ? 'verified deep' : checked === 'manifest' ? 'manifest verified' : 'verified';
  return ok ? how + of : `${how}${of}: FAILED`;
}

function amountOf({ kind, chunks, chunksRead, chunksCold, coverage }: VersionCheck): string {
  const cold = chunksCold === 0 ? '' : `, ${formatCount(chunksCold)} in cold storage not read`;
  if (kind === 'drill' && coverage !== undefined) {
    const { days, bytes, ofBytes } = coverage;
    return `${shareText(bytes, ofBytes)} of bytes within ${formatCount(days)} d${cold}`;
  }
  return kind === 'deep' ? `${shareText(chunksRead, chunks)} of chunks read${cold}` : '';
}

/** A share that is 0 % only when it is nothing; `formatPercent` says 100 % only of all. */
export const shareText = (some: number, all: number): string =>
  some > 0 && some * 100 < all ? '<1%' : formatPercent(all === 0 ? 1 : some / all);

/** A sentence about one check: `verified deep 3 d ago by anna@nas; 100% of chunks read; ok`. */
export function checkText(check: VersionCheck, now: Date): string {
  const { ok, endedAt, errorCount, problems } = check;
  const [first] = problems;
  const wrong = `${formatQuantity(errorCount, 'error')}${first === undefined ? '' : `: ${printable(first)}`}`;
  const parts = [`${deedText(check)} ${agoText(endedAt, now)} by ${byText(check)}`, amountOf(check), ok ? 'ok' : wrong];
  return parts.filter((part) => part !== '').join('; ');
}

/** The checks of a version that say most: a failure that nothing outranks, then the strongest that found it well. */
export function tellingChecks({ failure, sound }: JudgedChecks): readonly VersionCheck[] {
  return [failure, sound.drill, sound.deep, sound.listing].filter((check) => check !== undefined);
}

/** A cell of a table: the most telling check, in few words; undefined where there is none. */
export function checkCell(judged: JudgedChecks, now: Date): string | undefined {
  const [check] = tellingChecks(judged);
  if (check === undefined) return undefined;
  const { kind, ok, endedAt } = check;
  const amount = ok && kind !== 'listing' ? amountOf(check).replace(/,.*$/, '').replace(' of chunks read', '') : '';
  const word = { drill: 'drill', deep: 'deep', listing: 'listing' }[kind];
  return `${ok ? '' : '✗ FAILED '}${word} ${agoText(endedAt, now)}${amount === '' ? '' : `, ${amount}`}`;
}

/** Rows of a description, one for each telling check. */
export const checkRows = (judged: JudgedChecks, now: Date) =>
  tellingChecks(judged).map((check) => [check.ok ? 'checked' : 'FAILED', checkText(check, now)] as const);
