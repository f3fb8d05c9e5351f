// Hides passwords in settings that are shown. A value is hidden because of its name; in a URL only user, password and secret parameters are
// hidden, so that the server stays visible. Hides too much rather than too little.

/** Replaces a hidden value. */
export const HIDDEN = '(hidden)';

const SECRET = /pass(?:word|wd|phrase)|^pass$|^pwd$|secret|token|credential|signature|(?:api|access|private|secret)key/;

/** True for a name that a secret may have: `dbPassword`, `X-Amz-Signature`, `aws_access_key_id`. */
export const isSecretName = (name: string): boolean => SECRET.test(name.toLowerCase().replaceAll(/[^a-z0-9]/g, ''));

const hideValue = (all: string, before: string, name: string, sign: string): string =>
  isSecretName(name) ? `${before}${name}${sign}${HIDDEN}` : all;

/** Returns the text without anything that looks like a secret. */
export function withoutSecrets(text: string): string {
  return (
    text
      // Locations in a store have no user, but may have an @ in their path.
      .replace(/\b((?:s3|file):\/\/)[^\s/?#]*@/gi, `$1${HIDDEN}@`)
      // A password may contain anything, even characters that end the host of a valid URL.
      .replace(/\b((?!(?:s3|file):)[a-z][a-z0-9+.-]*:\/\/)\S*@/gi, `$1${HIDDEN}@`)
      .replace(/(^|[?&;#\s])([^?&;#\s=:]+)(=)([^&;#\s]+)/g, hideValue)
      .replace(/(^|[?&;#\s])([^?&;#\s=:]+)(:(?!\/\/)\s*)([^&;#\s]+)/g, hideValue)
  );
}

/** Returns a value for display, hidden if its name or content looks like a secret. */
export const shownValue = (name: string, text: string): string =>
  isSecretName(name) && text !== '' ? HIDDEN : withoutSecrets(text);
