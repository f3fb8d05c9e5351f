// Reads the text format of Prometheus as strictly as `promtool check metrics` does: families in one piece, each sample once, counters
// and units called as they should be, histograms that add up.
export interface Family {
  readonly help: string;
  readonly type: string;
  /** By name and labels as they are written. */
  readonly samples: ReadonlyMap<string, number>;
}

const HELP = /^# HELP ([a-zA-Z_:][\w:]*) (\S.*)$/;
const TYPE = /^# TYPE ([a-zA-Z_:][\w:]*) (counter|gauge|histogram|summary)$/;
const LABEL = String.raw`[a-zA-Z_]\w*="(?:[^"\\\n]|\\["\\n])*"`;
const SAMPLE = new RegExp(String.raw`^([a-zA-Z_:][\w:]*)(?:\{(${LABEL}(?:,${LABEL})*)?\})? (\S+)$`);

interface Open {
  readonly help: string;
  readonly type: string;
  readonly samples: Map<string, number>;
}

/** The families by name. @throws for what is not in the format, or against a convention */
export function parseExposition(text: string): ReadonlyMap<string, Family> {
  if (!text.endsWith('\n')) throw new Error('the last line has no end');
  const families = new Map<string, Open>();
  let name = '';
  const lines = text.split('\n').filter((line) => line !== '');
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? '';
    const [, helped, help = ''] = HELP.exec(line) ?? [];
    if (helped !== undefined) {
      const [, typed, type = ''] = TYPE.exec(lines[++at] ?? '') ?? [];
      if (typed !== helped) throw new Error(`no type follows: ${line}`);
      if (families.has(helped)) throw new Error(`${helped} is there twice`);
      families.set((name = helped), { help, type, samples: new Map() });
      continue;
    }
    const [, sampled = '', labels = '', value = ''] = SAMPLE.exec(line) ?? [];
    const family = families.get(name);
    const suffix = sampled.startsWith(name) ? sampled.slice(name.length) : undefined;
    const isPart = suffix === '' || (/^_(bucket|sum|count)$/.test(suffix ?? '') && family?.type !== 'counter');
    if (family === undefined || !isPart) throw new Error(`no sample of ${name}: ${line}`);
    const number = value === '+Inf' ? Infinity : Number(value);
    if (value === '' || (Number.isNaN(number) && value !== 'NaN')) throw new Error(`no number: ${line}`);
    const key = labels === '' ? sampled : `${sampled}{${labels}}`;
    if (family.samples.has(key)) throw new Error(`twice: ${key}`);
    family.samples.set(key, number);
  }
  for (const [one, family] of families) check(one, family);
  return families;
}

function check(name: string, { type, samples }: Open): void {
  if ((type === 'counter') !== name.endsWith('_total')) throw new Error(`${name} is a ${type}`);
  if (/_(?:milliseconds|ms|kilobytes|percent)(?:_|$)/.test(name)) throw new Error(`${name} has no base unit`);
  for (const [key, value] of samples)
    if (type === 'counter' && !(value >= 0)) throw new Error(`${key} is ${value}: no counter`);
  if (type !== 'histogram') return;
  let before = 0;
  for (const [key, value] of samples) {
    if (!key.startsWith(`${name}_bucket`)) continue;
    const isFirst = key.includes('le="0.01"');
    if (!isFirst && value < before) throw new Error(`${key} falls`);
    before = value;
    const count = samples.get(
      key
        .replace('_bucket', '_count')
        .replace(/le="\+Inf",?/, '')
        .replace('{}', ''),
    );
    if (key.includes('le="+Inf"') && count !== value) throw new Error(`${key} is not its count`);
  }
}

/** The sum of a family's samples whose labels contain all of these. */
export function sumOf(families: ReadonlyMap<string, Family>, name: string, ...labels: readonly string[]): number {
  const family = families.get(name);
  if (family === undefined) throw new Error(`there is no ${name}`);
  return Array.from(family.samples)
    .filter(([key]) => labels.every((label) => key.includes(label)))
    .reduce((sum, [, value]) => sum + value, 0);
}
