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

export function earlyFlags(argv: readonly string[], env: Host['env'] = {}): Early {
  const tokens = beforeArguments(argv);
  return {
    json: tokens.some((token) => token === '--json' || token === '--json=true') || isOn(env['ARCHIVER_JSON']),
    jsonLines: tokens.some(
      (token, at) => token === '--progress-format=json' || (token === 'json' && tokens[at - 1] === '--progress-format'),
    ),
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
