// Flags about an s3:// prefix as SOURCE of `upload` and `sync`.
import { flag } from '../../cli/flag.js';
import { limitFlags } from '../kit/flags.js';

export const objectFlags = {
  sourceProfile: flag.text({ placeholder: 'NAME', describe: 'AWS profile for an s3:// SOURCE' }),
  sourceRegion: flag.text({ placeholder: 'NAME', describe: 'region of an s3:// SOURCE' }),
  sourceEndpointUrl: flag.text({ placeholder: 'URL|aws', describe: 'server of an s3:// SOURCE' }),
  // --bandwidth is the line to STORE.
  limitDownload: {
    ...limitFlags.limitDownload,
    alias: undefined,
    describe: 'bytes read of an s3:// SOURCE per second; as --limit-upload',
  },
  tempDir: flag.folder({ describe: 'where an s3:// SOURCE lies until it is packed' }),
};

/** True for a source that is a prefix of a bucket. */
export const isObjectUrl = (source: string): boolean => source.startsWith('s3://');
