// The flags of `fleetagent run`.
import { flag, type Values } from '../../../cli/flag.js';
import { budgetGateFlags } from '../../kit/budget-flags.js';
import {
  limitFlags,
  outputFlags,
  ignoreCtimeFlag,
  trackDeletesFlag,
  packingFlags,
  keptClassFlag,
  storeFlags,
  storeModeFlag,
  writerIdFlag,
} from '../../kit/flags.js';
import { createOnceFlag } from '../../kit/guard-flags.js';
import { lockFlags } from '../../kit/lock-flags.js';
import { noticeFlags } from '../../kit/notice-flags.js';
import { telemetryFlags } from '../../kit/telemetry-flags.js';
import { projectFlag } from '../../kit/ledger-flags.js';

export const agentFlags = {
  ...storeFlags('us-west-2'),
  ...storeModeFlag,
  ...createOnceFlag,
  writerId: writerIdFlag,
  config: flag.file({
    describe: 'config of this writer (YAML): sources, schedule, store; read again before each cycle',
  }),
  configUrl: flag.text({
    placeholder: 'URL',
    describe: 'base of the fleet: the config is fetched from fleet/ID/config.yaml there before each cycle',
  }),
  publicKey: flag.file({
    describe: 'public keys (PEM, the newest last): one of them must have signed a fetched config',
  }),
  interval: flag.duration({
    placeholder: 'DURATION',
    sample: '1h',
    describe: 'from the beginning of one cycle to that of the next; that of the config when not given, else 1h',
  }),
  once: flag.on({ describe: 'run one cycle and end' }),
  trackDeletes: trackDeletesFlag,
  ignoreCtime: ignoreCtimeFlag,
  manifestCacheDir: flag.folder({
    describe: 'where manifests of earlier versions are remembered (default ~/.archiver/manifest-cache)',
  }),
  manifestCache: flag.on({
    default: true,
    describe: 'remember manifests on this computer',
    off: 'remember no manifests: a writer that may not read sends every file again in each cycle',
  }),
  compressionLevel: flag.int([0, 22], { default: 0, describe: 'fixed zstd level; 0: by content' }),
  shardCount: flag.int([1, 100], { default: 10, describe: 'key prefixes to spread chunks over' }),
  shardStrategy: packingFlags.shardStrategy,
  storageClass: keptClassFlag,
  ...lockFlags,
  limitUpload: limitFlags.limitUpload,
  ...projectFlag,
  ...budgetGateFlags,
  ...noticeFlags,
  ...telemetryFlags,
  ...outputFlags,
};

/** Values of the flags of `fleetagent run`. */
export type AgentValues = Values<typeof agentFlags>;
