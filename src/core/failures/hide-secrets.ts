// Passwords in what is shown of settings. A value hides by the name it stands under; of a URL only user, password and
// secret parameters do, so that people still see which server is meant. Hides too much rather than too little.

/** Stands in place of what is hidden. */
export const HIDDEN = '(hidden)';

const SECRET = /pass(?:word|wd|phrase)|^pass$|^pwd$|secret|token|credential|signature|(?:api|access|private|secret)key/;

/** True for a name that something secret stands under: `dbPassword`, `X-Amz-Signature`, `aws_access_key_id`. */
export const isSecretName = (name: string): boolean => SECRET.test(name.toLowerCase().replaceAll(/[^a-z0-9]/g, ''));

/** The text without what is secret in it by its looks. */
export function withoutSecrets(text: string): string {
  return (
    text
      // The places in a store have no user, but may have an @ in their path.
      .replace(/\b((?:s3|file):\/\/)[^\s/?#]*@/gi, `$1${HIDDEN}@`)
      // A password may hold anything, also what ends the host in a sound URL.
      .replace(/\b((?!(?:s3|file):)[a-z][a-z0-9+.-]*:\/\/)\S*@/gi, `$1${HIDDEN}@`)
      .replace(
        /(^|[?&;#\s])([^?&;#\s=:]+)(=|:(?!\/\/)\s*)([^&;#\s]+)/g,
        (all, before: string, name: string, sign: string) =>
          isSecretName(name) ? `${before}${name}${sign}${HIDDEN}` : all,
      )
  );
}

/** A text that was given under this name. */
export const shownValue = (name: string, text: string): string =>
  isSecretName(name) && text !== '' ? HIDDEN : withoutSecrets(text);
