// Builds commands to suggest to the user, quoted for a shell.
import { printable } from '../platform/paths/raw-path.js';
import { shellWord } from '../platform/text/shell-word.js';

/** How to reach the bucket, as given by the user. */
export interface CommandPlace {
  readonly bucket: string;
  readonly region?: string | undefined;
  readonly profile?: string | undefined;
  /** Undefined for AWS itself. */
  readonly endpoint?: string | undefined;
}

/** Returns `PROGRAM WORDS…` with flags for this place, which archiver and the AWS CLI share. */
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

/** Returns `aws s3api OPERATION --bucket …`. */
export const s3Command = (operation: string, words: readonly string[], place: CommandPlace): string =>
  awsCommand(['s3api', operation, '--bucket', place.bucket, ...words], place);
