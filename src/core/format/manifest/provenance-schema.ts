// Git and DVC in the head of a manifest. Writers check with this schema, too, so that nothing is written that readers refuse.
import { readJson } from '../../platform/documents/read-document.js';
import * as s from '../../platform/documents/schema.js';

/** SHA-1 or SHA-256 of a git commit. */
export const COMMIT = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;
const MD5 = /^[0-9a-f]{32}(?:\.dir)?$/;
const MAX_NAME = 4096;
const MAX_COMMAND = 1024 * 1024;
const MAX_PATHS = 100_000;
/** Depth of `dvc`: enough for parameters of parameters, and together with the manifest's own levels below the limit of its head. */
const MAX_DEPTH = 12;

/** True for a name that a stage can have in a manifest. */
export const isStageName = (name: string): boolean =>
  name !== '' && name.length <= MAX_NAME && !/\p{Surrogate}/u.test(name);

export const commit = s.schema(() => s.matching(COMMIT, 'a git commit in hex'));
const name = s.schema(() => s.textUpTo(MAX_NAME));
const md5 = s.schema(() => s.matching(MD5, 'an MD5 in hex'));

/** State of the git repository that holds the source folder, when the upload began. */
export const GIT = s.schema(() =>
  s.object({
    /** Full commit of HEAD in hex. */
    commit: commit(),
    /** Absent when HEAD is detached. */
    branch: s.exactOptional(name()),
    /** A tag that points at this commit. */
    tag: s.exactOptional(name()),
    /** URL of `origin`, without credentials. */
    remote: s.exactOptional(name()),
    /** True when something below the source folder differs from the commit. */
    dirty: s.flag,
  }),
);

/** A dependency or an output of a DVC stage, relative to the source folder. */
const DVC_PATH = s.schema(() =>
  s.object({
    path: name(),
    /** As in dvc.lock: that of a folder ends in `.dir`. */
    md5: s.exactOptional(md5()),
    /** How `md5` was made, where that is not of the bytes: DVC 2 reads text with Unix line ends. */
    hash: s.exactOptional(s.oneOf(['md5-dos2unix'])),
    size: s.exactOptional(s.count),
    /** Number of files in a folder. */
    nfiles: s.exactOptional(s.count),
  }),
);
const dvcPaths = s.schema(() => s.listOf(DVC_PATH(), { most: MAX_PATHS }));

/** Provenance of one DVC stage. */
const DVC_STAGE = s.schema(() =>
  s.object({
    name: s.textThat(isStageName, 'the name of a stage'),
    command: s.textUpTo(MAX_COMMAND),
    deps: dvcPaths(),
    outs: dvcPaths(),
    /** Parameters by file, then by key. */
    params: s.anyObject,
    /** MD5 of dvc.lock. */
    lockMd5: s.exactOptional(md5()),
  }),
);

/** DVC metadata of an upload. */
export const DVC = s.schema(() =>
  s.object({
    /** Cache folder on the machine that uploaded. */
    cacheDir: name(),
    stage: s.exactOptional(DVC_STAGE()),
    /** Outputs of all stages; with `--dvc-auto`. */
    outs: s.exactOptional(dvcPaths()),
  }),
);

export type GitRecord = s.Read<typeof GIT>;
export type DvcPathRecord = s.Read<typeof DVC_PATH>;
export type DvcStageRecord = s.Read<typeof DVC_STAGE>;
export type DvcRecord = s.Read<typeof DVC>;

/** The record as every reader will parse it. @throws integrity when it is too large or too deep for a manifest */
export const checkedDvc = (record: DvcRecord, what: string): DvcRecord =>
  readJson(DVC, JSON.stringify(record), what, MAX_DEPTH);
