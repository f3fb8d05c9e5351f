// Flags and arguments that several commands take, to be spread into their declarations. This is the only place for their names and help
// texts.
import { arg } from '../../cli/arg.js';
import { flag, ofFeature } from '../../cli/flag.js';
import { conflicts, requires } from '../../cli/rule.js';
import { STORAGE_CLASSES } from '../../core/store/providers/storage-classes.js';

/** Names one upload, for commands with `uploadTargetFlags`. */
export const uploadArg = arg.url('S3_URL', {
  describe: 'the upload, or the store of the dataset; not needed with --bucket or ARCHIVER_STORE',
});

/** The base URL of datasets. */
export const placeArg = arg.url('S3_URL', { describe: 'bucket and prefix of the uploads' });

/** Credentials and address of the store; every command that uses a store takes these. */
export const accessFlags = {
  profile: flag.text({ only: 's3', placeholder: 'NAME', describe: 'named AWS profile that holds the credentials' }),
  endpointUrl: flag.text({
    only: 's3',
    placeholder: 'URL',
    describe: 'address of an S3-compatible server instead of AWS',
  }),
  caBundle: flag.file({
    only: 's3',
    placeholder: 'FILE',
    describe: 'certificate authorities (PEM) to believe instead of the usual ones; AWS_CA_BUNDLE does the same',
  }),
};

/**
 * Access to the store. The default region is only the last resort, after variables, profile and the bucket itself: `context.origins.region`
 * tells whether a region was given.
 */
export const storeFlags = <const R extends string>(defaultRegion: R) => ({
  region: flag.text({
    only: 's3',
    short: 'r',
    placeholder: 'NAME',
    default: defaultRegion,
    describe: 'region of the bucket; when not given, the environment, the profile and the bucket are asked first',
  }),
  ...accessFlags,
});

/** Region of a bucket when nothing tells it. */
export const DEFAULT_REGION = 'us-east-1';

/** Access to the store, for commands without a default region. */
export const detectedStoreFlags = {
  region: flag.text({
    only: 's3',
    short: 'r',
    placeholder: 'NAME',
    describe: 'region of the bucket; detected when not given',
  }),
  ...accessFlags,
};

/** Permissions of files that a command writes to a folder. */
export const storeModeFlag = {
  storeMode: flag.mode({
    placeholder: 'MODE',
    describe:
      'mode of files in a file:// target; octal, such as 0640; folders get the same permissions, with execute where there is read (default 0600)',
  }),
};

/** For commands that compare a folder with an earlier version. */
export const ignoreCtimeFlag = flag.on({
  describe: 'size and modification time alone say what changed',
});

export const trackDeletesFlag = flag.on({
  describe: 'record missing files as deleted; without this they stay in later versions',
});

/** For commands that check versions. */
export const recordFlags = {
  record: flag.on({
    default: true,
    describe: 'record in the store what was checked, when, by whom, and what came of it',
    off: 'put no record of the check into the store',
  }),
};

/** For commands that fold rows by folder. */
export const allFlag = {
  all: flag.on({ describe: 'a row for each path, also where many of a folder are alike' }),
};

/** For commands that make a version of what differs from the one before. */
export const changesFlags = {
  force: flag.on({ describe: 'read and send everything again, as a version that lists all of it' }),
  trackDeletes: trackDeletesFlag,
  ignoreCtime: ignoreCtimeFlag,
};

/** Names the dataset that an upload becomes a version of. */
export const datasetIdFlag = flag.text({
  alias: 'dataset',
  names: 'dataset',
  placeholder: 'ID',
  describe:
    'dataset that this becomes a version of: its id, or the name that people call it; derived from this machine (or writer) and the folder when not given',
});

/** Encryption of uploads with KMS. */
export const encryptionFlags = {
  kmsKeyId: flag.text({
    placeholder: 'ID',
    describe: 'the store encrypts chunks with this KMS key (id, ARN or alias)',
  }),
  encryptManifest: flag.on({
    describe:
      'encrypt the manifest with --kms-key-id; it has the names of files, and a derived dataset id is then data-<hash>',
  }),
};

/** Names one upload: by its URL or id, or as a version of a dataset. */
export const uploadTargetFlags = <const R extends string>(defaultRegion: R) => ({
  uploadId: flag.text({ short: 'u', placeholder: 'ID', describe: 'upload, when the URL does not name it' }),
  datasetId: flag.text({
    alias: 'dataset',
    names: 'dataset',
    placeholder: 'NAME|ID',
    describe:
      'newest version of this dataset, when S3_URL is a store: its id, its name or a beginning that no other has; not needed where there is only one',
  }),
  version: flag.text({
    placeholder: 'VERSION',
    names: 'version',
    describe:
      'another version of the dataset: 2, v2, a tag of it, latest, YYYY-MM-DD or YYYY-MM-DDTHH:MM; as times are shown, Z or +02:00 behind it is another zone',
  }),
  asOf: flag.text({
    placeholder: 'YYYY-MM-DD[THH:MM]',
    describe:
      'newest version of the dataset made by the end of this day or minute; as times are shown, Z or +02:00 behind it is another zone',
  }),
  ...storeFlags(defaultRegion),
});

