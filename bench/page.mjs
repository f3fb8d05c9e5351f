// The part of docs/benchmarks.md that is measured: machine, versions, tables, goals and commands.
import { peers } from './peers.mjs';
import { reached, rowsOf } from './rows.mjs';

const BEGIN = '<!-- bench:begin -->';
const END = '<!-- bench:end -->';
const isFloor = (name) => peers[name]?.isFloor === true;
/** A floor, or a program that keeps what it makes in a folder where archiver sends it to a server. */
const isApart = ({ hasServer }, name) => isFloor(name) || (hasServer && peers[name]?.isFolderOnly === true);

/** A page with what lies between its two marks replaced. @throws where it has no such marks */
export function withMeasured(page, measured) {
  const [begin, end] = [page.indexOf(BEGIN), page.indexOf(END)];
  if (begin < 0 || end < begin) throw new Error(`the page has no ${BEGIN} with ${END} after it`);
  return `${page.slice(0, begin + BEGIN.length)}\n\n${measured}\n${page.slice(end)}`;
}

/** `setup` is what run.mjs found out, `results` what was measured (results.mjs). */
export function measuredPart({ setup, runs, results }) {
  const { corpora } = setup;
  const sections = Object.entries(corpora).map(([corpus, said]) => corpusTable(corpus, said, results));
  return [
    `${setup.machine}. Medians of up to ${runs} runs, in turns; peaks are the largest. Kept in ${setup.store}.`,
    versionLines(setup),
    ...sections,
    goalTable(setup, results),
    commandLines(setup, Object.keys(corpora)),
  ].join('\n\n');
}

function versionLines({ versions, missing }) {
  const found = [...new Set(Object.values(versions).flatMap((version) => version.split(', ')))];
  const left = missing.length === 0 ? '' : ` Not on the PATH, and so left out: ${missing.join(', ')}.`;
  return `Versions: ${found.join(', ')}.${left}`;
}

/** Nothing where it ended before a look at it. */
const mib = (bytes) => (bytes === 0 ? '' : `${(bytes / 2 ** 20).toFixed(bytes < 10 * 2 ** 20 ? 2 : 0)} MiB`);
const line = (cells) => `| ${cells.join(' | ')} |`;
const title = (row, corpus) => (corpus === 'start' ? row.title : `${corpus}: ${row.title}`);

function corpusTable(corpus, said, results) {
  const lines = rowsOf(corpus).flatMap((row) =>
    Object.entries(results.figures(corpus, row.id)).map(([name, one]) => {
      if (one.failed !== undefined) return line([row.title, name, '', 'failed', '', '', '']);
      const bytes = one.bytes === undefined ? '' : `${mib(one.bytes) || 0} ${row.bytes}`;
      const program = isFloor(name) ? `(${name})` : name;
      return line([row.title, program, one.runs, one.wall.toFixed(2), one.cpu.toFixed(2), mib(one.peakBytes), bytes]);
    }),
  );
  return [
    `### ${corpus === 'start' ? 'Before a command begins' : `Corpus ${corpus}`}`,
    '',
    ...(said === '' ? [] : [said, '']),
    line(['what', 'program', 'runs', 'wall s', 'CPU s', 'peak', 'bytes']),
    line(Array(7).fill('---')),
    ...lines,
  ].join('\n');
}

function goalTable(setup, results) {
  const lines = Object.keys(setup.corpora).flatMap((corpus) =>
    rowsOf(corpus).flatMap((row) => {
      const figures = results.figures(corpus, row.id);
      return Object.keys(figures).length === 0
        ? []
        : row.goals[corpus].map((goal) => goalLine(title(row, corpus), goal, { figures, setup }));
    }),
  );
  return ['### Goals', '', line(['what', 'goal', 'measured', 'reached']), line(Array(4).fill('---')), ...lines].join(
    '\n',
  );
}

function goalLine(what, goal, { figures, setup }) {
  const { value, isReached, against } = reached(goal, figures, (name) => isApart(setup, name));
  const by = against === undefined || against === goal.of ? '' : ` (${against})`;
  const measured = value === undefined ? 'not measured' : `${saying(goal, value)}${by}`;
  const verdict = { true: 'yes', false: 'no', undefined: '' }[isReached];
  return line([what, `at most ${wanted(goal)}`, measured, verdict]);
}

const NAMES = { wall: 'time', cpu: 'CPU', bytes: 'bytes' };
const saying = ({ figure, of }, value) => {
  if (of !== undefined) return `${value.toFixed(2)}x`;
  return figure === 'bytes' ? `${(value / 1e6).toFixed(2)} MB` : `${value.toFixed(2)} s`;
};
const wanted = (goal) =>
  goal.of === undefined ? saying(goal, goal.most) : `${goal.most.toFixed(2)}x the ${NAMES[goal.figure]} of ${goal.of}`;

/** What each program was called with; $STORE, $TREE, $OUT and $FILE stand for where things lie. */
function commandLines({ versions, hasServer }, corpora) {
  const ids = [...new Set(corpora.flatMap((corpus) => rowsOf(corpus).map(({ id }) => id)))];
  const folder = '$STORE';
  const lines = Object.keys(versions).flatMap((name) => {
    const peer = peers[name];
    const s3 = { s3: 's3://$BUCKET/$STORE', bucket: '$BUCKET', endpoint: '$AWS_ENDPOINT_URL', region: '$AWS_REGION' };
    const place = { name: '$STORE', folder, ...(hasServer && !peer.isFolderOnly && s3) };
    const at = { tree: '$TREE', out: '$OUT', file: '$FILE', place, version: 4, said: '/dev/null', home: '$CACHE' };
    const own = [...(peer.init ? ['init'] : []), ...ids].filter((id) => peer[id] !== undefined);
    const variables = Object.entries(peer.env?.(at) ?? {}).map(([key, value]) => `${key}=${value}`);
    const shown = own.map((id) => `${id}: ${peer[id](at)}`.replace(/node \S+\/cli\.js/g, 'archiver'));
    return [`# ${name}${variables.length === 0 ? '' : `, with ${variables.join(' ')}`}`, ...shown, ''];
  });
  return ['### Commands', '', '```sh', ...lines.slice(0, -1), '```', ''].join('\n');
}
