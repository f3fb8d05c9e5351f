import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { type Alert, newAlert, sampleAlert } from '../../../../src/core/notify/alerts/alert.js';
import { linesOf } from '../../../../src/core/notify/alerts/message.js';
import { type Raised, raiseAlerts } from '../../../../src/core/notify/alerts/raise-alerts.js';
import { changeAlertSettings, NO_ALERTS } from '../../../../src/core/notify/alerts/settings.js';
import { type HookAnswer, type HookServer, startHook } from '../../../support/hook-server.js';
import { FAST_RETRY } from '../../../support/open-s3.js';
import { tempFolder } from '../../../support/temp-folder.js';

const START = Date.parse('2026-03-04T05:06:07Z');
const HOUR = 3_600_000;
let home = '';
let nowMs = START;

beforeEach(async () => {
  home = await tempFolder();
  nowMs = START;
});

async function hookFor(answers?: readonly HookAnswer[]): Promise<HookServer> {
  const hook = await startHook(answers);
  const webhook = { webhookUrl: hook.url, webhookSecret: null, isEnabled: true };
  await changeAlertSettings(home, (before = NO_ALERTS) => ({ ...before, webhook }));
  return hook;
}

const raise = (...alerts: readonly Alert[]): Promise<Raised> =>
  raiseAlerts(alerts, {
    home,
    env: {},
    now: () => new Date(nowMs),
    signal: new AbortController().signal,
    retry: FAST_RETRY,
  });

const warning = (more: Partial<Alert> = {}): Alert => ({ ...sampleAlert('warning', new Date(nowMs)), ...more });
const delivered = ({ requests }: HookServer): readonly string[] =>
  requests.flatMap(({ body }) =>
    (JSON.parse(body) as { alerts: Alert[] }).alerts.map(({ severity, project }) => `${severity} ${project}`),
  );

test('the same alert is sent once within the cooldown, also by another process, and again after it', async () => {
  const hook = await hookFor();

  await raise(warning());
  nowMs += 23 * HOUR;
  const muted = await raise(warning());
  nowMs += HOUR;
  await raise(warning());

  expect(muted).toEqual({ due: [], outcomes: [], problems: [] });
  expect(delivered(hook)).toEqual(['warning sample-project', 'warning sample-project']);
});

test('a warning mutes neither what becomes critical, nor another kind, nor another project', async () => {
  const hook = await hookFor();

  await raise(warning());
  await raise(warning({ severity: 'critical' }), warning({ type: 'volume_threshold' }), warning({ project: 'other' }));

  expect(delivered(hook)).toEqual([
    'warning sample-project',
    'critical sample-project',
    'warning sample-project',
    'warning other',
  ]);
});

test('what arrived nowhere is sent again at once, and what went wrong is told', async () => {
  const hook = await hookFor([{ status: 400, body: 'no' }, { status: 200 }]);

  const failed = await raise(warning());
  const again = await raise(warning());

  expect(failed.problems).toEqual([expect.stringMatching(/alert by webhook failed: .* answered 400: no/)]);
  expect([again.problems, hook.requests.length]).toEqual([[], 2]);
});

test('a thousand writers that are stale at once are one request, and none of them is told twice', async () => {
  const hook = await hookFor();
  const storm = Array.from({ length: 1000 }, (_, at) =>
    newAlert(
      { type: 'stale_writer', severity: 'warning', description: 'late', recommendation: 'look', writerId: `w${at}` },
      new Date(nowMs),
    ),
  );

  await raise(...storm);
  await raise(...storm);

  expect([hook.requests.length, delivered(hook).length]).toEqual([1, 1000]);
});

test('ten at once send it once', async () => {
  const hook = await hookFor();

  await Promise.all(Array.from({ length: 10 }, () => raise(warning())));

  expect(hook.requests).toHaveLength(1);
});

test('a clock that is set back mutes for no longer than the cooldown', async () => {
  const hook = await hookFor();

  await raise(warning());
  nowMs -= 48 * HOUR;
  await raise(warning());

  expect(hook.requests).toHaveLength(2);
});

test('a list of sent alerts that is damaged keeps no alert back', async () => {
  const hook = await hookFor();
  await raise(warning());
  const path = join(home, 'alerts-sent.json');
  writeFileSync(path, readFileSync(path, 'utf8').slice(0, 20));

  const raised = await raise(warning());

  expect([raised.problems, hook.requests.length]).toEqual([[], 2]);
});

test('without a channel nothing happens, and a configuration that is damaged is told', async () => {
  const none = await raise(warning());
  writeFileSync(join(home, 'alerts.json'), '{');
  const damaged = await raise(warning());

  expect([none.outcomes, none.problems]).toEqual([[], []]);
  expect(damaged.problems).toEqual([
    expect.stringMatching(/^no alert was sent: the alert configuration .* is damaged/),
  ]);
});

test('a budget of less than a cent is not told as nothing', () => {
  const [, , cost] = linesOf([warning({ costUsage: { ...warning().costUsage!, limit: 0.001, used: 0.0055 } })]);

  expect(cost).toBe('cost: $0.0055 of $0.001 (85%)');
});
