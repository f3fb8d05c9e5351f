// Flags about an s3:// prefix as SOURCE of `upload` and `sync`.
import { flag } from '../../cli/flag.js';

export const objectFlags = {
  sourceProfile: flag.text({
    placeholder: 'NAME',
    describe: 'AWS profile with the credentials for an s3:// SOURCE; that of --profile when not given',
  }),
  sourceRegion: flag.text({
    placeholder: 'NAME',
    describe: 'region of the bucket of an s3:// SOURCE; detected when not given',
  }),
  sourceEndpointUrl: flag.text({
    placeholder: 'URL|aws',
    describe:
      'server of an s3:// SOURCE, aws for AWS itself; that of --endpoint-url when neither this nor --source-profile is given',
  }),
  tempDir: flag.folder({
    describe:
      'where objects of an s3:// SOURCE lie until they are packed, a few chunks at a time; by default the folder for temporary files',
  }),
};

/** True for a source that is a prefix of a bucket. */
export const isObjectUrl = (source: string): boolean => source.startsWith('s3://');
