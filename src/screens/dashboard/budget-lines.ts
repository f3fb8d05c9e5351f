// Budgets as lines: one for each limit, sorted by the share that is used, highest first.
import type { Usage } from '../../core/notify/alerts/alert.js';
import { amountText } from '../../core/notify/alerts/amounts.js';
import type { BudgetStatus } from '../../core/money/budget/status.js';
import { formatQuantity } from '../../ui/format.js';
import type { Column } from '../../ui/columns.js';
import type { Glyphs, Tone } from '../../ui/theme.js';
import { fitted, widest } from './cells.js';

export interface BudgetLine {
  readonly status: BudgetStatus;
  readonly kind: 'cost' | 'volume';
  readonly usage: Usage;
}

/** The project, or `all projects`. */
export const nameOf = ({ project }: BudgetStatus): string => project ?? 'all projects';

const shareOf = ({ costUsage, volumeUsage }: BudgetStatus): number =>
  Math.max(costUsage.usedPercent ?? -1, volumeUsage.usedPercent ?? -1);

/** Sorts by the share that is used, highest first. */
export const byShare = (one: BudgetStatus, other: BudgetStatus): number => shareOf(other) - shareOf(one);

/** The limits of a budget; its cost when it has none. */
export function linesOf(status: BudgetStatus): readonly BudgetLine[] {
  const cost = { status, kind: 'cost', usage: status.costUsage } as const;
  const volume = { status, kind: 'volume', usage: status.volumeUsage } as const;
  const limited = [cost, volume].filter(({ usage }) => usage.limit > 0);
  return limited.length === 0 ? [cost] : limited;
}

/** `$410.11 of $500.00`. */
export const usageText = (kind: BudgetLine['kind'], { used, limit }: Usage): string =>
  `${amountText(kind, used)}${limit > 0 ? ` of ${amountText(kind, limit)}` : ', no limit'}`;

/** What runs that go on have reserved. */
export const reservedText = ({ reservedUsd, reservedBytes, reservedRuns }: BudgetStatus): string =>
  `${amountText('cost', reservedUsd)} and ${amountText('volume', reservedBytes)}, by ${formatQuantity(reservedRuns, 'run')} under way`;

/** The amount that is left, or the amount over the limit. */
export function leftText({ kind, usage: { remaining } }: BudgetLine): string {
  if (remaining === null) return '';
  return remaining < 0 ? `${amountText(kind, -remaining)} over` : `${amountText(kind, remaining)} left`;
}

/** The warning of a limit, as words and a tone; undefined when there is none. */
export function warningOf({
  usage: { alertState, alertPercent },
}: BudgetLine): { text: string; tone: Tone } | undefined {
  if (alertState === 'critical') return { text: 'used up', tone: 'bad' };
  if (alertState === 'warning') return { text: `past ${alertPercent}%`, tone: 'warn' };
  return alertState === 'projected' ? { text: 'too fast', tone: 'warn' } : undefined;
}

/** The warning with its glyph. */
export function warningText(line: BudgetLine, glyphs: Glyphs): string {
  const warning = warningOf(line);
  return warning === undefined ? '' : `${warning.tone === 'bad' ? glyphs.bad : glyphs.warn} ${warning.text}`;
}

/** The used amount and the limit, right-aligned below each other. */
export function amountColumns(lines: readonly BudgetLine[]): readonly Column[] {
  const limitText = ({ kind, usage }: BudgetLine): string => (usage.limit > 0 ? amountText(kind, usage.limit) : '');
  const width = widest(lines, limitText);
  return [
    fitted(lines, 0, ({ kind, usage }) => amountText(kind, usage.used)),
    fitted(lines, 1, (line) => (line.usage.limit > 0 ? `of ${limitText(line).padStart(width)}` : 'no limit')),
  ];
}

/** The limits of a budget that are past their alert, or will be, in a sentence each. */
export const limitWarnings = (
  status: BudgetStatus,
): readonly { readonly text: string; readonly tone: 'warn' | 'bad' }[] =>
  linesOf(status).flatMap((line) => {
    const { kind, usage } = line;
    const warning = warningOf(line);
    if (warning === undefined) return [];
    const spent = `${nameOf(status)} is at ${Math.floor(usage.usedPercent ?? 0)}% of its ${kind} budget`;
    const why = usage.alertState === 'projected' ? 'grows too fast' : `alert at ${usage.alertPercent}%`;
    return [{ text: `${spent} (${why})`, tone: warning.tone === 'bad' ? 'bad' : 'warn' }];
  });

/** The worst of all budgets, in a sentence; undefined when none is past its alert. */
export function worstText(
  budgets: readonly BudgetStatus[],
): { readonly text: string; readonly tone: 'warn' | 'bad' } | undefined {
  const due = budgets
    .flatMap(linesOf)
    .filter(({ usage }) => usage.alertState === 'warning' || usage.alertState === 'critical');
  const [worst] = due.toSorted((one, other) => (other.usage.usedPercent ?? 0) - (one.usage.usedPercent ?? 0));
  if (worst === undefined) return undefined;
  const { status, kind, usage } = worst;
  const more = due.length === 1 ? '' : `, and ${due.length - 1} more`;
  const text = `${nameOf(status)} is at ${Math.floor(usage.usedPercent ?? 0)}% of its ${kind} budget (alert at ${usage.alertPercent}%)${more}`;
  return { text, tone: usage.alertState === 'critical' ? 'bad' : 'warn' };
}
