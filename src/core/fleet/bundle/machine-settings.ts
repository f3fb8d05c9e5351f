// Generates the config file of the machine of a writer, with nothing set: what programs run there is never told by a config that the agent
// pulls, and where it pings is told here first (docs/decisions/047-hooks.md).

/** Returns the file; `name` is that of the unit. */
export const machineSettings = (name: string): string =>
  `# Settings of this machine for its agent, which reads them when it starts. What it archives, and when, is in the signed config alone.
#
# Programs that run around each cycle. In the systemd unit they may read every file, and write to /var/lib/${name}
# and to a /tmp of their own; what /tmp and /var/tmp of the machine hold is not seen there.
# hooks:
#   before: ["/usr/local/bin/dump-database", "/var/lib/${name}/dump.sql"]
#   after: /usr/local/bin/note
#   onFailure: /usr/local/bin/page-somebody
#
# Instead of ping_url of the signed config:
# fleetagent:
#   run:
#     pingUrl: https://hc-ping.com/0f0c3c0e-0000-4000-8000-000000000001
`;
