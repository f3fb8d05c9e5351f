// Flags of unattended runs.
import { flag, ofFeature } from '../../cli/flag.js';

/** Notifications about an unattended run. */
export const noticeFlags = ofFeature('notify', {
  pingUrl: flag.text({
    secret: true,
    placeholder: 'URL',
    describe: 'tell a monitor of jobs: POST to URL/start, then to URL or, after a failure, URL/<exit status>',
  }),
  textfile: flag.file({
    placeholder: 'FILE',
    describe: "metrics of the last run: for the textfile collector of Prometheus' node_exporter",
  }),
});
