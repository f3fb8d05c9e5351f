// The text format of Prometheus (https://prometheus.io/docs/instrumenting/exposition_formats/), for files of node_exporter's textfile
// collector.

/** Mode of such a file, because node_exporter reads it as another user. */
export const READABLE = 0o644;

const escaped = (text: string): string => text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');

/** Formats labels as between the braces of a sample. */
export const labelsText = (labels: Readonly<Record<string, string>>): string =>
  Object.entries(labels)
    .map(([name, value]) => `${name}="${escaped(value)}"`)
    .join(',');

/** Formats a family of gauges; empty when it has no samples. `samples` are labels from `labelsText`, and the value. */
export function familyText(
  name: string,
  help: string,
  samples: Iterable<readonly [labels: string, value: string | number]>,
): string {
  const lines = Array.from(samples, ([labels, value]) => `${name}{${labels}} ${value}\n`);
  return lines.length === 0 ? '' : `# HELP ${name} ${help}\n# TYPE ${name} gauge\n${lines.join('')}`;
}
