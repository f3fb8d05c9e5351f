// The address of an S3-compatible server, in a form that may be saved.

/** The address without the name and password that a URL may hold. */
export function withoutLogin(address: string | undefined): string | undefined {
  if (address === undefined || address === '') return undefined;
  try {
    const url = new URL(address);
    if (url.username === '' && url.password === '') return address;
    [url.username, url.password] = ['', ''];
    return url.href;
  } catch {
    return address; // refused when the store is opened
  }
}
