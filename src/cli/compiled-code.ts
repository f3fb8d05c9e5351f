// Runs the scripts of dist/, and keeps what V8 has compiled of them for the next call with the same use: a third of the time of a short command
// (docs/decisions/101). Without such a folder they run all the same.
import { createHash } from 'node:crypto';
import {
  constants,
  closeSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { Script } from 'node:vm';
import { threadId } from 'node:worker_threads';
import { archiverHome } from './archiver-home.js';

/** As Node wraps a script (module.wrapper), which is a part of what is compiled. */
const WRAPPER = ['(function (exports, require, module, __filename, __dirname) { ', '\n});'] as const;
const DIGEST_BYTES = 32;
/** V8 copies compiled code that is not at such an address. */
const ALIGNMENT = 8;
/** Later V8 has begun to drop what ran only at the start. */
const LATEST_MS = 10_000;
/** What runs so much longer than what was kept has most likely compiled more. */
const LONGER = 1.5;
/** Folders of other builds, versions and flags of Node in which nothing was written for so long belong to none that is used. */
const UNUSED_MS = 90 * 86_400_000;

/** What a file of compiled code begins with, after its digest. */
interface Head {
  /** How long the thread had run by then. */
  readonly ms: number;
  /** Names of scripts, and the bytes of each. */
  readonly scripts: readonly (readonly [string, number])[];
}

interface Kept {
  readonly ms: number;
  readonly scripts: ReadonlyMap<string, Buffer>;
}

const NONE: Kept = { ms: 0, scripts: new Map() };

type Wrapped = (exports: unknown, require: unknown, module: unknown, filename: string, dirname: string) => void;

export interface Running {
  readonly env: NodeJS.ProcessEnv;
  /** Folder of the scripts, which may change with `build` only. */
  readonly folder: string;
  readonly build: string;
  /** What is run, in a word: calls of the same command compile the same functions. */
  readonly use: string;
}

/** Runs a script of the folder in this thread; those that it requires by relative paths run in the same way. */
export function runScript(name: string, running: Running): void {
  const file = keptFile(running);
  const scripts = new Scripts(running.folder, file === undefined ? NONE : readKept(file));
  if (file !== undefined) {
    const keep = once(() => scripts.keep(file));
    process.once('exit', keep);
    setTimeout(keep, LATEST_MS).unref();
  }
  scripts.load(join(running.folder, name));
}

class Scripts {
  private readonly modules = new Map<string, { exports: unknown }>();
  private readonly compiled = new Map<string, Script>();
  private readonly others: NodeJS.Require;
  private hasNew = false;

  constructor(
    private readonly folder: string,
    private readonly kept: Kept,
  ) {
    this.others = createRequire(join(folder, 'x.js'));
  }

  load(path: string): unknown {
    const known = this.modules.get(path);
    if (known !== undefined) return known.exports;
    const module = { exports: {} };
    this.modules.set(path, module);
    const require = (id: string): unknown =>
      id.startsWith('.') ? this.load(join(dirname(path), id)) : this.others(id);
    try {
      const wrapped = this.compile(path).runInThisContext() as Wrapped;
      wrapped.call(module.exports, module.exports, Object.assign(require, this.others), module, path, dirname(path));
    } catch (error) {
      this.modules.delete(path);
      throw error;
    }
    return module.exports;
  }

  private compile(path: string): Script {
    const name = relative(this.folder, path);
    const text = readFileSync(path, 'utf8');
    const cachedData = this.kept.scripts.get(name);
    const script = new Script(WRAPPER.join(text), { filename: path, ...(cachedData && { cachedData }) });
    if (cachedData === undefined || script.cachedDataRejected === true) this.hasNew = true;
    this.compiled.set(name, script);
    return script;
  }

  /** Writes what is compiled by now, if that is more than there was. */
  keep(file: string): void {
    const ms = performance.now();
    if (!this.hasNew && ms < this.kept.ms * LONGER) return;
    try {
      if (isYounger(file, performance.timeOrigin)) return;
      const compiled = [...this.compiled].map(([name, script]) => [name, script.createCachedData()] as const);
      // What other commands run is kept with what this one has run.
      const data = [...new Map([...this.kept.scripts, ...compiled])];
      const scripts = data.map(([name, { length }]) => [name, length] as const);
      writeKept(
        file,
        { ms: Math.max(ms, this.kept.ms), scripts },
        data.map(([, bytes]) => bytes),
      );
    } catch {
      // It takes longer without.
    }
  }
}

/** Of many calls that begin together one keeps what it has compiled. */
function isYounger(file: string, sinceMs: number): boolean {
  return (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0) > sinceMs;
}

function once(work: () => void): () => void {
  let isDone = false;
  return () => {
    if (!isDone) work();
    isDone = true;
  };
}

/**
 * Where compiled code is kept: in archiver's own folder, if that is there. Whoever can write to it runs code here, so it must be of this user,
 * and nobody else may write to it.
 */
function keptFile({ env, build, use }: Running): string | undefined {
  const { HOME: userHome, NODE_DISABLE_COMPILE_CACHE: disabled } = env;
  if (userHome === undefined || (disabled ?? '') !== '') return undefined;
  const home = archiverHome(env, userHome);
  const all = join(home, 'compiled-code');
  try {
    if (!isOwn(lstatSync(home))) return undefined;
    mkdirSync(all, { mode: 0o700, recursive: true });
    if (!isOwn(lstatSync(all))) return undefined;
    // V8 takes what it has compiled with the same flags only.
    const flags = digestOf(Buffer.from(JSON.stringify([build, process.execArgv, env['NODE_OPTIONS']]))).toString('hex');
    return join(all, `${process.version}-${process.arch}-${flags.slice(0, 16)}`, use);
  } catch {
    return undefined;
  }
}

const isOwn = ({ uid, mode }: { readonly uid: number; readonly mode: number }): boolean =>
  uid === process.getuid?.() && (mode & 0o022) === 0;

const digestOf = (bytes: Buffer): Buffer => createHash('sha256').update(bytes).digest();

const aligned = (bytes: number): number => Math.ceil(bytes / ALIGNMENT) * ALIGNMENT;

/** Nothing where there is none that can be used. */
function readKept(file: string): Kept {
  try {
    const fd = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW);
    try {
      return isOwn(fstatSync(fd)) ? keptIn(readFileSync(fd)) : NONE;
    } finally {
      closeSync(fd);
    }
  } catch {
    return NONE;
  }
}

