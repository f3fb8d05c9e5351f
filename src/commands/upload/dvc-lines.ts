// What the result of an upload says of DVC.
import type { UploadResult } from '../../core/archive/upload-result.js';
import { formatBytes, formatQuantity } from '../../ui/format.js';

const SHOWN = 5;

const listed = (paths: readonly string[]): string =>
  paths.slice(0, SHOWN).join(', ') + (paths.length > SHOWN ? ` and ${paths.length - SHOWN} more` : '');

type Amount = { readonly files: number; readonly bytes: number };

/** Returns the lines about links into a DVC cache, the cache itself, and settings that may hold secrets. */
export function dvcLines({ dvcContents }: UploadResult): string[] {
  if (dvcContents === undefined) return [];
  const { linkedFiles, cacheLeftOut, cacheKept, temporaryLeftOut, localConfigs, outsideLinks } = dvcContents;
  const counted = ({ files, bytes }: Amount, noun: string): string =>
    `${formatQuantity(files, noun)} (${formatBytes(bytes)})`;
  const left = [
    ...(cacheLeftOut.files === 0 ? [] : [`${counted(cacheLeftOut, 'content')} of .dvc/cache that the workspace holds`]),
    ...temporaryLeftOut,
  ];
  const lines = [
    ...(linkedFiles.files === 0 ? [] : [`${counted(linkedFiles, 'link')} into a DVC cache, stored as files`]),
    ...(left.length === 0 ? [] : [`left out ${left.join(' and ')}; --dvc-cache keeps all`]),
    ...(cacheKept.files === 0
      ? []
      : [
          `kept ${counted(cacheKept, 'content')} of .dvc/cache, equal ones once; --exclude .dvc/cache leaves the cache out`,
        ]),
    ...(outsideLinks.length === 0
      ? []
      : [
          `${formatQuantity(outsideLinks.length, 'link')} out of the folder, stored as links without their content: ` +
            listed(outsideLinks),
        ]),
    ...localConfigs.map((path) => `${path} is stored, and may hold secrets; --exclude ${path} leaves it out`),
  ];
  return lines.map((line) => `  dvc       ${line}`);
}
