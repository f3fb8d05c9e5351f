// Keys of other agents' configs that have no effect here. Pure tuning settings are ignored with a warning; settings whose effect would be
// missed are refused (docs/decisions/041).
import type { OtherKeys } from './section.js';

const BY_ITSELF = 'the number of requests adapts to the network by itself';
const ONE_REQUEST = 'a chunk is one request';

/** Ignored top-level keys. */
export const IGNORED_KEYS: OtherKeys = {
  id: 'the writer is named by writer_id',
  optimization_config: BY_ITSELF,
  max_concurrent_jobs: 'one cycle runs at a time',
  worker_pool_size: 'one thread for each processor packs',
  reporting_enabled: 'a heartbeat is written in every cycle',
  report_interval: 'a heartbeat is written in every cycle',
};

const ON_THE_MACHINE = 'set AWS_ENDPOINT_URL on the machine of the writer';

export const REFUSED_KEYS: OtherKeys = {
  hooks: 'commands to run come only from the config file of the machine (ARCHIVER_CONFIG, ~/.archiver.yaml)',
  endpoint_url: ON_THE_MACHINE,
};

/** Ignored keys of `s3_config`. */
export const IGNORED_STORE_KEYS: OtherKeys = {
  concurrency: BY_ITSELF,
  multipart_threshold: ONE_REQUEST,
  multipart_chunk_size: ONE_REQUEST,
  use_transfer_acceleration: 'requests go to the ordinary address of the bucket',
};

export const REFUSED_STORE_KEYS: OtherKeys = { endpoint_url: ON_THE_MACHINE, s3_endpoint: ON_THE_MACHINE };
