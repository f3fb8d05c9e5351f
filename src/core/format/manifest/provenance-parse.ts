// What a manifest says of git and DVC, from text that nobody vouches for. Writers pass what they are about to write
// through here as well, so that nothing is written that no reader takes.
import { parseBoundedJson } from '../../platform/json/json-guard.js';
import { Fields } from '../../platform/json/json-fields.js';
import type { DvcPathRecord, DvcRecord, DvcStageRecord, GitRecord } from './provenance-types.js';

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

/** The key `git`. @throws integrity */
export function readGitRecord(fields: Fields): GitRecord {
  const commit = fields.text('commit');
  if (!COMMIT.test(commit)) fields.fail('commit', 'a git commit in hex');
  return {
    commit,
    ...optional(fields, 'branch'),
    ...optional(fields, 'tag'),
    ...optional(fields, 'remote'),
    dirty: fields.flag('dirty'),
  };
}

function optional<K extends string>(fields: Fields, key: K): { [P in K]?: string } {
  if (fields.get(key) === undefined) return {};
  return { [key]: bounded(fields, key) } as { [P in K]?: string };
}

function bounded(fields: Fields, key: string, most = MAX_NAME): string {
  const text = fields.text(key);
  return text.length <= most ? text : fields.fail(key, `a text of at most ${most} characters`);
}

/** The key `dvc`. @throws integrity */
export function readDvcRecord(fields: Fields): DvcRecord {
  const stage = fields.get('stage') === undefined ? undefined : readStage(fields.object('stage'));
  return {
    cacheDir: bounded(fields, 'cacheDir'),
    ...(stage === undefined ? {} : { stage }),
    ...(fields.get('outs') === undefined ? {} : { outs: readPaths(fields, 'outs') }),
  };
}

function readStage(fields: Fields): DvcStageRecord {
  const name = fields.text('name');
  if (!isStageName(name)) fields.fail('name', 'the name of a stage');
  const params = fields.object('params'); // an object, whatever is in it
  return {
    name,
    command: bounded(fields, 'command', MAX_COMMAND),
    deps: readPaths(fields, 'deps'),
    outs: readPaths(fields, 'outs'),
    params: params.own(),
    ...(fields.get('lockMd5') === undefined ? {} : { lockMd5: readMd5(fields, 'lockMd5') }),
  };
}

function readPaths(fields: Fields, key: 'deps' | 'outs'): readonly DvcPathRecord[] {
  const list = fields.list(key);
  if (list.length > MAX_PATHS) fields.fail(key, `a list of at most ${MAX_PATHS}`);
  return list.map((item, index) => readPath(new Fields(item, `'${key}' ${index} of ${fields.what}`)));
}

const readPath = (fields: Fields): DvcPathRecord => ({
  path: bounded(fields, 'path'),
  ...(fields.get('md5') === undefined ? {} : { md5: readMd5(fields, 'md5') }),
  ...(fields.get('size') === undefined ? {} : { size: fields.count('size') }),
  ...(fields.get('nfiles') === undefined ? {} : { nfiles: fields.count('nfiles') }),
});

function readMd5(fields: Fields, key: string): string {
  const md5 = fields.text(key);
  return MD5.test(md5) ? md5 : fields.fail(key, 'an MD5 in hex');
}

/** The record as every reader will have it. @throws integrity when it is too large or too deep for a manifest */
export function checkedDvc(record: DvcRecord, what: string): DvcRecord {
  return readDvcRecord(new Fields(parseBoundedJson(JSON.stringify(record), MAX_DEPTH, what), what));
}
