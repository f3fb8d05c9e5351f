import { describe, expect, test } from 'vitest';
import { budgetAlerts } from '../../../../src/core/money/budget/budget-alerts.js';
import {
  type Budget,
  type BudgetBook,
  EMPTY_BOOK,
  usedIn,
  withBudget,
  withUse,
} from '../../../../src/core/money/budget/budget.js';
import { encodeBook, parseBook } from '../../../../src/core/money/budget/book-document.js';
import { reserving } from '../../../../src/core/money/budget/reserve.js';
import { encodeStateDocument } from '../../../../src/core/platform/state/document.js';
import { statusOf } from '../../../../src/core/money/budget/status.js';
import { emptyBudget, runUse } from '../../../support/budget.js';
import { refuseOver, budgetChecks } from '../../../../src/core/money/budget/verdict.js';

const SINCE = '2026-03-01T00:00:00.000Z';
const day = (text: string): Date => new Date(`2026-${text}T12:00:00Z`);
const NOW = day('03-11');
const GB = 1e9;

const budget = (more: Partial<Budget> = {}): Budget => emptyBudget(new Date(SINCE), more);
const bookOf = (own: Partial<Budget> | null, global: Partial<Budget> | null = null): BudgetBook =>
  withBudget(
    global === null ? EMPTY_BOOK : withBudget(EMPTY_BOOK, null, budget(global)),
    'genomes',
    own === null ? null : budget(own),
  );
const use = (book: BudgetBook, costUsd: number | null, bytes = 0, at = NOW, project: string | null = 'genomes') =>
  withUse(book, project, runUse(at, { costUsd, bytes }));
const verdict = (book: BudgetBook, costUsd: number | null, bytes = 0, project: string | null = 'genomes') =>
  budgetChecks(book, project, { costUsd, bytes }, NOW)
    .filter(({ isExceeded }) => isExceeded)
    .map(({ project: whose, kind }) => `${whose} ${kind}`);

describe('what a plan may use', () => {
  const limited = use(bookOf({ costMicros: 10e6, volumeBytes: 100 * GB }), 4, 40 * GB);

  test('is what is left, to the micro-dollar and to the byte', () => {
    expect(verdict(limited, 6, 60 * GB)).toEqual([]);
    expect(verdict(limited, 6.000001, 60 * GB)).toEqual(['genomes cost']);
    expect(verdict(limited, 6, 60 * GB + 1)).toEqual(['genomes volume']);
  });

  test('is nothing where its cost is not known, and anything where no cost is limited', () => {
    expect(verdict(limited, null, 1)).toEqual(['genomes cost']);
    expect(verdict(bookOf({ volumeBytes: 100 * GB }), null, 1)).toEqual([]);
    expect(verdict(EMPTY_BOOK, null, 1e15)).toEqual([]);
  });

  test('is limited by the budget of the project, then by that of all', () => {
    const both = use(bookOf({ costMicros: 10e6 }, { costMicros: 20e6 }), 9, 0, NOW, 'other');

    expect(verdict(both, 10.5)).toEqual(['genomes cost']);
    expect(verdict(both, 11.5)).toEqual(['genomes cost', 'null cost']);
    expect(verdict(both, 11.5, 0, 'other')).toEqual(['null cost']);
    expect(verdict(both, 11.5, 0, null)).toEqual(['null cost']);
  });

  test('is nothing more when all is used up, and still nothing is nothing', () => {
    const over = use(limited, 20, 200 * GB);

    expect(verdict(over, 0.01, 1)).toEqual(['genomes cost', 'genomes volume']);
    expect(verdict(over, 0, 0)).toEqual([]);
  });

  test('is told with what, how much over, which budget, and how to go on', () => {
    const refusals = budgetChecks(use(bookOf({ costMicros: 10e6 }), 4), 'genomes', { costUsd: 7.5, bytes: 1 }, NOW);

    expect(() => refuseOver(refusals, 'nothing is sent')).toThrow(
      expect.objectContaining({
        code: 'budget-exceeded',
        exitCode: 4,
        message:
          'this would exceed the cost budget of project genomes by $1.50: it uses up to $7.50, and $6.00 of $10.00 is left; nothing is sent',
        hint: expect.stringContaining('--ignore-budget'),
      }),
    );
  });
});

