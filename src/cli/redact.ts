// Repeats what users gave, in messages and `config --show`: without secrets, and with control characters escaped.
import { HIDDEN, isSecretName, shownValue } from '../core/platform/failures/hide-secrets.js';
import { printable } from '../core/platform/paths/raw-path.js';
import type { Flag } from './flag.js';

type Shown = Pick<Flag, 'kind' | 'secret'>;

function pair(text: string): string {
  const name = text.slice(0, Math.max(0, text.indexOf('=')));
  return isSecretName(name) ? `${name}=${HIDDEN}` : shownValue(name, text);
}

/** The texts of a flag (by its camelCase `key`, or a dotted one) without secrets. */
export function withoutSecretsOf(key: string, { kind, secret }: Shown, texts: readonly string[]): readonly string[] {
  const name = key.slice(key.lastIndexOf('.') + 1);
  if (secret || isSecretName(name)) return texts.map(() => HIDDEN);
  return texts.map((text) => (kind === 'pairs' ? pair(text) : shownValue(name, text)));
}

/** `, got "a", "b"`; empty if a text is empty, or secret. */
export function gotTexts(key: string, flag: Shown, texts: readonly string[]): string {
  if (flag.secret || texts.includes('')) return '';
  return `, got ${quotedTexts(key, flag, texts).join(', ')}`;
}

/** Each text in quotes. */
export const quotedTexts = (key: string, flag: Shown, texts: readonly string[]): readonly string[] =>
  withoutSecretsOf(key, flag, texts).map((text) => `"${printable(text)}"`);
