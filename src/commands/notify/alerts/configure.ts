import { arg } from '../../../cli/arg.js';
import { defineCommand } from '../../../cli/command.js';
import type { Cancellation, Messages, Origins, Places, Results, Terminal } from '../../../cli/context.js';
import { kebab } from '../../../cli/flag.js';
import { conflicts } from '../../../cli/rule.js';
import { CHANNEL_NAMES, type ChannelName } from '../../../core/notify/alerts/channel.js';
import type { AlertSettings } from '../../../core/notify/alerts/settings.js';
import { usageError } from '../../../core/platform/failures/errors.js';
import { formatDuration } from '../../../ui/format.js';
import { isGiven } from '../../kit/run.js';
import type { Secrets } from './changed-channel.js';
import { HOW_TO_CONFIGURE, shownChannel } from './channel-arg.js';
import { flags, type Given, KEYS } from './configure-flags.js';

type ConfigureContext = Results<'alerts configure'> &
  Messages &
  Origins &
  Cancellation &
  Pick<Places, 'home' | 'cwd'> &
  Pick<Terminal, 'stdin' | 'stderr'>;

export const command = defineCommand({
  path: 'alerts configure',
  summary: 'set up a channel for alerts and turn it on',
  description:
    'What is not given stays as it was configured before. Secrets are kept in ~/.archiver/alerts.json, which only you can read; on a terminal, those that are needed and missing are asked for. Without a channel only --cooldown is set. See whether it works with `archiver alerts test`.',
  args: [arg.choice(...CHANNEL_NAMES)('CHANNEL', { describe: 'email, slack, webhook or cloudwatch', optional: true })],
  flags,
  rules: [
    conflicts('smtpPassword', ['smtpPasswordFile']),
    conflicts('webhookUrl', ['webhookUrlFile']),
    conflicts('webhookSecret', ['webhookSecretFile']),
  ],
  examples: [
    'archiver alerts configure email --smtp-host mail.example.org --smtp-username lab --smtp-from archiver@example.org --recipients pi@example.org,it@example.org',
    'archiver alerts configure slack --webhook-url-file ./slack-url --channel "#storage"',
    'archiver alerts configure webhook --webhook-url https://example.org/hook --webhook-secret-file ./secret',
    'archiver alerts configure cloudwatch --region us-west-2',
    'archiver alerts configure --cooldown 12h',
  ],
  exits: { 0: 'configured', 1: 'the configuration cannot be read or written' },
  async run(values, [name], context: ConfigureContext) {
    const { changeAlertSettings, NO_ALERTS, readAlertSettings } =
      await import('../../../core/notify/alerts/settings.js');
    const { changedChannel } = await import('./changed-channel.js');
    refuseOtherChannels(name, context);
    // The user is asked before the lock is taken.
    const known = (await readAlertSettings(context.home)) ?? NO_ALERTS;
    const secrets = name === undefined ? {} : await secretsFor(name, { values, known, context });
    const settings = await changeAlertSettings(context.home, (before = NO_ALERTS) => {
      const cooldownMs = isGiven(context, 'cooldown') ? values.cooldown : before.cooldownMs;
      const changed = { ...before, cooldownMs };
      return name === undefined
        ? changed
        : { ...changed, [name]: changedChannel(name, { before, values, secrets, context }) };
    });
    const channels = name === undefined ? [] : [shownChannel(name, settings)];
    if (settings.email?.isEnabled === true && name === 'email' && !settings.email.smtpUseTls)
      context.warn('mails are sent in the clear, the password too');
    context.outcome({ channels, cooldownMs: settings.cooldownMs }, () =>
      name === undefined
        ? `the same alert is not repeated for ${formatDuration(settings.cooldownMs)}\n`
        : `${name} is configured and on; see whether it works: archiver alerts test --channel ${name}\n`,
    );
  },
});

/** Refuses typed flags that are not for this channel, as they would be ignored. @throws usage */
function refuseOtherChannels(name: ChannelName | undefined, { origins }: Origins): void {
  const own: readonly string[] = ['cooldown', ...(name === undefined ? [] : KEYS[name])];
  const typed = Object.keys(flags).filter((key) => origins[key] === 'flag');
  const foreign = typed.find((key) => !own.includes(key));
  if (foreign !== undefined)
    throw usageError(
      name === undefined ? `--${kebab(foreign)} needs a channel` : `--${kebab(foreign)} is not for ${name}`,
      'archiver alerts configure --help',
    );
  if (name === undefined && !typed.includes('cooldown'))
    throw usageError('nothing is given to configure', `name a channel: ${HOW_TO_CONFIGURE.email}`);
}

interface SecretsInput {
  readonly values: Given;
  readonly known: AlertSettings;
  readonly context: ConfigureContext;
}

/** Reads the secrets of the channel, and asks for those that are needed and neither given nor known. */
async function secretsFor(name: ChannelName, { values, known, context }: SecretsInput): Promise<Secrets> {
  const { secretOf } = await import('../../kit/ask-secret.js');
  if (name === 'email') {
    const needsPassword = values.smtpUsername !== undefined && known.email?.smtpUsername !== values.smtpUsername;
    const ask = needsPassword ? 'SMTP password' : undefined;
    const sources = { given: values.smtpPassword, file: values.smtpPasswordFile, ask };
    return { smtpPassword: await secretOf(sources, context) };
  }
  if (name === 'cloudwatch') return {};
  const ask = known[name] === null ? 'Webhook URL' : undefined;
  const sources = { given: values.webhookUrl, file: values.webhookUrlFile, ask };
  const webhookUrl = await secretOf(sources, context);
  if (webhookUrl !== undefined) checkUrl(webhookUrl);
  if (name === 'slack') return { webhookUrl };
  const signing = { given: values.webhookSecret, file: values.webhookSecretFile };
  return { webhookUrl, webhookSecret: await secretOf(signing, context) };
}

function checkUrl(text: string): void {
  const protocol = URL.canParse(text) ? new URL(text).protocol : '';
  if (protocol !== 'https:' && protocol !== 'http:')
    throw usageError('the webhook URL wants to begin with https:// or http://');
}