/** V8 trusts what it is given, so damaged bytes are not used. */
function keptIn(bytes: Buffer): Kept {
  const content = bytes.subarray(DIGEST_BYTES);
  if (!digestOf(content).equals(bytes.subarray(0, DIGEST_BYTES))) return NONE;
  const length = content.readUInt32LE(0);
  const head = JSON.parse(content.toString('utf8', 4, 4 + length)) as Head;
  let at = DIGEST_BYTES + aligned(4 + length);
  const scripts = head.scripts.map(([name, size]) => {
    const data = bytes.subarray(at, at + size);
    at += aligned(size);
    return [name, data] as const;
  });
  return { ms: head.ms, scripts: new Map(scripts) };
}

/** A reader finds the old bytes or the new ones. */
function writeKept(file: string, head: Head, data: readonly Buffer[]): void {
  const text = Buffer.from(JSON.stringify(head));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(text.length);
  const padded = [Buffer.concat([length, text]), ...data].flatMap((part) => [
    part,
    Buffer.alloc(aligned(part.length) - part.length),
  ]);
  const content = Buffer.concat(padded);
  const folder = dirname(file);
  if (mkdirSync(folder, { mode: 0o700, recursive: true }) !== undefined) removeUnused(dirname(folder));
  const temp = `${file}.${process.pid}-${threadId}`;
  try {
    writeFileSync(temp, Buffer.concat([digestOf(content), content]), { mode: 0o600, flag: 'wx' });
    renameSync(temp, file);
  } catch (error) {
    rmSync(temp, { force: true });
    throw error;
  }
}

function removeUnused(all: string): void {
  for (const name of readdirSync(all)) {
    const path = join(all, name);
    if (Date.now() - statSync(path).mtimeMs > UNUSED_MS) rmSync(path, { recursive: true, force: true });
  }
}
