import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { prometheusText } from '../../../main/surfaces/cli/metrics-text.ts';
import type { MetricFamily } from '../../../main/surfaces/contract.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { hostHere, lullHere, testHome } from '../../support/host.ts';
import { parsePrometheus } from './prometheus-grammar.ts';

const TEXT = fc.string({
  unit: fc.constantFrom('a', '\\', '"', '\n', 'n', '{', '}', ',', '=', 'é'),
});

describe('S6 metrics', () => {
  it('S6 what is written is read back the same by the grammar of the format', () => {
    const family = fc.record({
      name: fc.stringMatching(/^[a-zA-Z_:][a-zA-Z0-9_:]{0,8}$/),
      type: fc.constantFrom<MetricFamily['type']>('gauge', 'counter'),
      help: TEXT,
      samples: fc.array(
        fc.record({
          labels: fc.dictionary(fc.stringMatching(/^[a-z_][a-z0-9_]{0,5}$/), TEXT, { maxKeys: 3 }),
          value: fc.double(),
        }),
        { maxLength: 3 },
      ),
    });
    fc.assert(
      fc.property(
        fc.uniqueArray(family, { selector: ({ name }) => name, minLength: 1, maxLength: 4 }),
        (families) => {
          const read = parsePrometheus(`${prometheusText(families).join('\n')}\n`);
          expect(read).toEqual(families.map(unsigned));
        },
      ),
    );
  });

  it('S6 a living host gives its figures, and so does its database alone', async () => {
    const home = testHome({ idleSeconds: 0 });
    const { call, stop } = await hostHere(home, new FakeClock());
    await call('jobs.add', { text: 'Wait for a lull.' });
    const families = await call('metrics', {});
    const read = parsePrometheus(`${prometheusText(families).join('\n')}\n`);
    const value = (name: string, labels = {}) =>
      read
        .find((one) => one.name === name)
        ?.samples.find((one) => JSON.stringify(one.labels) === JSON.stringify(labels))?.value;
    expect([
      value('lull_up'),
      value('lull_jobs', { state: 'queued' }),
      value('lull_stalled'),
    ]).toEqual([1, 1, 0]);
    expect(value('lull_gate_open', { gate: 'presence' })).toBe(0);
    expect(value('lull_resident_memory_bytes')).toBeGreaterThan(1e7);
    for (const { name, type } of read) {
      expect([name, name.endsWith('_total')]).toEqual([name, type === 'counter']);
      expect(name).toMatch(/^lull_[a-z_]+$/);
    }
    await stop();
    const alone = await lullHere(home, ['metrics']);
    expect(alone).toMatchObject({ code: 0, err: '' });
    expect(parsePrometheus(alone.out).find(({ name }) => name === 'lull_up')?.samples).toEqual([
      { labels: {}, value: 0 },
    ]);
  });
});

/** The format has one zero. */
function unsigned(family: MetricFamily): MetricFamily {
  const samples = family.samples.map(({ labels, value }) => ({
    labels,
    value: value === 0 ? 0 : value,
  }));
  return { ...family, samples };
}