/** Allows only one way of naming an upload. */
export const uploadTargetRules = [
  conflicts('datasetId', ['uploadId']),
  conflicts('version', ['asOf', 'uploadId']),
  conflicts('asOf', ['uploadId']),
] as const;

/** The writer under whose prefix an upload goes. */
export const writerIdFlag = flag.text({
  placeholder: 'ID',
  default: '',
  describe: 'write under writers/ID/; auto derives an id that stays the same on this machine',
});

/** How files are packed. */
export const packingFlags = {
  shardStrategy: flag.choice(['round-robin', 'hash', 'size', 'type', 'directory'], {
    default: 'round-robin',
    describe: 'what decides the shard: chunks in turn, the path, equal bytes, the file extension, or the folder',
  }),
  compressionLevel: flag.int([1, 22], { describe: 'fixed zstd level instead of one by content' }),
  fileChecksums: flag.on({
    default: true,
    describe: 'record the MD5 of every file',
    off: 'record no MD5: faster where reading is, but nothing shows later that a file is as it was',
  }),
  enableDedup: flag.on({
    describe:
      'store equal content once; a sync then refers to what is stored under another name; later syncs keep this',
  }),
};

/** Metadata of git and DVC that an upload records. */
export const provenanceFlags = ofFeature('projects', {
  gitMetadata: flag.on({
    describe: 'record the git commit of the source folder; with branch, tag and remote, and the commit with each file',
  }),
  dvcAuto: flag.on({
    describe:
      'record with each file what makes it; the stage of a dvc.yaml below the source folder, or the .dvc file that tracks it',
  }),
  dvcStage: flag.text({
    placeholder: 'NAME',
    describe:
      'record this stage; its command, dependencies, outputs and parameters, and with each of its files that it made them; ' +
      'as DVC names it, also sub/dvc.yaml:train or data.dvc',
  }),
  dvcCacheDir: flag.folder({
    default: '.dvc/cache',
    describe: 'DVC cache of this machine; recorded with the other DVC flags, or when given; not looked at',
  }),
  generateDvcFiles: flag.on({
    describe: 'write FILE.dvc for each file once all is there; none for what DVC or git tracks or ignores',
  }),
  dvcOutputDir: flag.folder({ describe: 'where .dvc files go; the source folder when not given' }),
});

/** For uploads that may use any class. */
export const storageClassFlag = flag.choice(STORAGE_CLASSES, {
  default: 'STANDARD',
  describe: 'storage class of the chunks; the manifest is always STANDARD',
});

/** For new versions of a dataset. */
export const keptClassFlag = {
  ...storageClassFlag,
  describe:
    'storage class of the chunks; when not given that of the version before, if there is one; the manifest is always STANDARD',
};

/** How a long operation reports its progress. */
export const outputFlags = {
  progressFormat: flag.choice(['tui', 'json', 'text', 'none'], {
    describe: 'how progress is shown on stderr; tui on a terminal, else text',
  }),
};

/** Help text of --dry-run for uploads. */
export const DRY_RUN =
  'write nothing: look at the folder and the destination, say what would be sent and what that costs at most; --verbose lists every file';

/** What says by more than patterns which files are meant, of a folder or of an upload. */
export const narrowingFlags = {
  regex: flag.repeat({
    placeholder: 'RE',
    describe:
      'only paths with a match of this; a regular expression of JavaScript (flag u, without lookaround and back references), anywhere in the path unless ^ and $ say where; repeatable',
  }),
  largerThan: flag.bytes(0, { describe: 'only files with more bytes than this' }),
  smallerThan: flag.bytes(1, { describe: 'only files with fewer bytes than this' }),
  excludeLargerThan: flag.bytes(0, { describe: 'leave out files with more bytes than this' }),
  filesFrom: flag.fileOrStream({
    placeholder: 'FILE|-',
    describe: 'only the paths in this file (- is stdin), one a line as they are listed, and what is below them',
  }),
  filesFromRaw: flag.fileOrStream({
    placeholder: 'FILE|-',
    describe: 'as --files-from; with a zero byte after each path, as `find -print0` writes it',
  }),
};

/** Rule for `narrowingFlags`. */
export const listRule = conflicts('filesFrom', ['filesFromRaw']);

/** How what selects files goes together, for descriptions. */
export const FILTERING =
  'Whatever else selects files (--regex, --larger-than, --smaller-than, --files-from) narrows that down: a file is archived ' +
  'where each of them allows it, and a folder where something in it is.';

