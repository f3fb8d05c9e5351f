// Remembers on disk which alerts were delivered when, so that commands that run once an hour do not send the same alert each time. One kind
// of alert (type and severity) about one thing (a project, a writer) is sent once within the cooldown: a warning never mutes a critical
// alert. A sender claims an alert first, for as long as sending may take; only delivered alerts count for longer.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as s from '../../platform/documents/schema.js';
import { isArchiverError, systemCode } from '../../platform/failures/errors.js';
import { fileFailure } from '../../platform/failures/file-failure.js';
import { changeFile } from '../../platform/state/change-file.js';
import { encodeStateDocument, readStateDocument } from '../../platform/state/document.js';
import type { Alert } from './alert.js';

/** Longer than all channels may take. */
const CLAIM_MS = 120_000;
/** Older entries are forgotten even if the cooldown is longer. */
const KEPT_MS = 400 * 86_400_000;

const SENT = s.schema(() =>
  s.object({
    /** A `CooldownSubject` as JSON. */
    key: s.text,
    time: s.moment,
    /** True while it is being sent and has not been delivered yet. */
    isClaim: s.flag,
  }),
);
export type SentAlert = s.Read<typeof SENT>;

const BODY = s.schema(() => s.object({ sent: s.listOf(SENT()) }));
const KIND = { type: 'archiver-alerts-sent', format: 1, noun: 'list of sent alerts', body: BODY };

/** The fields that make two alerts the same for the cooldown. */
export type CooldownSubject = Pick<Alert, 'severity' | 'type' | 'project' | 'writerId' | 'isGlobal'> &
  Partial<Pick<Alert, 'location'>>;

/**
 * Returns the key. It contains the fleet, because two fleets may have writers of the same id, and omits it for other alerts. Projections of
 * cost and of volume are one kind.
 */
const cooldownKey = ({ severity, type: given, project, writerId, isGlobal, location }: CooldownSubject): string => {
  const type = given === 'volume_projection' ? 'budget_projection' : given;
  return JSON.stringify({ severity, type, project, writerId, isGlobal, location: location ?? undefined });
};

/** Parses a key. */
export const parseCooldownKey = (key: string): CooldownSubject => JSON.parse(key) as CooldownSubject;

const pathIn = (home: string): string => join(home, 'alerts-sent.json');

/**
 * Returns the sent alerts. A damaged list counts as empty: an extra alert is better than a missing one. @throws unsupported, access-denied,
 * io
 */
export async function readSent(home: string): Promise<readonly SentAlert[]> {
  const path = pathIn(home);
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return [];
    throw fileFailure('read', path, error);
  }
  try {
    return readStateDocument(text, KIND, { path, hint: 'remove it' }).sent;
  } catch (error) {
    if (isArchiverError(error, 'integrity')) return [];
    throw error;
  }
}

export interface Cooldown {
  readonly home: string;
  readonly cooldownMs: number;
  readonly now: () => Date;
}

/**
 * Returns the alerts that are due and claims them: call `settleAlerts` after trying to send them. @throws conflict, unsupported,
 * access-denied, no-space, io
 */
export async function claimAlerts(
  alerts: readonly Alert[],
  { home, cooldownMs, now }: Cooldown,
): Promise<readonly Alert[]> {
  let due: readonly Alert[] = [];
  await changeSent(home, now, (sent) => {
    const muted = new Set(sent.filter((one) => isMuted(one, now(), cooldownMs)).map(({ key }) => key));
    const byKey = new Map(alerts.map((alert) => [cooldownKey(alert), alert]));
    due = [...byKey].flatMap(([key, alert]) => (muted.has(key) ? [] : [alert]));
    return withTimes(sent, due, { time: now().toISOString(), isClaim: true });
  });
  return due;
}

/** Records whether claimed alerts were delivered; if not, they may be sent again immediately. @throws as claimAlerts */
export async function settleAlerts(due: readonly Alert[], hasArrived: boolean, { home, now }: Cooldown): Promise<void> {
  const keys = new Set(due.map(cooldownKey));
  await changeSent(home, now, (sent) =>
    hasArrived
      ? withTimes(sent, due, { time: now().toISOString(), isClaim: false })
      : sent.filter(({ key }) => !keys.has(key)),
  );
}

/** After the clock was set back, nothing is muted for longer than the cooldown. */
function isMuted({ time, isClaim }: SentAlert, now: Date, cooldownMs: number): boolean {
  return Math.abs(now.getTime() - Date.parse(time)) < (isClaim ? Math.min(CLAIM_MS, cooldownMs) : cooldownMs);
}

function withTimes(
  sent: readonly SentAlert[],
  alerts: readonly Alert[],
  at: Pick<SentAlert, 'time' | 'isClaim'>,
): readonly SentAlert[] {
  const keys = new Set(alerts.map(cooldownKey));
  return [...sent.filter(({ key }) => !keys.has(key)), ...[...keys].map((key) => ({ key, ...at }))];
}

async function changeSent(
  home: string,
  now: () => Date,
  change: (sent: readonly SentAlert[]) => readonly SentAlert[],
): Promise<void> {
  const isRecent = ({ time }: SentAlert): boolean => Math.abs(now().getTime() - Date.parse(time)) < KEPT_MS;
  await changeFile(pathIn(home), 'the list of sent alerts', {
    change: async () => change((await readSent(home)).filter(isRecent)),
    encode: (sent) => encodeStateDocument(KIND, { sent }),
  });
}
