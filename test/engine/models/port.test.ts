import { describe, expect, it } from 'vitest';
import { modelPort } from '../../../main/engine/models/port.ts';
import { ModelError } from '../../../main/engine/models/server.ts';
import { KEYS, over, setUp } from './den.ts';

describe('the loader as the supervisor uses it', () => {
  it('G7 memory is back once no model of ours can hold it: not while one stays, or nobody answers', async () => {
    const { clock, loader, den } = await setUp();
    const port = modelPort(loader, clock);
    const back = () => over(clock, port.releaseWorker('returned'));
    expect(await back()).toBe(true);
    await loader.ensure(KEYS.synthesis);
    den.stuck.add('thinker');
    expect(await back()).toBe(false);
    den.down = new ModelError('unreachable', 'nobody there');
    expect(await back()).toBe(false);
    den.down = null;
    await clock.advance(60_000); // a silent server is left alone for a minute
    den.stuck.clear();
    expect(await back()).toBe(true);
    expect(den.memory.size).toBe(0);
  });
});
