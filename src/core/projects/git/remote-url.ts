// The address of a git remote as it may be written down: who may read a manifest must not get a password from it.

const WEB = /^https?$|^ftps?$/i;

/** `remote` without user and password, token or query; of ssh the user stays. Undefined for a command (`ext::…`). */
export function withoutCredentials(remote: string): string | undefined {
  const helper = /^([A-Za-z0-9][A-Za-z0-9+.-]*)::(.*)$/s.exec(remote);
  if (helper !== null) {
    const [, name = '', address = ''] = helper;
    const inner = name === 'ext' ? undefined : withoutCredentials(address);
    return inner === undefined ? undefined : `${name}::${inner}`;
  }
  const url = /^([A-Za-z][A-Za-z0-9+.-]*):\/\/([^/?#]*)([^?#]*)/.exec(remote);
  if (url !== null) {
    const [, scheme = '', authority = '', path = ''] = url;
    const at = authority.lastIndexOf('@');
    const user = WEB.test(scheme) ? '' : (authority.slice(0, Math.max(0, at)).split(':', 1)[0] ?? '');
    return `${scheme}://${user === '' ? '' : `${user}@`}${authority.slice(at + 1)}${path}`;
  }
  // `user@host:path`; a folder stays as it is.
  return remote.replace(/^([^/:@]*):[^/@]*@/, '$1@');
}
