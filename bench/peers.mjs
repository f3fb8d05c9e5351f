// How each program does each row (rows.mjs), as bash. A row that a program does not have is one it cannot do.
// `at` of a run: `tree` the folder to keep, `out` an empty folder, `file` a path in the tree, `place` where it is kept (place.s3 is missing in a
// folder store), `version` how many times the tree was written, `said` a file for what the program answers, `home` for its caches.
import { fileURLToPath } from 'node:url';

const archiver = `node ${fileURLToPath(new URL('../dist/cli.js', import.meta.url))}`;
const archiverUrl = ({ place }) => place.s3 ?? `file://${place.folder}`;
const archiverSync = (at) =>
  `${archiver} sync ${at.tree} ${archiverUrl(at)} --dataset-id bench --compression-level 3 --json --quiet > ${at.said}`;

const archiverCheck = (at) => `${archiver} verify ${archiverUrl(at)} --deep --quiet`;

const resticBackup = ({ tree }) => `cd ${tree} && restic -q backup .`;

// The whole tree under /, wherever it lies.
const rusticBackup = ({ tree }) => `rustic backup ${tree} --as-path /`;

const rclone = `env -u AWS_CA_BUNDLE rclone --config '' --s3-provider Ceph --s3-env-auth --s3-force-path-style --links --transfers 16`;
const rcloneTo = ({ place }) =>
  place.s3 === undefined
    ? { rclone, kept: place.folder }
    : { rclone: `${rclone} --s3-endpoint ${place.endpoint}`, kept: `:s3:${place.bucket}/${place.name}` };
const rcloneRow = (words) => (at) => {
  const { rclone: program, kept } = rcloneTo(at);
  return `${program} ${words({ ...at, kept })}`;
};

const borgArchive = ({ place, version }) => `${place.folder}::v${version}`;
const borgCreate = (at) => `cd ${at.tree} && borg create --compression zstd,3 ${borgArchive(at)} .`;
const borgExtract = (at) => `cd ${at.out} && borg extract ${borgArchive(at)}`;

const borgCheck = ({ place }) => `borg check --verify-data ${place.folder}`;

const tarKept = ({ place }) => `${place.s3 ?? place.folder}/all.tar.zst`;
const tarBack = (at) => (at.place.s3 === undefined ? `cat ${tarKept(at)}` : `aws s3 cp --quiet ${tarKept(at)} -`);
const tarFiles = (at, words) => `${tarBack(at)} | zstd -dcq | tar ${words}`;

// Ten in a row, as one is too short for the clock.
const tenTimes = (command) => () => `for n in 1 2 3 4 5 6 7 8 9 10; do ${command} || exit 1; done`;

/**
 * `asksVersion` are commands that print versions; `env` are variables; `init` is not measured; `isFolderOnly`: kept in a folder whatever the store is;
 * `isFloor`: what the machine takes for a part of it, which is not compared as a program; `firstRoundOnly` and `never` name corpora.
 */
