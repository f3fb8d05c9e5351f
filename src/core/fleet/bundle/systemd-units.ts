// Generates the systemd unit that runs the writer without containers. It is a service that waits between cycles, and has no timer: the
// signed config alone says how often the writer runs, and a timer would say it a second time.
import { type AgentCall, agentWords } from './compose-file.js';

/** The folder on a machine where the README puts the files of a bundle. */
export const machineFolder = (writerId: string): string => `/etc/archiver/${writerId}`;

export const unitName = (writerId: string): string => `archiver-${writerId}`;

/** Where the README has archiver installed. */
export const PROGRAM = '/usr/local/bin/archiver';

/** Escapes `%`, which begins a specifier in systemd. */
export const escaped = (text: string): string => text.replaceAll('%', '%%');

/**
 * Returns the service unit. It runs as a user of its own that may read every file but write only its state; systemd passes the credentials.
 */
export function serviceUnit(
  call: AgentCall,
  files: { readonly publicKey: string; readonly credentials: string; readonly settings: string },
  program = PROGRAM,
): string {
  const { writerId, place, endpointUrl } = call;
  const folder = machineFolder(writerId);
  const name = unitName(writerId);
  const words = agentWords(call, `${folder}/${files.publicKey}`).map(escaped);
  return `[Unit]
Description=archiver, writer ${writerId} of ${place.url}
Wants=network-online.target
After=network-online.target

[Service]
Type=exec
DynamicUser=yes
StateDirectory=${name}
StateDirectoryMode=0700
LoadCredential=aws:${folder}/${files.credentials}
Environment=ARCHIVER_HOME=%S/${name}
# Hooks and pings of this machine
Environment=ARCHIVER_CONFIG=${folder}/${files.settings}
Environment=AWS_SHARED_CREDENTIALS_FILE=%d/aws
Environment=AWS_EC2_METADATA_DISABLED=true
${endpointUrl === undefined ? '' : `Environment="AWS_ENDPOINT_URL=${escaped(endpointUrl)}"\n`}ExecStart=${program} ${words.join(' ')}
Restart=always
RestartSec=30
# 2: the command or ${files.settings} cannot be used, which does not change by itself
RestartPreventExitStatus=2
# A hook that runs is ended by the agent, and the last ping is still sent
KillMode=mixed
TimeoutStopSec=30
# Reads every file of this machine, and writes none but its state (%S/${name}) and a /tmp of its own: so do hooks
AmbientCapabilities=CAP_DAC_READ_SEARCH
CapabilityBoundingSet=CAP_DAC_READ_SEARCH
NoNewPrivileges=yes
ProtectSystem=strict
ProtectHome=read-only
ProtectKernelTunables=yes
ProtectKernelModules=yes
ProtectControlGroups=yes
RestrictSUIDSGID=yes
RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX
PrivateDevices=yes
PrivateTmp=yes
Nice=10
IOSchedulingClass=idle

[Install]
WantedBy=multi-user.target
`;
}
