/** A small reader of Prometheus' text format, written from its description; throws where a line is not of it. */

export interface Read {
  name: string;
  type: string;
  help: string;
  samples: { labels: Record<string, string>; value: number }[];
}

const NAME = /^[a-zA-Z_:][a-zA-Z0-9_:]*/;
const LABEL = /^[a-zA-Z_][a-zA-Z0-9_]*/;

export function parsePrometheus(text: string): Read[] {
  if (!text.endsWith('\n')) throw new Error('the last line has no end');
  const families: Read[] = [];
  for (const line of text.split('\n').slice(0, -1)) {
    const comment = line.match(/^# (HELP|TYPE) (\S+) ?(.*)$/s);
    const last = families.at(-1);
    if (comment?.[1] === 'HELP') {
      const [, , name = '', help = ''] = comment;
      if (families.some((one) => one.name === name)) throw new Error(`${name} twice`);
      families.push({ name, type: '', help: plain(help, '\\n'), samples: [] });
    } else if (comment) {
      if (last?.name !== comment[2] || last === undefined || last.samples.length > 0)
        throw new Error(`stray: ${line}`);
      if (!/^(counter|gauge|histogram|summary|untyped)$/.test(comment[3] ?? ''))
        throw new Error(line);
      last.type = comment[3] as string;
    } else {
      const sample = parseSample(line);
      if (last?.name !== sample.name || last.type === '') throw new Error(`stray: ${line}`);
      last.samples.push({ labels: sample.labels, value: sample.value });
    }
  }
  return families;
}

function parseSample(line: string) {
  const name = line.match(NAME)?.[0] ?? '';
  let rest = line.slice(name.length);
  const labels: Record<string, string> = {};
  if (rest.startsWith('{')) {
    rest = rest.slice(1);
    while (!rest.startsWith('}')) {
      const label = rest.match(LABEL)?.[0];
      if (!label || rest.slice(label.length, label.length + 2) !== '="') throw new Error(line);
      const end = endOfString(rest, label.length + 2);
      labels[label] = plain(rest.slice(label.length + 2, end), '\\n"');
      rest = rest.slice(end + 1).replace(/^,(?!\})/, '');
    }
    rest = rest.slice(1);
  }
  const number = rest.match(/^ (NaN|[+-]Inf|-?\d+(\.\d+)?(e[+-]?\d+)?)$/i)?.[1];
  if (!name || number === undefined) throw new Error(`not a sample: ${line}`);
  return { name, labels, value: Number(number.replace('Inf', 'Infinity')) };
}

function endOfString(text: string, from: number): number {
  for (let at = from; at < text.length; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === '"') return at;
  }
  throw new Error(`no end: ${text}`);
}

/** Only the escapes of this place count. */
function plain(text: string, allowed: string): string {
  return text.replace(/\\(.?)/gs, (_, escaped: string) => {
    if (escaped === 'n') return '\n';
    if (!allowed.includes(escaped) || escaped === '') throw new Error(`a stray escape in ${text}`);
    return escaped;
  });
}
