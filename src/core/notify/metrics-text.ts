// The text format of Prometheus (https://prometheus.io/docs/instrumenting/exposition_formats/), of files for the textfile
// collector of node_exporter.

/** Mode of such a file: node_exporter reads it as another user. */
export const READABLE = 0o644;

const escaped = (text: string): string => text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');

/** Labels as they stand between the braces of a sample. */
export const labelsText = (labels: Readonly<Record<string, string>>): string =>
  Object.entries(labels)
    .map(([name, value]) => `${name}="${escaped(value)}"`)
    .join(',');

/** A family of gauges; nothing where it has no samples. `samples`: labels as `labelsText` gives them, and the value. */
export function familyText(
  name: string,
  help: string,
  samples: Iterable<readonly [labels: string, value: string | number]>,
): string {
  const lines = Array.from(samples, ([labels, value]) => `${name}{${labels}} ${value}\n`);
  return lines.length === 0 ? '' : `# HELP ${name} ${help}\n# TYPE ${name} gauge\n${lines.join('')}`;
}
