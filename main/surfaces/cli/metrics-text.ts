import type { MetricFamily } from '../contract.ts';

/**
 * Figures in Prometheus' text format, version 0.0.4: for each name its HELP, its TYPE and its samples
 * (https://prometheus.io/docs/instrumenting/exposition_formats/). In HELP a backslash and a line feed
 * are escaped, in the value of a label a double quote too.
 */
export function prometheusText(families: readonly MetricFamily[]): string[] {
  return families.flatMap(({ name, type, help, samples }) => [
    `# HELP ${name} ${escaped(help)}`,
    `# TYPE ${name} ${type}`,
    ...samples.map(({ labels, value }) => `${name}${labelled(labels)} ${number(value)}`),
  ]);
}

function labelled(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).map(
    ([key, value]) => `${key}="${escaped(value).replaceAll('"', '\\"')}"`,
  );
  return pairs.length > 0 ? `{${pairs.join(',')}}` : '';
}

function escaped(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
}

/** As Go reads floating-point numbers. */
function number(value: number): string {
  if (Number.isFinite(value)) return String(value);
  return Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf';
}
