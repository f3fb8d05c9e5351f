// The flags of `alerts configure`, and the channels they belong to.
import { flag, type Values } from '../../../cli/flag.js';
import type { ChannelName } from '../../../core/notify/alerts/channel.js';

export const flags = {
  smtpHost: flag.text({ placeholder: 'HOST', describe: 'server that takes mail' }),
  smtpPort: flag.int([1, 65_535], {
    default: 587,
    describe: 'its port; 465 is TLS from the first byte, any other begins TLS with STARTTLS',
  }),
  smtpUsername: flag.text({ placeholder: 'NAME', describe: 'who logs in there; nobody when not given' }),
  smtpPassword: flag.text({
    secret: true,
    describe:
      'its password; other users of this computer may see flags: use ARCHIVER_SMTP_PASSWORD, or wait to be asked',
  }),
  smtpPasswordFile: flag.file({ describe: 'file that holds the password' }),
  smtpFrom: flag.text({ placeholder: 'ADDRESS', describe: 'sender of the mails' }),
  smtpUseTls: flag.on({ default: true, describe: 'send nothing before TLS has begun', off: 'send in the clear' }),
  recipients: flag.list({ placeholder: 'ADDRESS,…', describe: 'who gets the mails' }),
  webhookUrl: flag.text({ secret: true, placeholder: 'URL', describe: 'address that slack or webhook posts to' }),
  webhookUrlFile: flag.file({ describe: 'file that holds the address' }),
  webhookSecret: flag.text({ secret: true, describe: 'signs each request to a webhook (HMAC-SHA256): docs/alerts.md' }),
  webhookSecretFile: flag.file({ describe: 'file that holds the secret' }),
  channel: flag.text({ placeholder: '#NAME', describe: 'channel of Slack, which only legacy webhooks honour' }),
  username: flag.text({ default: 'Archiver Monitor', describe: 'sender in Slack, which only legacy webhooks honour' }),
  namespace: flag.text({ default: 'Archiver/Budget', describe: 'namespace of the metrics in CloudWatch' }),
  region: flag.text({
    short: 'r',
    placeholder: 'NAME',
    describe: 'region of CloudWatch; else what AWS_REGION or the profile says',
  }),
  profile: flag.text({ placeholder: 'NAME', describe: 'AWS profile with the credentials for CloudWatch' }),
  endpointUrl: flag.text({ placeholder: 'URL', describe: 'server instead of CloudWatch itself' }),
  cooldown: flag.duration({ default: '24h', describe: 'how long the same alert about the same thing is not repeated' }),
};

export type Given = Values<typeof flags>;
export type Key = keyof typeof flags;
/** The flags of each channel. */
export const KEYS: Readonly<Record<ChannelName, readonly Key[]>> = {
  email: [
    'smtpHost',
    'smtpPort',
    'smtpUsername',
    'smtpPassword',
    'smtpPasswordFile',
    'smtpFrom',
    'smtpUseTls',
    'recipients',
  ],
  slack: ['webhookUrl', 'webhookUrlFile', 'channel', 'username'],
  webhook: ['webhookUrl', 'webhookUrlFile', 'webhookSecret', 'webhookSecretFile'],
  cloudwatch: ['namespace', 'region', 'profile', 'endpointUrl'],
};
