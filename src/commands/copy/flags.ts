// Flags of `archiver copy`: what is copied, the store that it comes from, and beside that the one that it goes to.
import { flag } from '../../cli/flag.js';
import { budgetGateFlags } from '../kit/budget-flags.js';
import {
  encryptionFlags,
  limitFlags,
  outputFlags,
  storageClassFlag,
  storeFlags,
  storeModeFlag,
  workersFlag,
} from '../kit/flags.js';
import { createOnceFlag } from '../kit/guard-flags.js';
import { projectFlag } from '../kit/ledger-flags.js';
import { lockFlags } from '../kit/lock-flags.js';

export const flags = {
  datasetId: flag.text({
    alias: 'dataset',
    placeholder: 'NAME|ID',
    describe: 'only this dataset: its id, its name or a beginning that no other has; all datasets when not given',
  }),
  version: flag.repeat({
    placeholder: 'VERSION',
    describe:
      'only this version of the dataset: 2, v2, latest, a tag, YYYY-MM-DD or YYYY-MM-DDTHH:MM (UTC); repeatable; all versions when not given',
  }),
  ...storeFlags('us-west-2'),
  toRegion: flag.text({
    only: 's3',
    placeholder: 'NAME',
    describe: 'region of the bucket of TO; detected when not given',
  }),
  toProfile: flag.text({
    only: 's3',
    placeholder: 'NAME',
    describe: 'named AWS profile with the credentials for TO; that of --profile when not given',
  }),
  toEndpointUrl: flag.text({
    only: 's3',
    placeholder: 'URL|aws',
    describe: 'address of the server of TO, aws for AWS itself; that of --endpoint-url when not given',
  }),
  toCaBundle: flag.file({
    only: 's3',
    placeholder: 'FILE',
    describe: 'certificate authorities (PEM) to believe of the server of TO; those of --ca-bundle when not given',
  }),
  storageClass: storageClassFlag,
  kmsKeyId: encryptionFlags.kmsKeyId,
  allowUnencrypted: flag.on({
    describe: 'copy versions whose chunks a KMS key encrypts to where no key encrypts them',
  }),
  ...lockFlags,
  ...storeModeFlag,
  ...createOnceFlag,
  exclusive: flag.on({
    describe: 'nobody else writes to TO or prunes it now: copy also what a prune there has marked or swept before',
  }),
  newStore: flag.on({
    describe: 'begin anew where TO forgot a dataset: this computer has copied versions there, and it has none',
  }),
  deep: flag.on({ describe: 'read what is in TO already as well, and compare each byte of it' }),
  dryRun: flag.on({ describe: 'write nothing: say what would be copied, and what that costs at most' }),
  ...projectFlag,
  ...budgetGateFlags,
  ...workersFlag,
  ...limitFlags,
  // --bandwidth is the line to TO.
  limitDownload: { ...limitFlags.limitDownload, alias: undefined },
  ...outputFlags,
};
