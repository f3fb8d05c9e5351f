/** Returns the address of a server without the name and password that a URL may hold, so that it may be saved. */
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