export const peers = {
  archiver: {
    asksVersion: `${archiver} --version`,
    env: ({ home }) => ({ ARCHIVER_HOME: home }),
    // As others make a repository: the first version in a store finds out whether it keeps If-None-Match.
    init: (at) =>
      `mkdir -p ${at.home}/first && date > ${at.home}/first/file && ${archiver} upload ${at.home}/first ${archiverUrl(at)} --dataset-id first --quiet`,
    upload: (at) => `${archiver} upload ${at.tree} ${archiverUrl(at)} --dataset-id bench --compression-level 3 --quiet`,
    restore: (at) => `${archiver} restore ${archiverUrl(at)} ${at.out} --dataset-id bench --all --quiet`,
    changed: archiverSync,
    one: (at) => `${archiver} restore ${archiverUrl(at)} ${at.out} --dataset-id bench --file ${at.file} --quiet`,
    list: (at) => `${archiver} list ${archiverUrl(at)} --dataset-id bench`,
    check: archiverCheck,
    recheck: archiverCheck,
    // A sync without changes makes no version.
    prune: (at) =>
      `${archiver} dataset prune ${archiverUrl(at)} --dataset-id bench --keep-last ${at.version - 2} --instant --yes --json --quiet > ${at.said}`,
    unchanged: archiverSync,
    renamed: archiverSync,
    help: tenTimes(`${archiver} --help`),
    version: tenTimes(`${archiver} --version`),
  },
  restic: {
    asksVersion: 'restic version',
    env: ({ place, home }) => ({
      RESTIC_PASSWORD: 'bench',
      RESTIC_CACHE_DIR: home,
      RESTIC_REPOSITORY: place.s3 === undefined ? place.folder : `s3:${place.endpoint}/${place.bucket}/${place.name}`,
    }),
    init: () => 'restic -q init',
    upload: resticBackup,
    restore: ({ out }) => `restic -q restore latest --target ${out}`,
    changed: resticBackup,
    one: ({ out, file }) => `restic -q restore latest --target ${out} --include /${file}`,
    list: () => 'restic -q ls latest',
    check: () => 'restic -q check --read-data',
    recheck: () => 'restic -q check --read-data',
    prune: ({ version }) => `restic -q forget --keep-last ${version - 1} --prune`,
    unchanged: resticBackup,
    renamed: resticBackup,
  },
  rustic: {
    asksVersion: 'rustic --version',
    env: ({ place, home }) => ({
      RUSTIC_PASSWORD: 'bench',
      RUSTIC_CACHE_DIR: home,
      RUSTIC_NO_PROGRESS: 'true',
      RUSTIC_LOG_LEVEL: 'warn',
      RUSTIC_REPOSITORY: place.s3 === undefined ? place.folder : 'opendal:s3',
      ...(place.s3 !== undefined && {
        RUSTIC_REPO_OPT_ENDPOINT: place.endpoint,
        RUSTIC_REPO_OPT_BUCKET: place.bucket,
        RUSTIC_REPO_OPT_ROOT: `/${place.name}`,
        RUSTIC_REPO_OPT_REGION: place.region,
      }),
    }),
    init: () => 'rustic init',
    upload: rusticBackup,
    restore: ({ out }) => `rustic restore latest ${out}`,
    changed: rusticBackup,
    one: ({ out, file }) => `rustic restore latest:${file} ${out}/one`,
    list: () => 'rustic ls latest --recursive',
    check: () => 'rustic check --read-data',
    recheck: () => 'rustic check --read-data',
    prune: ({ version }) => `rustic forget --keep-last ${version - 1} --prune --instant-delete`,
    unchanged: rusticBackup,
    renamed: rusticBackup,
  },
  rclone: {
    asksVersion: 'rclone version',
    // An object a file: one of them is a GET, which is nothing to compare with.
    firstRoundOnly: ['small'],
    never: ['million'],
    upload: rcloneRow(({ tree, kept }) => `copy ${tree} ${kept}`),
    restore: rcloneRow(({ kept, out }) => `copy ${kept} ${out}`),
    changed: rcloneRow(({ tree, kept }) => `sync ${tree} ${kept}`),
    list: rcloneRow(({ kept }) => `lsf -R ${kept}`),
    check: rcloneRow(({ tree, kept }) => `check --download ${tree} ${kept}`),
    unchanged: rcloneRow(({ tree, kept }) => `sync ${tree} ${kept}`),
    renamed: rcloneRow(({ tree, kept }) => `sync ${tree} ${kept}`),
  },
  borg: {
    asksVersion: 'borg --version',
    isFolderOnly: true,
    env: ({ home }) => ({ BORG_BASE_DIR: home, BORG_UNKNOWN_UNENCRYPTED_REPO_ACCESS_IS_OK: 'yes' }),
    init: ({ place }) => `borg init --encryption none ${place.folder}`,
    upload: borgCreate,
    restore: borgExtract,
    changed: borgCreate,
    one: (at) => `${borgExtract(at)} ${at.file}`,
    list: (at) => `borg list --short ${borgArchive(at)}`,
    check: borgCheck,
    recheck: borgCheck,
    prune: ({ place }) => `borg delete ${place.folder}::v1 && borg compact ${place.folder}`,
    unchanged: borgCreate,
    renamed: borgCreate,
  },
  tar: {
    asksVersion: 'tar --version && zstd --version && aws --version',
    init: ({ place }) => (place.s3 === undefined ? `mkdir -p ${place.folder}` : 'true'),
    upload: (at) => {
      const packed = `tar -C ${at.tree} -cf - . | zstd -3 -T0 -q`;
      return at.place.s3 === undefined
        ? `${packed} > ${tarKept(at)}`
        : `${packed} | aws s3 cp --quiet - ${tarKept(at)}`;
    },
    restore: (at) => tarFiles(at, `-x -C ${at.out}`),
    one: (at) => tarFiles(at, `-x -C ${at.out} ./${at.file}`),
    list: (at) => tarFiles(at, '-t'),
    // No check: `zstd -t` compares one checksum over all, and says nothing of a file.
  },
  'zstd alone': {
    asksVersion: 'zstd --version',
    isFloor: true,
    isFolderOnly: true,
    // What is packed and unpacked lies in memory.
    init: ({ tree, place }) =>
      `mkdir -p ${place.folder} && tar -C ${tree} -cf ${place.folder}/tar . && zstd -3 -T0 -q ${place.folder}/tar`,
    upload: ({ place }) => `zstd -3 -T0 -q -c ${place.folder}/tar`,
    restore: ({ place }) => `zstd -dcq ${place.folder}/tar.zst`,
  },
  cat: {
    asksVersion: 'cat --version',
    isFloor: true,
    isFolderOnly: true,
    upload: ({ tree }) => `find ${tree} -type f -exec cat {} +`,
  },
  cp: {
    asksVersion: 'cp --version',
    isFloor: true,
    isFolderOnly: true,
    restore: ({ tree, out }) => `cp -a ${tree}/. ${out}`,
  },
  node: {
    asksVersion: 'node --version',
    isFloor: true,
    isFolderOnly: true,
    help: tenTimes('node -e 0'),
    version: tenTimes('node -e 0'),
  },
};
