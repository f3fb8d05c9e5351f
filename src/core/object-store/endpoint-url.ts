// Which S3-compatible server a command means, in a form that may be written down.

/** The server that `given` (a flag) or a variable names, without the name and password that a URL may hold. */
export function endpointOf(
  given: string | undefined,
  env: Readonly<Record<string, string | undefined>>,
): string | undefined {
  const named = given ?? (env['AWS_ENDPOINT_URL_S3'] || env['AWS_ENDPOINT_URL']);
  if (named === undefined || named === '') return undefined;
  try {
    const url = new URL(named);
    if (url.username === '' && url.password === '') return named;
    [url.username, url.password] = ['', ''];
    return url.href;
  } catch {
    return named; // refused when the store is opened
  }
}
