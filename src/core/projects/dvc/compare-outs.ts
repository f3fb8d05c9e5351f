// Compares outputs as a version has them with dvc.lock and `.dvc` files. Of an MD5 of DVC 2 that differs, the local file is read once more:
// that MD5 is one of text with Unix line ends, which no manifest has.
import type { Entry } from '../../format/manifest/manifest-types.js';
import { systemCode } from '../../platform/failures/errors.js';
import { parentOf, type RawPath, pathBelow, rawFromText, textFromRaw, TOP } from '../../platform/paths/raw-path.js';
import { ContentMd5 } from './content-md5.js';
import { FolderHasher, type HashedFile } from './dir-hash.js';
import { isInside } from './pipeline.js';
import type { IsIgnored } from './stage-files.js';
import type { Stage, StagePath } from './stage-types.js';

export interface CompareOutsOptions {
  readonly stages: readonly Stage[];
  /** Of the version, in path order. */
  readonly entries: AsyncIterable<readonly Entry[]>;
  /** Absolute path of the folder. */
  readonly source: RawPath;
  readonly isIgnored: IsIgnored;
  readonly signal: AbortSignal;
}

/** An output that a version lacks, or that differs from dvc.lock or its `.dvc` file; `unknown`: it cannot be said whether it does. */
export interface DifferingOut {
  readonly path: string;
  readonly stage: string;
  readonly change: 'missing' | 'modified' | 'unknown';
  readonly reason: string;
}

/** Compares all outputs in the folder; returns those that differ. @throws what `entries` throws, cancelled */
export async function compareOuts(options: CompareOutsOptions): Promise<readonly DifferingOut[]> {
  const { stages, entries, source, isIgnored } = options;
  const checks = checksOf(stages);
  for await (const batch of entries) {
    for (const entry of batch) {
      const check = checkOf(checks, entry.path);
      if (check !== undefined && (check.isOf(entry.path) || !isIgnored(entry.path, entry.type === 'directory')))
        check.add(entry);
    }
  }
  const reader = new ContentMd5(options.signal);
  const differing: DifferingOut[] = [];
  for (const check of checks.values()) {
    const verdict = await check.verdict(source, reader);
    if (verdict !== undefined) differing.push({ path: check.text, stage: check.stage, ...verdict });
  }
  return differing;
}

function checksOf(stages: readonly Stage[]): ReadonlyMap<RawPath, OutCheck> {
  const checks = new Map<RawPath, OutCheck>();
  for (const { name, outs } of stages) {
    for (const out of outs) {
      const path = out.path === '.' ? TOP : rawFromText(out.path);
      if (isInside(path) && !checks.has(path)) checks.set(path, new OutCheck(path, out, name));
    }
  }
  return checks;
}

/** Returns the output that a path is, or lies in. */
function checkOf(checks: ReadonlyMap<RawPath, OutCheck>, path: RawPath): OutCheck | undefined {
  return checks.get(path) ?? (path === TOP ? undefined : checkOf(checks, parentOf(path)));
}

type Verdict = Pick<DifferingOut, 'change' | 'reason'> | undefined;
const MODIFIED: Verdict = { change: 'modified', reason: 'its content is another one' };
const unknown = (reason: string): Verdict => ({ change: 'unknown', reason });

/** One output, while the entries of a version are looked at. */
class OutCheck {
  readonly text: string;
  private isThere = false;
  private isFolder = false;
  private problem: string | undefined;
  private readonly hasher = new FolderHasher();
  /** Its files, paths relative to it; kept for DVC 2 alone, but for an output that is a file. */
  private readonly files: HashedFile[] = [];

  constructor(
    private readonly path: RawPath,
    private readonly out: StagePath,
    readonly stage: string,
  ) {
    this.text = out.path;
  }

  isOf(path: RawPath): boolean {
    return path === this.path;
  }

  add({ path, type, md5, size }: Entry): void {
    this.isThere = true;
    if (path === this.path) this.isFolder = type === 'directory';
    if (type === 'directory') return;
    const below = textFromRaw(path.slice(this.path === TOP ? 0 : this.path.length + 1));
    if (type === 'symlink') this.problem ??= path === this.path ? 'it is stored as a link' : 'there are links in it';
    else if (md5 === undefined) this.problem ??= 'the version has no MD5 of it';
    else if (below === undefined) this.problem ??= 'there are names in it that are not UTF-8';
    else {
      const file = { path: below, md5, size };
      if (path !== this.path) this.hasher.add(file);
      if (path === this.path || this.out.hash !== undefined) this.files.push(file);
    }
  }

  /** Returns how the output differs; undefined if it does not, or nothing says what it was. @throws cancelled */
  async verdict(source: RawPath, reader: ContentMd5): Promise<Verdict> {
    const { md5: wanted, hash } = this.out;
    if (!this.isThere) return { change: 'missing', reason: 'it is not in the version' };
    if (wanted === undefined) return undefined;
    if (this.problem !== undefined) return unknown(this.problem);
    const found = this.isFolder ? this.hasher.finish().md5 : this.files[0]?.md5;
    if (found === wanted) return undefined;
    if (hash === undefined || this.isFolder !== wanted.endsWith('.dir')) return MODIFIED;
    try {
      return await this.verdictOfDvc2(source, reader);
    } catch (error) {
      if (systemCode(error) === undefined) throw error;
      return unknown('its MD5 is one of DVC 2, and it cannot be read any more');
    }
  }

  private async verdictOfDvc2(source: RawPath, reader: ContentMd5): Promise<Verdict> {
    const absolute = this.path === TOP ? source : pathBelow(source === '/' ? TOP : source, this.path);
    const hasher = new FolderHasher();
    for (const file of this.files) {
      const { md5, dvc2 } = await reader.ofDvc2(
        file.path === '' ? absolute : pathBelow(absolute, rawFromText(file.path)),
      );
      if (md5 !== file.md5) return unknown('its MD5 is one of DVC 2, and it has changed since it was stored');
      if (!this.isFolder) return dvc2 === this.out.md5 ? undefined : MODIFIED;
      hasher.add({ ...file, md5: dvc2 });
    }
    return hasher.finish().md5 === this.out.md5 ? undefined : MODIFIED;
  }
}
