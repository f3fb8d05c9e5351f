// `alerts.json` in the folder of local state: which channels there are, with their secrets, so only its owner can read it.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { systemCode } from '../failures/errors.js';
import { fileFailure } from '../failures/file-failure.js';
import { Fields } from '../json/json-fields.js';
import { changeFile } from '../state/change-file.js';
import { encodeStateDocument, parseStateDocument } from '../state/document.js';
import { CHANNEL_NAMES, type ChannelName } from './channel.js';

const KIND = { type: 'archiver-alerts', format: 1, noun: 'alert configuration' };
const DAY_MS = 86_400_000;

export interface EmailSettings {
  readonly smtpHost: string;
  readonly smtpPort: number;
  readonly smtpUseTls: boolean;
  readonly smtpUsername: string | null;
  readonly smtpPassword: string | null;
  readonly smtpFrom: string;
  readonly recipients: readonly string[];
}

export interface SlackSettings {
  readonly webhookUrl: string;
  readonly channel: string | null;
  readonly username: string;
}

export interface WebhookSettings {
  readonly webhookUrl: string;
  /** Signs each request. */
  readonly webhookSecret: string | null;
}

export interface CloudWatchSettings {
  readonly namespace: string;
  /** Null, as the next two: what the environment and the profile say. */
  readonly region: string | null;
  readonly profile: string | null;
  readonly endpointUrl: string | null;
}

/** A channel that was turned off keeps its settings. */
type Switched<T> = T & { readonly isEnabled: boolean };

export interface ChannelSettings {
  readonly email: Switched<EmailSettings> | null;
  readonly slack: Switched<SlackSettings> | null;
  readonly webhook: Switched<WebhookSettings> | null;
  readonly cloudwatch: Switched<CloudWatchSettings> | null;
}

export interface AlertSettings extends ChannelSettings {
  /** How long an alert of one kind about one thing is not repeated. */
  readonly cooldownMs: number;
}

/** Without a file: no channels, and a day between alerts. */
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

/** Where they are, from the folder of local state. */
export const alertsPath = (home: string): string => join(home, 'alerts.json');

/** The channels that are configured, of which some may be off. */
export const configuredIn = (settings: ChannelSettings): readonly ChannelName[] =>
  CHANNEL_NAMES.filter((name) => settings[name] !== null);

/** The channels that alerts go to. */
export const enabledIn = (settings: ChannelSettings): readonly ChannelName[] =>
  CHANNEL_NAMES.filter((name) => settings[name]?.isEnabled === true);

/** What the file says; undefined when there is none. @throws integrity, unsupported, access-denied, io */
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
  const { fields } = parseStateDocument(text, KIND, { path, hint });
  return {
    cooldownMs: fields.count('cooldownMs'),
    email: channelIn(fields, 'email', readEmail),
    slack: channelIn(fields, 'slack', readSlack),
    webhook: channelIn(fields, 'webhook', (its) => ({
      webhookUrl: its.text('webhookUrl'),
      webhookSecret: its.optionalText('webhookSecret') ?? null,
    })),
    cloudwatch: channelIn(fields, 'cloudwatch', (its) => ({
      namespace: its.text('namespace'),
      region: its.optionalText('region') ?? null,
      profile: its.optionalText('profile') ?? null,
      endpointUrl: its.optionalText('endpointUrl') ?? null,
    })),
  };
}

function channelIn<T>(fields: Fields, name: ChannelName, read: (fields: Fields) => T): Switched<T> | null {
  if (fields.get(name) === null) return null;
  const its = fields.object(name);
  return { ...read(its), isEnabled: its.flag('isEnabled') };
}

const readEmail = (its: Fields): EmailSettings => ({
  smtpHost: its.text('smtpHost'),
  smtpPort: its.count('smtpPort', 65_535),
  smtpUseTls: its.flag('smtpUseTls'),
  smtpUsername: its.optionalText('smtpUsername') ?? null,
  smtpPassword: its.optionalText('smtpPassword') ?? null,
  smtpFrom: its.text('smtpFrom'),
  recipients: its.list('recipients').map((one) => (typeof one === 'string' ? one : its.fail('recipients', 'texts'))),
});

const readSlack = (its: Fields): SlackSettings => ({
  webhookUrl: its.text('webhookUrl'),
  channel: its.optionalText('channel') ?? null,
  username: its.text('username'),
});

/**
 * Changes the file under its lock. `change` gets what it says now.
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
