import { arg } from '../../../cli/arg.js';
import { defineCommand } from '../../../cli/command.js';
import type { Context } from '../../../cli/context.js';
import { conflicts, requires } from '../../../cli/rule.js';
import { lockRules } from '../../kit/lock-flags.js';
import { telemetryRules } from '../../kit/telemetry-flags.js';
import { agentFlags as flags } from './agent-flags.js';

const FORMS =
  'give SOURCE_DIR and S3_URL with --writer-id, or --config FILE, or --config-url URL with --public-key and --writer-id';

export const command = defineCommand({
  path: 'fleetagent run',
  summary: 'archive folders again and again, as one writer of a fleet',
  description:
    'Runs without anybody at the terminal: each source is synced as a dataset of its own below writers/ID of the store, one ' +
    'after another, once per interval. Cycles never overlap; one that was missed because the machine slept, or because the ' +
    'store was down, is made up for once. After each cycle, at its start and during long ones a heartbeat is put to ' +
    'writers/ID/status.json, which `archiver fleet status` reads.\n' +
    'A writer that may only put objects and list its own prefix needs no more: what changed is found from the manifests that ' +
    'this computer remembers. Where these are lost, everything is sent once more. An agent never deletes a file of a source.\n' +
    'A fetched config is used only where it is signed for --public-key, for this writer, not older than the last one, and does ' +
    'not widen what is read without allow_scope_expansion; otherwise the last good one stays in use, and the heartbeat says why.\n' +
    'SIGINT and SIGTERM stop it within ten seconds; what was sent is kept, and the next cycle continues it.',
  args: [
    arg.folder('SOURCE_DIR', { describe: 'folder to archive, without a config', optional: true }),
    arg.typedUrl('S3_URL', { describe: 'base of the fleet: s3://bucket[/prefix] or file:///folder', optional: true }),
  ],
  flags,
  rules: [
    conflicts('config', ['configUrl', 'publicKey']),
    requires('configUrl', 'publicKey', 'writerId'),
    requires('publicKey', 'configUrl'),
    ...lockRules,
    ...telemetryRules,
    {
      kind: 'check',
      text: FORMS,
      ok: ({ config, configUrl, writerId }, [source, url]) => {
        const isGiven = source !== undefined && url !== undefined && writerId !== '';
        const isConfigured = config !== undefined || configUrl !== undefined;
        return isConfigured ? source === undefined && url === undefined : isGiven;
      },
    },
    {
      kind: 'check',
      text: '--interval wants one second or more',
      ok: ({ interval }) => interval === undefined || interval >= 1000,
    },
    {
      kind: 'check',
      text: '--no-manifest-cache and --manifest-cache-dir exclude each other',
      ok: ({ manifestCache, manifestCacheDir }) => manifestCache || manifestCacheDir === undefined,
    },
  ],
  examples: [
    'archiver fleetagent run /data s3://acme-archive/fleet --writer-id nas-1 --interval 6h',
    'archiver fleetagent run --config ./config.yaml --once',
    'archiver fleetagent run --config-url s3://acme-archive/fleet --public-key ./config-signing-public.pem --writer-id nas-1',
  ],
  isRecorded: true,
  exits: {
    0: 'stopped, or with --once: every source was synced',
    1: 'with --once: a source failed, or there is no config that can be used; also where another agent of this writer runs here',
    3: 'with --once: synced, but some files could not be read, or there are findings (docs/fleet.md)',
    4: 'with --once: a source was refused: by a budget, because it is empty, most of it is gone, its path leads elsewhere, it is held back, the store has forgotten it, or does not keep If-None-Match',
  },
  keepsMemoryLimit: () => true,
  async run(values, args, context: Context<'fleetagent run'>) {
    const { runAgentCommand } = await import('./agent-command.js');
    return await runAgentCommand(values, args, context);
  },
});
