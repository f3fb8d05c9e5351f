// Compares two folders path by path: type, size, content, mode, mtime in ns, uid/gid, link target, hard link sets.
// As a program: node scripts/compare-trees.mjs A B
import { createHash } from 'node:crypto';
import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** One line a path, and the path itself in latin1 (names may be any bytes). */
function describe(root) {
  const lines = new Map();
  const groups = new Map();
  const walk = (below) => {
    const folder = Buffer.concat([Buffer.from(root), Buffer.from(`/${below}`, 'latin1')]);
    for (const name of readdirSync(folder, { encoding: 'latin1' }).sort()) {
      const path = below === '' ? name : `${below}/${name}`;
      const absolute = Buffer.concat([Buffer.from(`${root}/`), Buffer.from(path, 'latin1')]);
      const stat = lstatSync(absolute, { bigint: true });
      const facts = [stat.mode.toString(8), `${stat.uid}:${stat.gid}`, stat.mtimeNs];
      if (stat.isFile()) facts.push(stat.size, contentHash(absolute, stat.size), hardlinkGroup(stat, path, groups));
      if (stat.isSymbolicLink()) facts.push(readlinkSync(absolute, { encoding: 'latin1' }));
      lines.set(path, facts.join(' '));
      if (stat.isDirectory()) walk(path);
    }
  };
  walk('');
  return lines;
}

function contentHash(path, size) {
  return size < 2n ** 31n ? createHash('sha1').update(readFileSync(path)).digest('hex') : 'too large to hash here';
}

// Members of one inode share the name of the first one met, in path order.
function hardlinkGroup(stat, path, groups) {
  if (stat.nlink < 2n) return '';
  const key = `${stat.dev}:${stat.ino}`;
  if (!groups.has(key)) groups.set(key, path);
  return `link of ${groups.get(key)}`;
}

/** Paths compared and the differences, each as a sentence. */
export function compareTrees(a, b) {
  const left = describe(a);
  const right = describe(b);
  const differences = [];
  for (const [path, facts] of left) {
    const other = right.get(path);
    if (other === undefined) differences.push(`${path}: missing in ${b}`);
    else if (other !== facts) differences.push(`${path}: ${facts} / ${other}`);
  }
  for (const path of right.keys()) if (!left.has(path)) differences.push(`${path}: only in ${b}`);
  return { paths: left.size, differences };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [a, b] = process.argv.slice(2);
  const { paths, differences } = compareTrees(a, b);
  console.log(`${paths} paths, ${differences.length} differences`);
  for (const difference of differences.slice(0, 20)) console.log(`  ${difference}`);
  process.exitCode = differences.length === 0 ? 0 : 1;
}
