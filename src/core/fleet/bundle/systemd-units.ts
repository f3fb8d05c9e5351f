// Generates systemd units to run the writer without containers: a service that runs one cycle, and a timer that starts it.
import { type AgentCall, agentWords } from './compose-file.js';

/** The folder on a machine where the README puts the files of a bundle. */
export const machineFolder = (writerId: string): string => `/etc/archiver/${writerId}`;

export const unitName = (writerId: string): string => `archiver-${writerId}`;

/** Escapes `%`, which begins a specifier in systemd. */
const escaped = (text: string): string => text.replaceAll('%', '%%');

/**
 * Returns the service unit. It runs as a user of its own that may read every file but write only its state; systemd passes the credentials.
 */
export function serviceUnit(
  call: AgentCall,
  files: { readonly publicKey: string; readonly credentials: string },
  program = '/usr/local/bin/archiver',
): string {
  const { writerId, place, endpointUrl } = call;
  const folder = machineFolder(writerId);
  const name = unitName(writerId);
  const words = [...agentWords(call, `${folder}/${files.publicKey}`), '--once'].map(escaped);
  return `[Unit]
Description=archiver, writer ${writerId} of ${place.url}
Wants=network-online.target
After=network-online.target

[Service]
Type=oneshot
DynamicUser=yes
StateDirectory=${name}
StateDirectoryMode=0700
LoadCredential=aws:${folder}/${files.credentials}
Environment=ARCHIVER_HOME=%S/${name}
Environment=AWS_SHARED_CREDENTIALS_FILE=%d/aws
Environment=AWS_EC2_METADATA_DISABLED=true
${endpointUrl === undefined ? '' : `Environment="AWS_ENDPOINT_URL=${escaped(endpointUrl)}"\n`}ExecStart=${program} ${words.join(' ')}
# 3: some files could not be read; named in the journal
SuccessExitStatus=3
TimeoutStopSec=30
# Reads every file of this machine and writes none
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
`;
}

/** Returns the timer unit. Random delays keep the machines of a fleet from starting in the same minute. */
export const timerUnit = (writerId: string): string => `[Unit]
Description=archiver, writer ${writerId}, every hour

[Timer]
OnCalendar=hourly
RandomizedDelaySec=10min
Persistent=true

[Install]
WantedBy=timers.target
`;
