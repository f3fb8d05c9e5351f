// What the head of a manifest says of git and DVC. Writers pass what they are about to write through here as well, so that
// nothing is written that no reader takes.
import { readJson } from '../../platform/documents/read-document.js';
import * as s from '../../platform/documents/schema.js';

/** SHA-1 or SHA-256 of a git commit. */
export const COMMIT = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;
const MD5 = /^[0-9a-f]{32}(?:\.dir)?$/;
const MAX_NAME = 4096;
const MAX_COMMAND = 1024 * 1024;
const MAX_PATHS = 100_000;
/** Of `dvc`: deep enough for parameters of parameters, and with the manifest's own levels below what its head may have. */
const MAX_DEPTH = 12;

/** Whether a name is one that a stage can have in a manifest. */
export const isStageName = (name: string): boolean =>
  name !== '' && name.length <= MAX_NAME && !/\p{Surrogate}/u.test(name);

export const commit = s.schema(() => s.matching(COMMIT, 'a git commit in hex'));
const name = s.schema(() => s.textUpTo(MAX_NAME));
const md5 = s.schema(() => s.matching(MD5, 'an MD5 in hex'));

/** State of the git repository that the source folder lies in, when the upload began. */
export const GIT = s.schema(() =>
  s.object({
    /** Full hex of HEAD. */
    commit: commit(),
    /** Absent where HEAD is detached. */
    branch: s.exactOptional(name()),
    /** A tag of exactly this commit. */
    tag: s.exactOptional(name()),
    /** URL of `origin`, without credentials. */
    remote: s.exactOptional(name()),
    /** Something below the source folder differs from the commit. */
    dirty: s.flag,
  }),
);

/** A dependency or an output of a DVC stage, relative to the source folder. */
const DVC_PATH = s.schema(() =>
  s.object({
    path: name(),
    /** As dvc.lock has it: that of a folder ends in `.dir`. */
    md5: s.exactOptional(md5()),
    size: s.exactOptional(s.count),
    /** Of a folder. */
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
    /** By file, then by key. */
    params: s.anyObject,
    /** MD5 of dvc.lock. */
    lockMd5: s.exactOptional(md5()),
  }),
);

/** What an upload noted of DVC. */
export const DVC = s.schema(() =>
  s.object({
    /** Cache of the machine that uploaded. */
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

/** The record as every reader will have it. @throws integrity when it is too large or too deep for a manifest */
export const checkedDvc = (record: DvcRecord, what: string): DvcRecord =>
  readJson(DVC, JSON.stringify(record), what, MAX_DEPTH);
