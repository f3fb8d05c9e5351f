// Generates the configuration of a writer, to be filled in and signed. It is refused until a folder is filled in.
import type { FleetPlace } from './fleet-place.js';

export interface SkeletonOptions {
  readonly writerId: string;
  readonly region: string;
  readonly kmsKeyArn: string | undefined;
}

export const configSkeleton = ({ url }: FleetPlace, { writerId, region, kmsKeyArn }: SkeletonOptions): string =>
  `# What writer ${writerId} archives. Raise the version before each signing: agents take nothing older than what they have.
version: 1
writer_id: "${writerId}"
store: "${url}"
region: "${region}"
storage_class: STANDARD
${kmsKeyArn === undefined ? '' : `kms_key_id: "${kmsKeyArn}"\n`}scan_interval: 1h
# A cycle at once: run_now: 2026-05-01T14:30:00Z (the time of now), with a higher version.
# A monitor of jobs that hears of each cycle, and tells when one is missing: ping_url: "https://hc-ping.com/KEY/{writer_id}"
track_deletes: false
watch_paths:
  # Absolute folders of the machine; those of a container are as compose.yaml mounts them.
  - path: ""
    exclude_patterns:
      - "*.tmp"
`;
