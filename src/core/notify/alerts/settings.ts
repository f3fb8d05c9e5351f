// `alerts.json` in the folder of local state: the channels with their secrets, readable only by its owner.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as s from '../../platform/documents/schema.js';
import { systemCode } from '../../platform/failures/errors.js';
import { fileFailure } from '../../platform/failures/file-failure.js';
import { changeFile } from '../../platform/state/change-file.js';
import { encodeStateDocument, readStateDocument } from '../../platform/state/document.js';
import { CHANNEL_NAMES, type ChannelName } from './channel.js';

const DAY_MS = 86_400_000;

/** A disabled channel keeps its settings. */
const isEnabled = s.flag;

const EMAIL = s.schema(() =>
  s.object({
    smtpHost: s.text,
    smtpPort: s.countTo(65_535),
    smtpUseTls: s.flag,
    smtpUsername: s.orNull(s.text),
    smtpPassword: s.orNull(s.text),
    smtpFrom: s.text,
    recipients: s.listOf(s.text),
    isEnabled,
  }),
);
const SLACK = s.schema(() => s.object({ webhookUrl: s.text, channel: s.orNull(s.text), username: s.text, isEnabled }));
/** `webhookSecret` signs each request. */
const WEBHOOK = s.schema(() => s.object({ webhookUrl: s.text, webhookSecret: s.orNull(s.text), isEnabled }));
/** Null values are taken from the environment and the profile. */
const CLOUDWATCH = s.schema(() =>
  s.object({
    namespace: s.text,
    region: s.orNull(s.text),
    profile: s.orNull(s.text),
    endpointUrl: s.orNull(s.text),
    isEnabled,
  }),
);
const BODY = s.schema(() =>
  s.object({
    /** How long an alert of one kind about one thing is not repeated. */
    cooldownMs: s.count,
    email: s.nullable(EMAIL()),
    slack: s.nullable(SLACK()),
    webhook: s.nullable(WEBHOOK()),
    cloudwatch: s.nullable(CLOUDWATCH()),
  }),
);
const KIND = { type: 'archiver-alerts', format: 1, noun: 'alert configuration', body: BODY };

export type EmailSettings = Unswitched<typeof EMAIL>;
export type SlackSettings = Unswitched<typeof SLACK>;
export type WebhookSettings = Unswitched<typeof WEBHOOK>;
export type CloudWatchSettings = Unswitched<typeof CLOUDWATCH>;
type Unswitched<S extends s.Schema<unknown>> = Omit<s.Read<S>, 'isEnabled'>;

export type AlertSettings = s.Read<typeof BODY>;
export type ChannelSettings = Omit<AlertSettings, 'cooldownMs'>;

/** Defaults without a file: no channels, and a day between alerts. */
export const NO_ALERTS: AlertSettings = {
  cooldownMs: DAY_MS,
  email: null,
  slack: null,
  webhook: null,
  cloudwatch: null,
};

export const DEFAULT_CLOUDWATCH: CloudWatchSettings = {
  namespace: 'Archiver/Budget',
  region: null,
  profile: null,
  endpointUrl: null,
};

/** Returns the path in the folder of local state. */
export const alertsPath = (home: string): string => join(home, 'alerts.json');

/** Returns the configured channels, whether enabled or not. */
export const configuredIn = (settings: ChannelSettings): readonly ChannelName[] =>
  CHANNEL_NAMES.filter((name) => settings[name] !== null);

/** Returns the enabled channels. */
export const enabledIn = (settings: ChannelSettings): readonly ChannelName[] =>
  CHANNEL_NAMES.filter((name) => settings[name]?.isEnabled === true);

/** Reads the file; undefined when there is none. @throws integrity, unsupported, access-denied, io */
export async function readAlertSettings(home: string): Promise<AlertSettings | undefined> {
  const path = alertsPath(home);
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw fileFailure('read', path, error);
  }
  const hint = 'remove it and configure the channels again: archiver alerts configure --help';
  return readStateDocument(text, KIND, { path, hint });
}

/**
 * Changes the file under its lock. `change` gets the current settings.
 * @throws what `change` throws; conflict, integrity, unsupported, access-denied, no-space, io
 */
export async function changeAlertSettings(
  home: string,
  change: (settings: AlertSettings | undefined) => AlertSettings,
): Promise<AlertSettings> {
  return await changeFile(alertsPath(home), 'the alert configuration', {
    change: async () => change(await readAlertSettings(home)),
    encode: (settings) => encodeStateDocument(KIND, settings),
  });
}
