import { PassThrough } from 'node:stream';

/** An input for Ink that is never used: keys are read by `readKeys`, or not at all. */
export function unusedInput(): NodeJS.ReadStream {
  const input: unknown = new PassThrough();
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- Ink only looks for isTTY
  return input as NodeJS.ReadStream;
}
