import { defineCommand } from '../../../cli/command.js';
import type { Cancellation, Clock, Environment, Messages, Places, Results } from '../../../cli/context.js';
import { flag } from '../../../cli/flag.js';
import type { Outcome } from '../../../core/notify/alerts/deliver.js';
import { ArchiverError } from '../../../core/platform/failures/errors.js';
import { printable } from '../../../core/platform/paths/raw-path.js';
import { fact, textOf } from '../../kit/lines.js';
import { HOW_TO_CONFIGURE, notConfigured } from './channel-arg.js';

export const command = defineCommand({
  path: 'alerts test',
  summary: 'send an alert with sample data and say what became of it',
  description:
    'Goes to every channel that is on, or to one, which may be off. The cooldown does not count, and is not begun. Each channel has 30 seconds; all are sent to at once.',
  flags: {
    channel: flag.choice(['email', 'slack', 'webhook', 'cloudwatch'], { describe: 'only this channel' }),
    severity: flag.choice(['info', 'warning', 'critical'], { default: 'warning', describe: 'how bad it says it is' }),
  },
  examples: ['archiver alerts test', 'archiver alerts test --channel email --severity critical'],
  exits: {
    0: 'every channel took it',
    1: 'no channel took it, or none is on',
    3: 'some channels took it, or some recipients were refused',
  },
  async run(
    values,
    _args,
    context: Results<'alerts test'> & Messages & Cancellation & Clock & Environment & Pick<Places, 'home'>,
  ) {
    const { configuredIn, enabledIn, NO_ALERTS, readAlertSettings } =
      await import('../../../core/notify/alerts/settings.js');
    const { openChannels } = await import('../../../core/notify/alerts/open-channels.js');
    const { deliver } = await import('../../../core/notify/alerts/deliver.js');
    const { sampleAlert } = await import('../../../core/notify/alerts/alert.js');
    const { env, now, signal } = context;
    const settings = (await readAlertSettings(context.home)) ?? NO_ALERTS;
    const { channel } = values;
    if (channel !== undefined && settings[channel] === null)
      throw notConfigured(`${channel} is not configured`, channel);
    const names = channel === undefined ? enabledIn(settings) : [channel];
    if (names.length === 0) {
      const [off] = configuredIn(settings);
      const hint = off === undefined ? HOW_TO_CONFIGURE.email : `archiver alerts enable ${off}`;
      throw new ArchiverError('not-found', 'no alert channel is on', { hint });
    }
    const alert = sampleAlert(values.severity, now());
    const channels = await openChannels(names, settings, { env, now });
    const outcomes = await deliver([alert], channels, { signal });
    signal.throwIfAborted();
    context.result({ alerts: [alert], outcomes }, () => textOf(outcomes.flatMap(outcomeLines)));
    if (outcomes.every(({ delivery }) => delivery === 'sent')) return 0;
    return outcomes.every(({ delivery }) => delivery === 'failed') ? 1 : 3;
  },
});

const WORDS = { sent: '✓ sent', partial: '▲ sent in part', failed: '✗ failed' } as const;

const outcomeLines = ({ channel, delivery, reason, hint }: Outcome): readonly string[] => [
  `${channel.padEnd(10)}  ${WORDS[delivery]}${reason === null ? '' : `: ${printable(reason)}`}`,
  ...(hint === null ? [] : [fact('fix', printable(hint))]),
];
