// dist/THIRD-PARTY-NOTICES.txt: of every package whose code is in the bundle its name, version, licence and the text of that, since licences
// ask that their notice goes along with copies. The lists of esbuild say what is bundled; a package without a text fails the build.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { join } from 'node:path';

const PACKAGE = /^.*node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/;
const LICENCE = /^(?:licen[cs]e|copying|copyright)(?:[.-]|$)/i;
const NOTICE = /^notice(?:[.-]|$)/i;
/** Texts of packages that come without: by the licence in their package.json, and the copyright in their files. */
const OWN_TEXTS = fileURLToPath(new URL('licences', import.meta.url));

/** Returns the folders of packages of which something is in the output, sorted. */
export function bundledFolders(metafiles) {
  const outputs = metafiles.flatMap((metafile) => Object.values(metafile.outputs));
  const inputs = outputs.flatMap((output) => Object.entries(output.inputs));
  const bundled = inputs.flatMap(([path, { bytesInOutput }]) => (bytesInOutput > 0 ? (PACKAGE.exec(path) ?? []) : []));
  return [...new Set(bundled)].toSorted((a, b) => (a < b ? -1 : 1));
}

function read(folder) {
  const { name, version, license, repository } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const files = readdirSync(folder).sort();
  const textOf = (pattern) => files.filter((file) => pattern.test(file)).map((file) => textIn(join(folder, file)));
  const own = join(OWN_TEXTS, `${name.replace('/', '-')}-${version}.txt`);
  const licences = textOf(LICENCE);
  const texts = licences.length === 0 && existsSync(own) ? [textIn(own)] : licences;
  const source = `${license} ${typeof repository === 'string' ? repository : repository?.url}`;
  return { folder, about: `${name} ${version} (${license ?? 'see below'})`, texts, notices: textOf(NOTICE), source };
}

const textIn = (file) => readFileSync(file, 'utf8').replaceAll('\r\n', '\n').trim();

/**
 * Returns the text of the file, in which packages with the same texts stand together. Of one without a text, that of another one from its
 * repository holds that is under the same licence. @throws when there is none
 */
export function noticesText(folders) {
  const packages = folders.map(read);
  const packagesOf = new Map();
  for (const { folder, about, texts, notices, source } of packages) {
    const licences =
      texts.length > 0 ? texts : packages.find((one) => one.source === source && one.texts.length > 0)?.texts;
    if (licences === undefined || licences.join('') === '')
      throw new Error(`${about} is bundled, and ${folder} has no text of its licence: put it into scripts/licences`);
    const text = [...licences, ...notices].join('\n\n');
    packagesOf.set(text, [...(packagesOf.get(text) ?? []), about]);
  }
  const line = '='.repeat(80);
  const parts = [...packagesOf].map(([text, named]) => `${line}\n${named.join('\n')}\n${line}\n\n${text}\n`);
  return ['archiver holds code of these packages.\n', ...parts].join('\n');
}
