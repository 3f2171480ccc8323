import { readFileSync } from 'node:fs';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { FakeClock } from '../support/fake-clock.ts';
import { AWAY, hostHere, lullHere, testHome, until } from '../support/host.ts';
import { startTestServer } from '../support/ollama-server/server.ts';
import { startOpenaiServer } from '../support/openai-server/server.ts';

/** Servers of their own kind, where Lull looks by itself. */
async function servers() {
  const ollama = await startTestServer();
  const plain = await startOpenaiServer({ flavour: 'plain' });
  onTestFinished(async () => {
    vi.unstubAllEnvs();
    await ollama.close();
    await plain.close();
  });
  const ports = [ollama.url, plain.url].map((url) => new URL(url).port);
  vi.stubEnv('LULL_MODEL_PORTS', ports.join(','));
  return { ollama, plain };
}

describe('the first run, with model servers on this machine', () => {
  it('D7 what is found is proposed, taken by one word, and answers the next job', async () => {
    const { ollama } = await servers();
    const home = testHome(AWAY, { models: { budgetGb: 24 }, currency: 'EUR' });
    const { call, calm } = await hostHere(home, new FakeClock(), { offline: false });
    expect(await call('models.show', {})).toMatchObject({ chosen: false, residents: [] });
    await expect(call('models.adopt', {})).rejects.toMatchObject({
      ...{ code: 'refused', hint: 'look for servers first' },
    });

    const found = await call('models.discover', {});
    expect(found.servers.map(({ title, problem }) => [title, problem])).toEqual([
      ['Ollama', null],
      ['OpenAI-compatible server', null],
    ]);
    expect(found.proposal.left.length).toBeGreaterThan(3);
    expect(JSON.parse(readFileSync(home.config, 'utf8')).models).toEqual({ budgetGb: 24 });

    const { tiers } = found.proposal;
    const taken = await call('models.adopt', { memoryGb: { routine: 13.4 } });
    expect(taken).toMatchObject({ chosen: true, forced: false });
    expect(taken.lineup.map((one) => one.model)).toEqual(
      (['pinned', 'routine', 'synthesis', 'stretch'] as const).map((tier) => tiers?.[tier].model),
    );
    const stored = JSON.parse(readFileSync(home.config, 'utf8'));
    expect(stored).toMatchObject({ currency: 'EUR', models: { budgetGb: 24 } });
    expect(stored.models.servers).toEqual([{ name: 'Ollama', kind: 'ollama', url: ollama.url }]);
    expect(stored.models.tiers.routine.memoryGb).toBe(13.4);
    // The same word again, as a page sends it that lost its host, changes nothing.
    await call('models.adopt', { memoryGb: { routine: 13.4 } });
    expect(JSON.parse(readFileSync(home.config, 'utf8'))).toEqual(stored);

    await call('jobs.add', { text: 'Think about the week.', tier: 'routine' });
    await until(async () => {
      await calm();
      return (await call('drafts.list', {})).length === 1;
    });
    const now = await call('models.show', {});
    expect(now.loads.map((one) => one.action)).toContain('load');
    expect(now.tally.loads).toBeGreaterThan(0);
    expect(now.residents).toMatchObject([{ model: tiers?.routine.model, ours: true }]);
    expect(now.usedBytes).toBeGreaterThan(1e9);
    expect((await call('panel', {})).memory.usedBytes).toBe(now.usedBytes);
  }, 60_000);

  it('D7 without a host the command line looks and takes over by itself', async () => {
    const { ollama } = await servers();
    const home = testHome(AWAY, { models: { budgetGb: 6 } });
    const find = await lullHere(home, ['models', 'find']);
    expect(find).toMatchObject({ code: 0, err: '' });
    expect(find.out).toContain(`Ollama at ${ollama.url}: `);
    const adopt = await lullHere(home, ['models', 'adopt', '--json']);
    expect(adopt).toMatchObject({ code: 0, err: '' });
    expect(adopt.json<{ chosen: boolean }>().chosen).toBe(true);
    const shown = await lullHere(home, ['models']);
    expect(shown.out).toMatch(/^pinned +llama3\.2:latest +Ollama/m);
  }, 60_000);

  it('D7 nothing found is nothing taken: the offline model goes on', async () => {
    vi.stubEnv('LULL_MODEL_PORTS', '');
    onTestFinished(() => void vi.unstubAllEnvs());
    const home = testHome();
    const adopt = await lullHere(home, ['models', 'adopt']);
    expect(adopt.code).toBe(3);
    expect(adopt.err).toBe(
      'lull: no model was found that fits this machine - install one in a model server, then look again\n',
    );
    expect((await lullHere(home, ['models'])).out).toContain('nothing is chosen yet');
  });
});