/** Selects the files that are archived. */
export const filterFlags = {
  exclude: flag.repeat({ placeholder: 'PATTERN', describe: 'leave out paths that match this gitignore pattern' }),
  include: flag.repeat({
    placeholder: 'PATTERN',
    describe: 'archive paths that match; even if --exclude leaves them out',
  }),
  excludeFile: flag.file({ placeholder: 'FILE', describe: 'file of gitignore patterns to leave out' }),
  excludeCaches: flag.on({ describe: 'leave out folders that hold a CACHEDIR.TAG' }),
  excludeIfPresent: flag.repeat({
    placeholder: 'FILE',
    describe:
      'leave out what lies beside this file; NAME, or NAME:TEXT for files that begin with TEXT; the file itself stays; repeatable',
  }),
  ...narrowingFlags,
  oneFileSystem: flag.on({ describe: 'do not descend into other file systems' }),
  failFast: flag.on({ describe: 'stop at the first file that cannot be read' }),
  ...ofFeature('projects', {
    dvcCache: flag.on({
      describe: 'archive .dvc/tmp, and all of .dvc/cache, too',
    }),
  }),
};

const BY_CLOCK =
  'or by local time: "08:00,10MiB 18:00,off" for every day, "Mon-08:00,512KiB Fri-18:00,off" from then on; a run that goes on keeps to each in turn';

/** Limits of the transfer rate. */
export const limitFlags = {
  limitUpload: flag.rate({
    alias: 'bandwidth',
    describe: `bytes sent per second at most, such as 10MiB/s; ${BY_CLOCK}`,
  }),
  limitDownload: flag.rate({
    alias: 'bandwidth',
    describe: `bytes received per second at most, such as 10MiB/s; ${BY_CLOCK}`,
  }),
};

/** Flags of every upload of one folder, full or compared with a version. */
export const folderFlags = {
  ...provenanceFlags,
  ...encryptionFlags,
  ...filterFlags,
  limitUpload: limitFlags.limitUpload,
};

/** Rules for `folderFlags`. */
export const folderRules = [
  listRule,
  requires('encryptManifest', 'kmsKeyId'),
  requires('dvcOutputDir', 'generateDvcFiles'),
  {
    kind: 'check',
    text: '--generate-dvc-files needs the MD5 of every file: leave out --no-file-checksums',
    ok: (v: { readonly generateDvcFiles: boolean; readonly fileChecksums: boolean }) =>
      !v.generateDvcFiles || v.fileChecksums,
  },
] as const;

/** What several sources are, for descriptions. */
export const SOURCES =
  'With one folder, paths in the archive are relative to it; a file, and each of several sources, is there under its own name. ' +
  'A link that is given as a source stands for what it leads to.';

/** Rules for commands with several sources. */
export const sourceRules = [
  {
    kind: 'check',
    text: '--one-file-system takes one SOURCE',
    ok: (v: { readonly oneFileSystem: boolean }, args: readonly unknown[]) =>
      !v.oneFileSystem || (Array.isArray(args[0]) && args[0].length === 1),
  },
] as const;

/** Answers the questions of a command. */
export const yesFlag = { yes: flag.on({ short: 'y', describe: 'answer yes to every question' }) };

/** How chunks are retrieved from cold storage. */
export const coldFlags = {
  tier: flag.choice(['expedited', 'standard', 'bulk'], {
    default: 'standard',
    describe:
      'how fast chunks are retrieved from cold storage: 1-5 min, 3-5 h, 5-12 h (GLACIER); not offered, within 12 h, within 48 h (DEEP_ARCHIVE)',
  }),
  wait: flag.on({ describe: 'wait until everything in cold storage is readable, then restore it' }),
  restoreDays: flag.int([1, 36_500], { default: 7, describe: 'days for which the readable copy is kept' }),
  maxRestoreCost: flag.usd({
    describe: 'request and fetch nothing when the estimate is higher, or when a price is not known',
  }),
};

/** How restored files are written. */
export const writeFlags = {
  overwrite: flag.choice(['always', 'if-newer', 'if-changed', 'never'], {
    default: 'if-changed',
    describe: 'which existing files are replaced: all; older ones; those with another size or time; none',
  }),
  flatten: flag.on({ describe: 'write every file by its base name into OUTPUT_DIR; refused when two have the same' }),
  verify: flag.on({
    default: true,
    describe: 'compare each file with its checksum',
    off: 'do not compare each file with its checksum',
  }),
  keepSpecialBits: flag.on({
    describe:
      'restore setuid, setgid and sticky bits as well, and attributes other than user.* and ACLs, such as capabilities',
  }),
};

/** Number of concurrent requests. */
export const workersFlag = { workers: flag.int([1, 64], { default: 4, describe: 'requests at a time' }) };

/** Size of the cache of fetched data. `more` is added to its help text. */
export const cacheFlag = (more = '') => ({
  cacheGb: flag.int([0, 1_000_000], { default: 10, describe: `size of the cache of fetched data; 0 means 10${more}` }),
});

/** The writer under whose prefix a dataset is looked for. */
export const writerFlag = {
  writerId: flag.text({
    placeholder: 'ID',
    describe: 'look under writers/ID/; auto is the id that this machine writes under',
  }),
};

/** Names an existing dataset to read. */
export const datasetFlag = {
  datasetId: flag.text({
    alias: 'dataset',
    names: 'dataset',
    placeholder: 'NAME|ID',
    describe: 'the dataset: its id, its name or a beginning that no other has; not needed where there is only one',
  }),
};
