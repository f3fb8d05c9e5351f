// Flags of runs that nobody watches.
import { flag } from '../../cli/flag.js';

/** Who is told of an unattended run. */
export const noticeFlags = {
  pingUrl: flag.text({
    secret: true,
    placeholder: 'URL',
    describe:
      'tell a monitor of jobs, as healthchecks.io, by POST: URL/start, then URL or, where it fails, URL/<exit status>',
  }),
  textfile: flag.file({
    placeholder: 'FILE',
    describe:
      "write when and how the last run ended to this file, for the textfile collector of Prometheus' node_exporter",
  }),
};
