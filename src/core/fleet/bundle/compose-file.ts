// Generates the compose file of a bundle. Strings are quoted as YAML, and `$` is doubled, because compose would substitute a variable.
import type { LockOptions } from '../../archive/run/upload-lock.js';
import type { FleetPlace } from './fleet-place.js';
import type { StoreServer } from './store-server.js';

/** The state folder in containers; must match the Containerfile. */
export const STATE_FOLDER = '/var/lib/archiver';
/** User `node` of the Node images and of the Containerfile. */
export const CONTAINER_USER = '1000:1000';

export interface AgentCall {
  readonly place: FleetPlace;
  readonly writerId: string;
  readonly region: string;
  /** Set for an S3-compatible server. */
  readonly endpointUrl: string | undefined;
  readonly server: StoreServer;
  /** Object Lock for the objects that it puts. */
  readonly lock: LockOptions | undefined;
}

/** Returns the command line of an agent that pulls its configuration. `publicKey` is the path of the key on the machine. */
export const agentWords = ({ place, writerId, region, lock }: AgentCall, publicKey: string): readonly string[] => [
  'fleetagent',
  'run',
  '--config-url',
  place.url,
  '--writer-id',
  writerId,
  '--public-key',
  publicKey,
  '--region',
  region,
  ...(lock === undefined ? [] : ['--object-lock', lock.mode, '--retain', retainText(lock.retainMs)]),
];

const DAY_MS = 86_400_000;
export const retainText = (ms: number): string => (ms % DAY_MS === 0 ? `${ms / DAY_MS}d` : `${Math.ceil(ms / 1000)}s`);

const quoted = (text: string): string => JSON.stringify(text).replaceAll('$', '$$$$');

/**
 * Generates the file. A local image, built on the machine itself, is never pulled from a registry, where its name may be somebody else's.
 */
export function composeFile(
  call: AgentCall,
  files: { readonly publicKey: string; readonly credentials: string; readonly settings: string },
  image: { readonly name: string; readonly isLocal: boolean },
): string {
  const { endpointUrl } = call;
  const key = `/etc/archiver/${files.publicKey}`;
  const words = agentWords(call, key).map((word) => `      - ${quoted(word)}`);
  return `# Writer ${call.writerId} of ${call.place.url}. Start: docker compose up -d
services:
  archiver:
    image: ${quoted(image.name)}
${image.isLocal ? '    pull_policy: "never"\n' : ''}    command:
${words.join('\n')}
    # Who reads the folders below. The credentials must be readable for this user and for nobody else.
    user: "${CONTAINER_USER}"
    read_only: true
    tmpfs:
      - "/tmp"
    cap_drop:
      - "ALL"
    security_opt:
      - "no-new-privileges:true"
    restart: "unless-stopped"
    stop_grace_period: "30s"
    environment:
      ARCHIVER_HOME: "${STATE_FOLDER}"
      # Hooks and pings of this machine; programs of hooks must be in the image.
      ARCHIVER_CONFIG: "/etc/archiver/${files.settings}"
      AWS_SHARED_CREDENTIALS_FILE: "/run/secrets/archiver-credentials"
      AWS_EC2_METADATA_DISABLED: "true"
${endpointUrl === undefined ? '' : `      AWS_ENDPOINT_URL: ${quoted(endpointUrl)}\n`}    secrets:
      - "archiver-credentials"
    volumes:
      # What was stored already is known from here. Without it every cycle sends everything.
      - "state:${STATE_FOLDER}"
      - "./${files.publicKey}:${key}:ro"
      - "./${files.settings}:/etc/archiver/${files.settings}:ro"
      # One for each folder in config.yaml, at the same path.
      - type: "bind"
        source: "/srv/data"
        target: "/srv/data"
        read_only: true
        bind:
          create_host_path: false
secrets:
  archiver-credentials:
    file: "./${files.credentials}"
volumes:
  state: {}
`;
}
