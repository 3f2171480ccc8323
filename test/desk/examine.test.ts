import { chmodSync, rmSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ok } from '../../main/base/errors.ts';
import { createHome } from '../../main/base/home.ts';
import { examine } from '../../main/desk/examine.ts';
import { ModelError, type ModelServer } from '../../main/engine/models/server.ts';
import { fixedFacts } from '../support/fixed-facts.ts';
import { testHome } from '../support/host.ts';
import { temporaryStore } from '../support/store.ts';

type Parts = Parameters<typeof examine>[0];
const HOLDS = { check: async () => ok('system sleep is held off by caffeinate') };

async function examined(change: (parts: Parts) => Partial<Parts> = () => ({})) {
  const home = testHome();
  createHome(home);
  const store = await temporaryStore();
  const parts: Parts = {
    ...{ home, store, sleepHold: HOLDS, servers: [] },
    facts: fixedFacts({ idleSeconds: 12 }),
  };
  const view = await examine({ ...parts, ...change(parts) });
  return { view, check: (name: RegExp) => view.checks.find((one) => name.test(one.name)) };
}

/** A server of which only its answer to a ping matters. */
function server(name: string, ping: ModelServer['ping']): ModelServer {
  return { name, ping } as ModelServer;
}

describe('lull doctor', () => {
  it('D9 shows each fact with its value or the reason why it has none', async () => {
    const { view } = await examined();
    const probe = (fact: string) => view.probes.find((one) => one.fact === fact);
    expect(probe('idleSeconds')).toMatchObject({ value: '12', reason: null });
    expect(probe('thermal')).toMatchObject({ value: null, reason: 'not given' });
  });

  it('D9 everything whole: every check is good', async () => {
    const { view } = await examined(() => ({ servers: [server('den', async () => '0.33.1')] }));
    expect(view.checks.filter((check) => !check.ok)).toEqual([]);
    expect(JSON.stringify(view.checks)).toContain('0.33.1');
  });

  it('D9 servers are asked at the same time, and one that fails says why', async () => {
    const order: string[] = [];
    const { view } = await examined(() => ({
      servers: [
        server('den', async () => {
          order.push('den asked');
          await Promise.resolve();
          order.push('den done');
          return '1';
        }),
        server('attic', () => {
          order.push('attic asked');
          return Promise.reject(new ModelError('unreachable', 'attic does not answer'));
        }),
      ],
    }));
    expect(order).toEqual(['den asked', 'attic asked', 'den done']);
    const bad = view.checks.filter((check) => check.ok === false);
    expect(bad).toHaveLength(1);
    expect(`${bad[0]?.name} ${bad[0]?.detail}`).toMatch(/attic.*attic does not answer/);
  });

  it('D9 broken settings, a damaged file and a folder that is gone are named, and nothing is thrown', async () => {
    const { view } = await examined(({ home }) => {
      writeFileSync(home.config, '{ "power": ');
      rmSync(home.orders, { recursive: true });
      return {
        store: { quickCheck: () => ['row 3 missing from index jobs_open'] },
        facts: fixedFacts({}),
      };
    });
    const bad = view.checks
      .filter((check) => check.ok === false)
      .map((one) => `${one.name} ${one.detail}`);
    expect(bad).toHaveLength(3);
    expect(bad.join('\n')).toContain('row 3 missing from index');
    expect(bad.join('\n')).toContain('config.json');
  });

  it('D9 a database that cannot even be asked is a failed check', async () => {
    const { view } = await examined(() => ({
      store: {
        quickCheck() {
          throw Object.assign(new Error('disk image is malformed'), { code: 'SQLITE_CORRUPT' });
        },
      },
    }));
    expect(view.checks.filter((check) => check.ok === false)).toMatchObject([
      { detail: 'the database is damaged; restore the newest file from the backups folder' },
    ]);
  });

  it('D9 a data folder that vanished hides nothing else', async () => {
    const { view } = await examined(({ home }) => {
      chmodSync(home.dir, 0o700);
      rmSync(home.dir, { recursive: true });
      return {};
    });
    expect(view.probes.length).toBeGreaterThan(10);
    expect(view.checks.some((check) => check.ok === false)).toBe(true);
  });
});
