// Computes the settings of a channel after `alerts configure`: the given value, or else the earlier one, or else the default.
import type { Origins } from '../../../cli/context.js';
import { kebab } from '../../../cli/flag.js';
import type { ChannelName } from '../../../core/notify/alerts/channel.js';
import type { AlertSettings } from '../../../core/notify/alerts/settings.js';
import { usageError } from '../../../core/platform/failures/errors.js';
import { isGiven } from '../../kit/run.js';
import { HOW_TO_CONFIGURE } from './channel-arg.js';
import type { Given, Key } from './configure-flags.js';

export interface Secrets {
  readonly smtpPassword?: string | undefined;
  readonly webhookUrl?: string | undefined;
  readonly webhookSecret?: string | undefined;
}

interface Fields {
  readonly plain: readonly Key[];
  readonly secret: readonly (keyof Secrets)[];
  readonly needed: readonly Key[];
}

const FIELDS: Readonly<Record<ChannelName, Fields>> = {
  email: {
    plain: ['smtpHost', 'smtpPort', 'smtpUseTls', 'smtpUsername', 'smtpFrom', 'recipients'],
    secret: ['smtpPassword'],
    needed: ['recipients', 'smtpFrom', 'smtpHost'],
  },
  slack: { plain: ['channel', 'username'], secret: ['webhookUrl'], needed: ['webhookUrl'] },
  webhook: { plain: [], secret: ['webhookUrl', 'webhookSecret'], needed: ['webhookUrl'] },
  cloudwatch: { plain: ['namespace', 'region', 'profile', 'endpointUrl'], secret: [], needed: [] },
};

interface ChannelChange {
  readonly before: AlertSettings;
  readonly values: Given;
  readonly secrets: Secrets;
  readonly context: Origins;
}

/** Returns the new settings of the channel. @throws usage for missing settings and invalid addresses */
export function changedChannel(name: ChannelName, { before, values, secrets, context }: ChannelChange): object {
  const { plain, secret, needed } = FIELDS[name];
  const known: Readonly<Record<string, unknown>> = { ...before[name] };
  const changed: Readonly<Record<string, unknown>> = Object.fromEntries([
    ...plain.map((key) => [key, isGiven(context, key) ? values[key] : (known[key] ?? values[key] ?? null)] as const),
    ...secret.map((key) => [key, secrets[key] ?? known[key] ?? null] as const),
  ]);
  for (const key of needed)
    if (changed[key] === null || (Array.isArray(changed[key]) && changed[key].length === 0))
      throw usageError(`${name} needs --${kebab(key)}`, HOW_TO_CONFIGURE[name]);
  if (name === 'email') checkEmail(changed);
  return { ...changed, isEnabled: true };
}

/** `a@b.org`, or `Name <a@b.org>`. */
const ADDRESS = /^(?:[^\s<>@]+@[^\s<>@]+|[^\p{Cc}<>@]*<[^\s<>@]+@[^\s<>@]+>)$/u;

function checkEmail({ smtpUsername, smtpPassword, smtpFrom, recipients }: Readonly<Record<string, unknown>>): void {
  if (smtpUsername !== null && smtpPassword === null)
    throw usageError('--smtp-username needs a password', 'give --smtp-password-file or ARCHIVER_SMTP_PASSWORD');
  const isBad = (address: unknown): boolean => !ADDRESS.test(String(address));
  const refused = isBad(smtpFrom) ? 'smtp-from' : [recipients].flat().some(isBad) ? 'recipients' : undefined;
  if (refused !== undefined) throw usageError(`--${refused} wants mail addresses, such as pi@example.org`);
}
