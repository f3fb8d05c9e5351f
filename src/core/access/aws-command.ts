// Commands to type, quoted for a shell.
import { printable } from '../platform/paths/raw-path.js';
import { shellWord } from '../platform/text/shell-word.js';

/** Where the commands go: what was said to reach the bucket. */
export interface CommandPlace {
  readonly bucket: string;
  readonly region?: string | undefined;
  readonly profile?: string | undefined;
  /** Undefined for AWS itself. */
  readonly endpoint?: string | undefined;
}

/** `PROGRAM WORDS…` for this place: archiver and the AWS CLI have the same flags for it. */
export function commandAt(words: readonly string[], { region, profile, endpoint }: CommandPlace): string {
  const more = [
    ...(region === undefined ? [] : ['--region', region]),
    ...(profile === undefined ? [] : ['--profile', profile]),
    ...(endpoint === undefined ? [] : ['--endpoint-url', endpoint]),
  ];
  return [...words, ...more].map((word) => shellWord(printable(word))).join(' ');
}

export const awsCommand = (words: readonly string[], place: CommandPlace): string =>
  commandAt(['aws', ...words], place);

/** `aws s3api OPERATION --bucket …`. */
export const s3Command = (operation: string, words: readonly string[], place: CommandPlace): string =>
  awsCommand(['s3api', operation, '--bucket', place.bucket, ...words], place);
