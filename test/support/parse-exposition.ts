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

interface Sample {
  readonly name: string;
  readonly key: string;
  readonly value: number;
}

function sampleIn(line: string): Sample {
  const [, name, labels, value = ''] = SAMPLE.exec(line) ?? [];
  const number = value === '+Inf' ? Infinity : Number(value);
  if (name === undefined || (Number.isNaN(number) && value !== 'NaN')) throw new Error(`no sample: ${line}`);
  return { name, key: labels === undefined ? name : `${name}{${labels}}`, value: number };
}

/** `type`: the line after its help. */
function opened(help: RegExpExecArray, type = ''): readonly [name: string, family: Open] {
  const [, name = '', text = ''] = help;
  const [, typed, kind = ''] = TYPE.exec(type) ?? [];
  if (typed !== name) throw new Error(`no type follows the help of ${name}`);
  return [name, { help: text, type: kind, samples: new Map() }];
}

/** The families by name. @throws for what is not in the format, or against a convention */
export function parseExposition(text: string): ReadonlyMap<string, Family> {
  if (!text.endsWith('\n')) throw new Error('the last line has no end');
  const families = new Map<string, Open>();
  let current: readonly [name: string, family: Open] | undefined;
  const lines = text.split('\n').filter((line) => line !== '');
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? '';
    const help = HELP.exec(line);
    if (help === null) {
      take(sampleIn(line), current);
      continue;
    }
    current = opened(help, lines[++at]);
    if (families.has(current[0])) throw new Error(`${current[0]} is there twice`);
    families.set(...current);
  }
  for (const [name, family] of families) check(name, family);
  return families;
}

function take({ name, key, value }: Sample, current: readonly [name: string, family: Open] | undefined): void {
  if (current === undefined) throw new Error(`a sample before its family: ${key}`);
  const [family, { type, samples }] = current;
  const suffix = name.startsWith(family) ? name.slice(family.length) : name;
  const isPart = type === 'histogram' || type === 'summary' ? /^_(?:bucket|sum|count)$|^$/ : /^$/;
  if (!isPart.test(suffix)) throw new Error(`${key} is no ${type} ${family}`);
  if (samples.has(key)) throw new Error(`twice: ${key}`);
  samples.set(key, value);
}

function check(name: string, { type, samples }: Open): void {
  if ((type === 'counter') !== name.endsWith('_total')) throw new Error(`${name} is a ${type}`);
  if (/_(?:milliseconds|ms|kilobytes|percent)(?:_|$)/.test(name)) throw new Error(`${name} has no base unit`);
  if (type === 'counter')
    for (const [key, value] of samples) if (!(value >= 0)) throw new Error(`${key} is ${value}: no counter`);
  if (type === 'histogram') checkBuckets(name, samples);
}

/** By the labels beside `le`, buckets never fall, and the last one is the count. */
function checkBuckets(name: string, samples: ReadonlyMap<string, number>): void {
  const highest = new Map<string, number>();
  for (const [key, value] of samples) {
    if (!key.startsWith(`${name}_bucket{`)) continue;
    const others = key.slice(`${name}_bucket`.length).replace(/le="[^"]*",?/, '');
    if (value < (highest.get(others) ?? 0)) throw new Error(`${key} falls`);
    highest.set(others, value);
    const count = samples.get(`${name}_count${others === '{}' ? '' : others}`);
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
