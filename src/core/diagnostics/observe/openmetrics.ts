// OpenMetrics 1.0 (https://prometheus.io/docs/specs/om/open_metrics_spec/), made from Prometheus' text format, and whether a scraper
// asks for it.

/** As a response names it. */
export const OPENMETRICS = 'application/openmetrics-text; version=1.0.0; charset=utf-8';

const ABOUT = /^# (HELP|TYPE) (\S+) (.*)$/;
const TYPES = /^# TYPE (\S+) (\S+)$/gm;
const UNIT = /_(seconds|bytes|ratio)$/;
/** A whole number that bounds a bucket, which has a point in OpenMetrics: bounds are compared as text. */
const WHOLE_BOUND = /^(\w+_bucket\{(?:.*,)?le="\d+)"/;

/**
 * Returns the same metrics in OpenMetrics: `_total` belongs to the samples of a counter and not to its name, facts (`_info`) have a type
 * of their own, and the units seconds, bytes and ratio are said.
 */
export function openMetricsText(text: string): string {
  const types = new Map(Array.from(text.matchAll(TYPES), ([, name = '', type = '']) => [name, type]));
  const lines = text.split('\n').filter((line) => line !== '');
  return [...lines.map((line) => lineOf(line, types)), '# EOF\n'].join('\n');
}

function lineOf(line: string, types: ReadonlyMap<string, string>): string {
  const [, keyword, name = '', rest = ''] = ABOUT.exec(line) ?? [];
  if (keyword === undefined) return line.replace(WHOLE_BOUND, '$1.0"');
  const [family, type] = familyOf(name, types.get(name) ?? 'unknown');
  if (keyword === 'HELP') return `# HELP ${family} ${rest.replaceAll('"', String.raw`\"`)}`;
  const [, unit] = UNIT.exec(family) ?? [];
  return `# TYPE ${family} ${type}${unit === undefined ? '' : `\n# UNIT ${family} ${unit}`}`;
}

function familyOf(name: string, type: string): readonly [family: string, type: string] {
  if (type === 'counter') return [name.replace(/_total$/, ''), type];
  return type === 'gauge' && name.endsWith('_info') ? [name.replace(/_info$/, ''), 'info'] : [name, type];
}

/** What may be asked for, the more exact the later. */
const NAMES_OF_OPENMETRICS = ['*/*', 'application/*', 'application/openmetrics-text'];
const NAMES_OF_TEXT = ['*/*', 'text/*', 'text/plain'];

interface Range {
  readonly name: string;
  readonly version: string | undefined;
  readonly q: number;
}

/**
 * Returns whether a scraper prefers OpenMetrics 1.0 to the text format, by its header `Accept`: by q, then what is named more exactly, then
 * OpenMetrics. The text format is for whoever names neither.
 */
export function prefersOpenMetrics(accept = ''): boolean {
  const ranges = (accept.match(/(?:"(?:[^"\\]|\\.)*"|[^,"])+/g) ?? []).map(rangeOf);
  const open = wish(ranges, NAMES_OF_OPENMETRICS, '1.0.0');
  const text = wish(ranges, NAMES_OF_TEXT, '0.0.4');
  if (open.q !== text.q) return open.q > text.q;
  return open.q > 0 && open.rank >= Math.max(text.rank, NAMES_OF_OPENMETRICS.length - 1);
}

function rangeOf(text: string): Range {
  const [name = '', ...parameters] = text
    .toLowerCase()
    .split(';')
    .map((part) => part.trim());
  const values = new Map(
    parameters.map((parameter) => {
      const [key = '', value = ''] = parameter.split('=');
      return [key.trim(), value.trim().replaceAll('"', '')];
    }),
  );
  const q = Number(values.get('q') ?? 1);
  return { name, version: values.get('version'), q: q >= 0 && q <= 1 ? q : 0 };
}

/** How much a format is wanted, as the range says that names it most exactly; a rank below 0: none does. */
function wish(ranges: readonly Range[], names: readonly string[], version: string): { q: number; rank: number } {
  const named = ranges
    .filter((range) => names.includes(range.name) && (range.version ?? version) === version)
    .map((range) => ({ q: range.q, rank: names.indexOf(range.name) + Number(range.version !== undefined) }))
    .toSorted((a, b) => b.rank - a.rank || b.q - a.q);
  return named[0] ?? { q: 0, rank: -1 };
}
