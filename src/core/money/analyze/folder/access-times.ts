// Whether a mount keeps when files were read, by /proc/self/mountinfo (proc(5)).

const OCTAL = /\\([0-7]{3})/g;

/** Tells whether the file system of an absolute, resolved path is mounted with noatime; undefined if no mount is known. */
export function isNoatime(mountinfo: string, path: string): boolean | undefined {
  let found: { readonly length: number; readonly options: readonly string[] } | undefined;
  for (const line of mountinfo.split('\n')) {
    const [, , , , point, options = ''] = line.split(' ');
    if (point === undefined) continue;
    const folder = point.replace(OCTAL, (_, code: string) => String.fromCharCode(Number.parseInt(code, 8)));
    const isAbove = folder === '/' || path === folder || path.startsWith(`${folder}/`);
    // Of mounts on the same folder the last one is seen.
    if (isAbove && folder.length >= (found?.length ?? 0))
      found = { length: folder.length, options: options.split(',') };
  }
  return found?.options.includes('noatime');
}
