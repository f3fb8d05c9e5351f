// What a forecast goes by. What is stored goes on costing money until it is deleted, which it is not by itself: that part of the days to
// come is known. Statistics are only of what comes on top: one-time costs, and what will be stored in addition.
import { type Accuracy, accuracyOf, type Trial, triedOf } from './back-test.js';
import { type ModelName, testedModel } from './models.js';
import type { Predictive } from './predictive.js';
import { type Day, type Fitted, ones, sumOfAll } from './series.js';

/** A week: fewer days cannot tell a trend from a weekend. */
const LEAST_DAYS = 7;

/** A day that is over. */
export interface PastDay {
  /** All of its cost; null when it is not known. */
  readonly cost: Day;
  /** One-time costs; null when not known, and on the very first day, whose uploads are where everything begins and no rate. */
  readonly once: Day;
  /** How much more a month of what is stored costs than at the end of the day before; null as for `once`. */
  readonly added: Day;
  /** What a month of what is stored at the end of the day costs. */
  readonly monthly: number;
  /** The day as a part of its month. */
  readonly month: number;
}

/** A day to come. */
export interface ComingDay {
  /** What is stored now costs this on that day. */
  readonly stored: number;
  readonly month: number;
}

export interface History {
  readonly past: readonly PastDay[];
  /** The days after them, one for each that is forecast. */
  readonly coming: readonly ComingDay[];
  /** What the first of them has already paid once, and added to what is stored, which `stored` includes. */
  readonly soFar?: { readonly once: number; readonly added: number };
}

/** There are too few known days for statistics. */
export interface TooFewDays {
  readonly kind: 'too-few-days';
  readonly knownDays: number;
  readonly unknownDays: number;
  readonly neededDays: number;
}

/** Counts the days; undefined when there are enough. */
export function tooFewOf({ past }: History): TooFewDays | undefined {
  const counts = countsOf(past);
  return counts.knownDays < LEAST_DAYS ? { kind: 'too-few-days', ...counts, neededDays: LEAST_DAYS } : undefined;
}

export function countsOf(past: readonly PastDay[]): { readonly knownDays: number; readonly unknownDays: number } {
  const unknownDays = past.filter(({ cost }) => cost === null).length;
  return { knownDays: past.length - unknownDays, unknownDays };
}

/** Returns what is stored now costs in the next `days` days. */
export const storedSum = ({ coming }: History, days: number): number =>
  sumOfAll(coming.slice(0, days).map(({ stored }) => stored));

/** Returns the known cost of the next `days` days, one or more: of what is stored, and what today has paid already. */
export const knownSum = (history: History, days: number): number =>
  storedSum(history, days) + (history.soFar?.once ?? 0);

/** What is expected to come on top of the known cost. */
export interface Extra {
  /** Expected amount of each day to come. */
  readonly path: readonly number[];
  /** Returns the distribution of the sum of the next `days` days. */
  readonly sum: (days: number) => Predictive;
  /** How well the whole forecast would have done, known part included; null when there are too few days to tell. */
  readonly accuracy: Accuracy | null;
  readonly once: Fitted['parameters'];
  readonly added: Fitted['parameters'];
}

/** Fits a model to the one-time costs and to what was added, for a history with enough days. */
export function extraOf({ past, coming, soFar }: History, model: ModelName): Extra {
  const once = testedModel(
    past.map((day) => day.once),
    model,
  );
  const added = testedModel(
    past.map((day) => day.added),
    model,
  );
  const months = coming.map(({ month }) => month);
  const expected = ({ fitted }: { readonly fitted: Fitted }, already = 0): readonly number[] =>
    coming.map((_, index) => Math.max(0, fitted.day(index + 1) - (index === 0 ? Math.max(0, already) : 0)));
  const path = wholePath(expected(once, soFar?.once), expected(added, soFar?.added), months);
  return {
    path,
    sum(days) {
      // What is added on a day costs on that day and on all that follow.
      const weights = Array.from({ length: days }, (_, index) => sumOfAll(months.slice(index, days)));
      const parts = [
        { fitted: once.fitted, scale: Math.sqrt(once.fitted.variance(ones(days))) },
        { fitted: added.fitted, scale: Math.sqrt(added.fitted.variance(weights)) },
      ].filter(({ scale }) => scale > 0);
      return {
        mean: sumOfAll(path.slice(0, days)),
        // An upload costs both, so their doubts are added up, as if one never made good for the other.
        scale: sumOfAll(parts.map(({ scale }) => scale)),
        degrees: Math.min(...parts.map(({ fitted }) => fitted.degrees)),
      };
    },
    accuracy: accuracyOf(
      triedOf(
        past.map(({ cost }) => cost),
        wholeTrials(past, once.trials, added.trials),
      ),
    ),
    once: once.fitted.parameters,
    added: added.fitted.parameters,
  };
}

/** Returns the cost of each day: what is paid once, and what has been added up to it. */
function wholePath(once: readonly number[], added: readonly number[], months: readonly number[]): readonly number[] {
  let monthly = 0;
  return once.map((cost, index) => {
    monthly += added[index] ?? 0;
    return cost + monthly * (months[index] ?? 0);
  });
}

/** Returns what the whole forecast would have been from each beginning; both kinds of trials have the same ones. */
const wholeTrials = (past: readonly PastDay[], once: readonly Trial[], added: readonly Trial[]): readonly Trial[] =>
  once.map(({ origin, path }, at) => {
    const months = past.slice(origin).map(({ month }) => month);
    const extra = wholePath(path, added[at]?.path ?? [], months);
    const monthly = past[origin - 1]?.monthly ?? 0;
    return { origin, path: extra.map((cost, index) => cost + monthly * (months[index] ?? 0)) };
  });
