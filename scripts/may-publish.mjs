// npm runs it before it publishes (prepublishOnly): without an address of the repository the provenance that is asked for cannot be made.
import { readFileSync } from 'node:fs';

const { repository } = JSON.parse(readFileSync('package.json', 'utf8'));
const address = typeof repository === 'string' ? repository : repository?.url;
if (typeof address !== 'string' || address.trim() === '') {
  process.stderr.write(
    'not published: package.json has no repository, which npm compares with where the package is built to sign its provenance: ' +
      'write the address of the public repository there (docs/releasing.md)\n',
  );
  process.exitCode = 1;
}