describe('what is used', () => {
  test('is counted for the project and for all, and for all alone where a project has no budget', () => {
    const book = use(use(bookOf({}, {}), 1, GB), 2, GB, NOW, 'other');

    expect(usedIn(book.projects.get('genomes')!, NOW)).toEqual({ micros: 1e6, bytes: GB, unpriced: 0 });
    expect(usedIn(book.global!, NOW)).toEqual({ micros: 3e6, bytes: 2 * GB, unpriced: 0 });
  });

  test('begins at zero with each month, or never', () => {
    const april = (period: 'month' | 'total') => {
      const book = use(use(bookOf({ period }), 1, GB, day('03-31')), 2, GB, day('04-01'));
      return usedIn(book.projects.get('genomes')!, day('04-02')).micros;
    };

    expect([april('month'), april('total')]).toEqual([2e6, 3e6]);
  });

  test('goes down by what is deleted, never below nothing, and an unknown cost is counted as such', () => {
    const book = use(use(use(bookOf({}), 1, GB), null, -3 * GB), null);

    expect(usedIn(book.projects.get('genomes')!, NOW)).toEqual({ micros: 1e6, bytes: 0, unpriced: 2 });
  });

  test('of years is not a document that grows, and nothing of it is lost', () => {
    let book = bookOf({});
    for (let at = 0; at < 1000; at++) book = use(book, 1, 1, new Date(Date.parse(SINCE) + at * 86_400_000));
    const own = book.projects.get('genomes')!;

    expect([own.days.size <= 100, usedIn(own, NOW)]).toEqual([true, { micros: 1000e6, bytes: 1000, unpriced: 0 }]);
  });
});

describe('the status', () => {
  test('of a month: rate, projection, what is left and for how long', () => {
    const book = use(bookOf({ period: 'month', costMicros: 100e6, volumeBytes: 100 * GB }), 42, 21 * GB);

    const {
      costUsage: cost,
      volumeUsage: volume,
      periodStart,
      periodEnd,
    } = statusOf('genomes', book.projects.get('genomes')!, NOW);

    expect([periodStart, periodEnd]).toEqual([SINCE, '2026-04-01T00:00:00.000Z']);
    expect(cost).toEqual({
      limit: 100,
      used: 42,
      remaining: 58,
      usedPercent: 42,
      alertPercent: 80,
      perDay: 4,
      projected: 124,
      exhaustedAt: '2026-03-26T00:00:00.000Z',
      alertState: 'projected',
    });
    expect(volume).toMatchObject({ perDay: 2 * GB, projected: 62 * GB, exhaustedAt: null, alertState: 'ok' });
  });

  test.each([
    [0, 0, 'unlimited', null],
    [79.99, 100, 'ok', 80],
    [80, 100, 'warning', 80],
    [100, 100, 'critical', 100],
    [105, 100, 'critical', 105],
  ])('$%d of $%d is %s', (used, limit, alertState, usedPercent) => {
    const before = withBudget(
      EMPTY_BOOK,
      'genomes',
      budget({ costMicros: limit * 1e6, since: '2025-03-01T00:00:00.000Z' }),
    );
    const book = use(before, used, 0, day('01-02'));

    expect(statusOf(null, book.projects.get('genomes')!, NOW).costUsage).toMatchObject({ alertState, usedPercent });
  });
});

describe('a projection', () => {
  const stored = (at: Date, monthlyUsd: number): BudgetBook =>
    withUse(bookOf({ costMicros: 100e6 }), 'genomes', {
      ...runUse(at, { costUsd: 0, bytes: GB }),
      monthlyMicros: monthlyUsd * 1e6,
    });
  const costOf = (book: BudgetBook, now: Date) => statusOf('genomes', book.projects.get('genomes')!, now).costUsage;

  test('of a total is for the next 30 days: what is stored goes on costing, and nothing is made up beside it', () => {
    const now = day('06-01');
    const { used, projected, exhaustedAt } = costOf(stored(day('03-01'), 30), now);

    // 31 days of March, April, May, and one of June; then all of June and a day of July.
    expect([used, projected]).toEqual([91, 91 + 29 + 0.967742]);
    expect(exhaustedAt).toBe('2026-06-10T15:09:00.000Z');
    expect(statusOf('genomes', bookOf({}).projects.get('genomes')!, now).projectedFor).toBe('2026-07-02T00:00:00.000Z');
  });

  test('is not made in the first day of a period, and there is one a budget at most', () => {
    const book = use(bookOf({ costMicros: 100e6, volumeBytes: 100 * GB }), 13, 13 * GB, new Date(SINCE));
    const dueAt = (now: string) => budgetAlerts(book, 'genomes', new Date(now)).map(({ type }) => type);

    expect([dueAt('2026-03-01T00:00:02Z'), dueAt('2026-03-01T23:59:00Z'), dueAt('2026-03-02T00:00:00Z')]).toEqual([
      [],
      [],
      ['budget_projection'],
    ]);
  });
});

