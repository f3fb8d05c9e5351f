import { defineCommand } from '../../../cli/command.js';
import type { Places, Results } from '../../../cli/context.js';
import type { CooldownSubject } from '../../../core/notify/alerts/cooldown.js';
import { CHANNEL_NAMES } from '../../../core/notify/alerts/channel.js';
import { printable } from '../../../core/platform/paths/raw-path.js';
import { formatDuration } from '../../../ui/format.js';
import { minuteText, textOf } from '../../kit/lines.js';
import { shownChannel } from './channel-arg.js';

const LAST_ALERTS = 10;

export const command = defineCommand({
  path: 'alerts config',
  summary: 'show where alerts go, and which were sent last',
  description:
    'Passwords, secrets and the paths of webhook addresses are never shown. The thresholds that raise alerts belong to budgets: `archiver budget list`.',
  examples: ['archiver alerts config', 'archiver alerts config --json'],
  exits: { 0: 'shown', 1: 'the configuration cannot be read' },
  async run(_values, _args, context: Results<'alerts config'> & Pick<Places, 'home'>) {
    const { alertsPath, NO_ALERTS, readAlertSettings } = await import('../../../core/notify/alerts/settings.js');
    const { parseCooldownKey, readSent } = await import('../../../core/notify/alerts/cooldown.js');
    const file = alertsPath(context.home);
    const found = await readAlertSettings(context.home);
    const settings = found ?? NO_ALERTS;
    const channels = CHANNEL_NAMES.map((name) => shownChannel(name, settings));
    const sent = (await readSent(context.home)).filter(({ isClaim }) => !isClaim);
    const lastAlerts = sent.toReversed().map(({ key, time }) => ({ ...parseCooldownKey(key), time }));
    const { cooldownMs } = settings;
    context.result({ channels, cooldownMs, lastAlerts, file: found === undefined ? null : file }, () =>
      textOf([
        ...channels.map(channelLine),
        `cooldown    ${formatDuration(cooldownMs)}`,
        ...lastAlerts.slice(0, LAST_ALERTS).map(sentLine),
        ...(found === undefined ? ['nothing is configured; see archiver alerts configure --help'] : []),
      ]),
    );
  },
});

const sentLine = ({
  time,
  severity,
  type,
  project,
  writerId,
  location,
}: CooldownSubject & { readonly time: string }): string =>
  printable(`sent        ${minuteText(time)}  ${severity} ${type} ${writerId ?? project ?? location ?? ''}`.trimEnd());

function channelLine({ channel, isConfigured, isEnabled, ...about }: Readonly<Record<string, unknown>>): string {
  const state = isConfigured === true ? (isEnabled === true ? 'on ' : 'off') : 'not configured';
  const shown = Object.entries(about).filter(([, value]) => value !== null);
  const facts = shown.map(
    ([key, value]) => `${WORDS[key] ?? key} ${Array.isArray(value) ? value.join(', ') : wordOf(value)}`,
  );
  return printable([String(channel).padEnd(10), state, ...facts].join('  ').trimEnd());
}

const wordOf = (value: unknown): string => (value === true ? 'yes' : value === false ? 'no' : String(value));

const WORDS: Readonly<Record<string, string>> = {
  smtpHost: 'server',
  smtpPort: 'port',
  smtpUseTls: 'TLS',
  smtpUsername: 'user',
  smtpFrom: 'from',
  recipients: 'to',
  hasSecret: 'secret',
  slackChannel: 'channel',
  username: 'as',
  endpointUrl: 'at',
};
