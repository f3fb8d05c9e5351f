// What the look of failures is taken from while the flags are not parsed, and of failures that no command caught.
import { failureDocument, failureLine, failureOf, failureText, otherLine } from './errors.js';
import type { Host } from './host.js';

export const beforeArguments = (argv: readonly string[]): readonly string[] =>
  argv.includes('--') ? argv.slice(0, argv.indexOf('--')) : argv;
const isOn = (text: string | undefined): boolean => /^(?:1|true|yes|on)$/i.test(text ?? '');

interface Early {
  readonly json: boolean;
  readonly jsonLines: boolean;
  readonly trace: boolean;
}

/** Returns the last value of a flag, `--flag=value` or `--flag value`. */
const valueIn = (tokens: readonly string[], flag: string): string | undefined =>
  tokens
    .flatMap((token, at) =>
      tokens[at - 1] === flag ? [token] : token.startsWith(`${flag}=`) ? [token.slice(flag.length + 1)] : [],
    )
    .at(-1);

export function earlyFlags(argv: readonly string[], env: Host['env'] = {}): Early {
  const tokens = beforeArguments(argv);
  return {
    json: tokens.some((token) => token === '--json' || token === '--json=true') || isOn(env['ARCHIVER_JSON']),
    jsonLines: (valueIn(tokens, '--progress-format') ?? env['ARCHIVER_PROGRESS_FORMAT']) === 'json',
    trace: tokens.includes('--trace') || isOn(env['ARCHIVER_TRACE']),
  };
}

/** The words for an error that no command caught: one JSON document on stdout, or text on stderr. */
export function uncaughtFailure(error: unknown, argv: readonly string[]): { stdout: string; stderr: string } {
  const { json, jsonLines, trace } = earlyFlags(argv);
  const failure = failureOf(error);
  const line = jsonLines ? failureLine(failure, new Date()) : '';
  return json
    ? { stdout: otherLine(failureDocument(failure, trace)), stderr: line }
    : { stdout: '', stderr: `${jsonLines && !trace ? '' : failureText(failure, { color: false, trace })}${line}` };
}