test('alerts are due for each budget by how it stands', () => {
  const book = use(bookOf({ costMicros: 100e6, volumeBytes: 10 * GB }, { costMicros: 90e6 }), 85, 11 * GB);

  const alerts = budgetAlerts(book, 'genomes', NOW);

  expect(alerts.map(({ type, severity, project, isGlobal }) => [type, severity, project, isGlobal])).toEqual([
    ['cost_threshold', 'warning', 'genomes', false],
    ['volume_over_quota', 'critical', 'genomes', false],
    ['cost_threshold', 'warning', null, true],
  ]);
  expect(alerts[0]?.description).toBe(
    'project genomes has used 85% of the cost budget: $85.00 of $100.00, and at this rate $331.90 by 2026-04-11',
  );
  expect(budgetAlerts(bookOf({ costMicros: 100e6 }), 'genomes', NOW)).toEqual([]);
});

describe('what runs have reserved', () => {
  const held = (bytes: number, until: string, project: string | null = 'genomes') => ({
    ...use(bookOf({ volumeBytes: 100 * GB }, { volumeBytes: 150 * GB }), 0, 40 * GB),
    reservations: [{ id: 'a'.repeat(16), project, micros: 0, bytes, until }],
  });
  const later = '2026-03-11T12:00:01Z';

  test('is not left for others until it expires', () => {
    expect(verdict(held(50 * GB, later), 0, 10 * GB)).toEqual([]);
    expect(verdict(held(50 * GB, later), 0, 10 * GB + 1)).toEqual(['genomes volume']);
    expect(verdict(held(50 * GB, NOW.toISOString()), 0, 60 * GB)).toEqual([]);
    expect(verdict(held(100 * GB, later, 'other'), 0, 60 * GB)).toEqual(['null volume']);
  });

  test('is said in the status and in a refusal', () => {
    const { reservations, projects } = held(50 * GB, later);

    expect(statusOf('genomes', projects.get('genomes')!, NOW, reservations)).toMatchObject({
      reservedRuns: 1,
      reservedBytes: 50 * GB,
      reservedUsd: 0,
    });
    const checks = budgetChecks(held(50 * GB, later), 'genomes', { costUsd: 0, bytes: 20 * GB }, NOW);
    expect(() => refuseOver(checks, 'nothing is sent')).toThrow(
      'by 10.0 GB: it uses up to 20.0 GB, and 10.0 GB of 100.0 GB is left (50.0 GB is reserved for runs that go on)',
    );
  });

  test('takes the place of what the run had reserved before, and expired ones go', () => {
    const before = { ...held(50 * GB, '2026-03-11T11:00:00Z') };
    const run = { id: 'b'.repeat(16), project: 'genomes', before: { micros: 1, bytes: GB } };
    const options = { now: NOW, ending: 'nothing is sent' } as const;

    const once = reserving(before, { ...run, planned: { costUsd: 2, bytes: 30 * GB } }, options);
    const twice = reserving(once, { ...run, planned: { costUsd: 3, bytes: 59 * GB } }, options);

    expect(twice.reservations).toEqual([
      { id: run.id, project: 'genomes', micros: 3e6 + 1, bytes: 60 * GB, until: '2026-03-11T12:15:00.000Z' },
    ]);
    expect(() => reserving(once, { ...run, planned: { costUsd: 3, bytes: 60 * GB } }, options)).toThrow('would exceed');
  });
});

describe('the document', () => {
  test('of an older archiver is read, and what it counted is where counting begins', () => {
    const body = {
      changes: [],
      global: null,
      projects: {
        p: {
          costMicros: 10,
          volumeBytes: 20,
          costAlert: 0.8,
          volumeAlert: 0.75,
          period: 'total',
          since: SINCE,
          days: { '2026-03-02': { micros: 7, bytes: 5, unpriced: 0 } },
        },
      },
    };
    const text = encodeStateDocument({ type: 'archiver-budgets', format: 1 }, body);

    const { book } = parseBook(text, 'here');

    const p = book.projects.get('p')!;
    expect([usedIn(p, NOW), p.baseUntil, book.reservations]).toEqual([
      { micros: 7, bytes: 5, unpriced: 0 },
      '2026-03-02',
      [],
    ]);
    expect(parseBook(encodeBook({ book, changes: [] }), 'here').book).toEqual(book);
  });

  test('is read as it was written, whatever projects are called', () => {
    const odd = ['__proto__', 'a b', 'ü\u2028', 'constructor'];
    const book = odd.reduce(
      (all, name) => withBudget(all, name, budget({ costMicros: 5 })),
      use(bookOf({}, {}), 1.5, -7),
    );

    expect(parseBook(encodeBook({ book, changes: ['x'] }), 'here')).toEqual({ book, changes: ['x'] });
  });

  test.each([
    ['costMicros', -1],
    ['costMicros', 1.5],
    ['volumeBytes', 1e300],
    ['costAlert', 2],
    ['period', 'week'],
    ['since', 'soon'],
  ])('with %s %j is refused', (key, value) => {
    const book = bookOf({ [key]: value });

    expect(() => parseBook(encodeBook({ book, changes: [] }), 'here')).toThrow(`'${key}'`);
  });
});
