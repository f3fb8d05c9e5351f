// Circles of imports in src, of files and of rooms, of types and of `await import()` too, imports against the arrows of
// import-rules.mjs, and files that name what deletes and are not listed there.
import { readFileSync, readdirSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { parseSync } from 'oxc-parser';
import { DELETERS, RULES } from './import-rules.mjs';

const root = process.argv[2] ?? 'src';

/** Every module that a file names: relative ones as paths below `root`, without their ending. */
function importsOf(file, text) {
  const { module, errors } = parseSync(file, text);
  if (errors.length > 0) throw new Error(`${file}: ${errors[0].message}`);
  const named = (from, isType, dynamic) => ({ to: resolved(file, from), isType, dynamic });
  const statements = [...module.staticImports, ...module.staticExports].flatMap((statement) => {
    const from = statement.moduleRequest?.value ?? statement.entries[0]?.moduleRequest?.value;
    const isType = statement.entries.length > 0 && statement.entries.every((entry) => entry.isType);
    return from === undefined ? [] : [named(from, isType, false)];
  });
  const calls = module.dynamicImports.flatMap(({ moduleRequest: { start, end } }) => {
    const literal = /^'(.*)'$/.exec(text.slice(start, end));
    return literal === null ? [] : [named(literal[1], false, true)];
  });
  return [...statements, ...calls];
}

function resolved(file, from) {
  if (!from.startsWith('.')) return from;
  return join(dirname(file), from).split(sep).join('/').replace(/\.js$/, '');
}

function matches(name, pattern) {
  if (pattern.endsWith('*')) return name.startsWith(pattern.slice(0, -1));
  return pattern.endsWith('/') ? name.startsWith(pattern) : name === pattern || name.startsWith(`${pattern}/`);
}

/** Groups of modules that reach each other (Tarjan), each sorted. */
function circlesIn(graph) {
  const order = new Map();
  const lowest = new Map();
  const path = [];
  const open = new Set();
  const circles = [];
  const visit = (module) => {
    order.set(module, order.size);
    lowest.set(module, order.get(module));
    path.push(module);
    open.add(module);
    for (const next of graph.get(module) ?? []) {
      if (!order.has(next)) visit(next);
      if (open.has(next)) lowest.set(module, Math.min(lowest.get(module), lowest.get(next)));
    }
    if (lowest.get(module) !== order.get(module)) return;
    const group = path.splice(path.indexOf(module));
    for (const one of group) open.delete(one);
    if (group.length > 1 || graph.get(module)?.has(module)) circles.push(group.sort(byText));
  };
  for (const module of graph.keys()) if (!order.has(module)) visit(module);
  return circles;
}

const mayDelete = (file) =>
  Object.keys(DELETERS.files).some((name) => (name.endsWith('/') ? file.startsWith(name) : file === name));

const byText = (a, b) => (a < b ? -1 : 1);

/** What lies directly in a folder of src is a room of it: a folder, or a file. A file belongs to the folder of its name. */
const roomIn = (folder, module) =>
  module.startsWith(`${folder}/`) ? module.slice(folder.length + 1).split('/', 1)[0] : undefined;

/** The imports between the rooms of a folder, by who imports and who is imported. */
function importsOfRooms(folder) {
  const links = new Map();
  for (const [module, imported] of graph) {
    const from = roomIn(folder, module);
    if (from === undefined) continue;
    for (const other of imported) {
      const to = roomIn(folder, other);
      if (to === undefined || to === from) continue;
      const key = `${from} ${to}`;
      links.set(key, [...(links.get(key) ?? []), `${module} imports ${other}`]);
    }
  }
  return [...links].map(([key, imports]) => ({ rooms: key.split(' '), imports }));
}

function graphOf(links) {
  const graph = new Map();
  for (const { rooms } of links) for (const room of rooms) graph.set(room, graph.get(room) ?? new Set());
  for (const { rooms } of links) graph.get(rooms[0]).add(rooms[1]);
  return graph;
}

/** The imports that close a circle: without them the others, of which there are more, have an order. */
function closing(links) {
  const kept = [];
  const faults = [];
  for (const link of links.toSorted((a, b) => b.imports.length - a.imports.length)) {
    if (circlesIn(graphOf([...kept, link])).length === 0) kept.push(link);
    else faults.push(...link.imports);
  }
  return faults.sort(byText);
}

/** A sentence for each circle of the rooms of a folder. One of files alone is told by those. */
function circlesOfRooms(folder) {
  const links = importsOfRooms(folder);
  return circlesIn(graphOf(links))
    .filter((circle) => circle.some((room) => folders.has(`${folder}/${room}`)))
    .map((circle) => {
      const between = links.filter(({ rooms }) => rooms.every((room) => circle.includes(room)));
      return [`circle of ${circle.length} rooms of ${folder}: ${circle.join(' ')}`, ...closing(between)].join('\n  ');
    });
}

const files = readdirSync(root, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
  .map((entry) =>
    relative(root, join(entry.parentPath ?? entry.path, entry.name))
      .split(sep)
      .join('/'),
  )
  .sort();
/** Every folder of src that holds something, however deep. */
const folders = new Set();
for (const file of files) for (let at = dirname(file); at !== '.'; at = dirname(at)) folders.add(at);
const graph = new Map();
const faults = [];
for (const file of files) {
  const text = readFileSync(join(root, file), 'utf8');
  const imports = importsOf(file, text);
  graph.set(file.replace(/\.tsx?$/, ''), new Set(imports.map(({ to }) => to)));
  for (const { to, isType, dynamic } of imports) {
    for (const rule of RULES) {
      if (!rule.from.test(file) || rule.except?.test(file)) continue;
      if (rule.atRunTime && (isType || dynamic)) continue;
      if (rule.never.some((pattern) => matches(to, pattern))) faults.push(`${root}/${file} imports ${to}: ${rule.why}`);
    }
  }
  const named = DELETERS.names.exec(text)?.[0];
  if (named !== undefined && !mayDelete(file))
    faults.push(`${root}/${file} names ${named}: who may delete is listed in scripts/import-rules.mjs`);
}
for (const circle of circlesIn(graph)) faults.push(`circle of ${circle.length}: ${circle.join(' ')}`);
for (const folder of folders) faults.push(...circlesOfRooms(folder));
for (const fault of faults.sort(byText)) console.error(fault);
console.log(`${files.length} files, ${faults.length} faults of imports`);
process.exitCode = faults.length === 0 ? 0 : 1;
