// Generates the units of the operator that extend the locks of a fleet: a new version refers to chunks of earlier ones, whose locks end before.
import { type AgentCall, retainText } from './compose-file.js';
import { escaped, PROGRAM } from './systemd-units.js';

const HOUR_MS = 3_600_000;
/** Of the time for which objects are locked, at most this passes from one extension to the next. */
const SHARE = 4;
const CALENDARS = [
  { calendar: 'monthly', ms: 31 * 24 * HOUR_MS },
  { calendar: 'weekly', ms: 7 * 24 * HOUR_MS },
  { calendar: 'daily', ms: 24 * HOUR_MS },
  { calendar: 'hourly', ms: HOUR_MS },
] as const;

/** The name of the units, the same for all writers of a fleet. */
export const lockUnitName = ({ place }: Pick<AgentCall, 'place'>): string =>
  `archiver-lock-extend-${place.url.slice('s3://'.length).replaceAll('/', '-')}`;

/** The folder on the machine of the operator with the credentials that extend locks. */
export const OPERATOR_FOLDER = '/etc/archiver/operator';

/** Returns the units by their names; none for a fleet that locks nothing. */
export function lockUnits(call: AgentCall): ReadonlyMap<string, string> {
  const { place, lock, region, endpointUrl } = call;
  if (lock === undefined) return new Map();
  const name = lockUnitName(call);
  const retain = retainText(lock.retainMs);
  const command = [
    'fleet',
    'lock-extend',
    place.url,
    '--until',
    retain,
    '--object-lock',
    lock.mode,
    '--region',
    region,
  ];
  const calendar = CALENDARS.find(({ ms }) => ms * SHARE <= lock.retainMs)?.calendar ?? 'hourly';
  const service = `[Unit]
Description=archiver, locks of ${place.url}
Wants=network-online.target
After=network-online.target

[Service]
Type=oneshot
DynamicUser=yes
StateDirectory=${name}
StateDirectoryMode=0700
LoadCredential=aws:${OPERATOR_FOLDER}/credentials
Environment=ARCHIVER_HOME=%S/${name}
Environment=AWS_SHARED_CREDENTIALS_FILE=%d/aws
${endpointUrl === undefined ? '' : `Environment="AWS_ENDPOINT_URL=${escaped(endpointUrl)}"\n`}ExecStart=${PROGRAM} ${command.map(escaped).join(' ')} --yes
NoNewPrivileges=yes
ProtectSystem=strict
ProtectHome=yes
PrivateDevices=yes
Nice=10
`;
  const timer = `[Unit]
Description=archiver, locks of ${place.url} are extended to ${retain}

[Timer]
OnCalendar=${calendar}
RandomizedDelaySec=10min
Persistent=true

[Install]
WantedBy=timers.target
`;
  return new Map([
    [`${name}.service`, service],
    [`${name}.timer`, timer],
  ]);
}
