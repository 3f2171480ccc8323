import { describe, expect, it } from 'vitest';
import { createAdmission } from '../../../main/engine/admission/admission.ts';
import { createRouter } from '../../../main/engine/admission/router.ts';
import { admitWork } from '../../../main/engine/admission/work.ts';
import type { WorkRequest } from '../../../main/engine/producers/work-request.ts';
import { testQueue } from '../queue/test-queue.ts';

const REQUEST: WorkRequest = {
  source: 'job:morning@1:100',
  session: 'shop',
  title: 'Prepare the brief',
  prompt: 'Prepare the brief.\nFor the shop.',
  files: ['/tmp/a.txt'],
  subject: 'SKU-VANILLA',
  tier: null,
  route: { channel: 'telegram:shop', recipient: '42' },
  notBefore: null,
  expiresAt: null,
};

async function door(kind = 'brief', capacity = 10) {
  const room = await testQueue();
  const config = () => ({
    ...room.config,
    queue: { ...room.config.queue, lightCapacity: capacity, heavyCapacity: capacity },
  });
  const admit = createAdmission({ store: room.store, queue: room.queue, config });
  const carry = ({ prompt, files }: WorkRequest) => ({ text: prompt, files });
  return { ...room, admit: admitWork(kind, carry, createRouter(config), admit) };
}

describe('a request for work becomes a job', () => {
  it('Q7 S8 of the kind, by the router’s plan, with all that the request says', async () => {
    const { admit, queue, clock } = await door();
    const notBefore = clock.now() + 1000;
    const expiresAt = clock.now() + 2000;
    const decision = admit({ ...REQUEST, notBefore, expiresAt });
    expect(decision).toMatchObject({ outcome: 'admitted', job: { id: 1, tier: 'routine' } });
    expect(queue.get(1)).toMatchObject({
      ...{ kind: 'brief', tier: 'routine', numCtx: 16_384, priority: 50, class: 'light' },
      ...{ source: REQUEST.source, session: 'shop', subject: 'SKU-VANILLA' },
      ...{ title: REQUEST.title, route: REQUEST.route, state: 'deferred' },
      payload: { text: REQUEST.prompt, files: REQUEST.files },
      ...{ notBefore, expiresAt, maxAttempts: 3 },
    });
  });

  it('S8 a tier that the request names goes before the rule, and decides what it counts against', async () => {
    const { admit, queue } = await door();
    admit({ ...REQUEST, tier: 'stretch' });
    expect(queue.get(1)).toMatchObject({ tier: 'stretch', class: 'heavy', numCtx: 32_768 });
    const { admit: task, queue: tasks } = await door('task');
    task(REQUEST);
    expect(tasks.get(1)).toMatchObject({ tier: 'synthesis', class: 'heavy', priority: 100 });
  });

  it('Q7 the same again is the same job, other work under its name is a conflict', async () => {
    const { admit, queue } = await door();
    admit(REQUEST);
    expect(admit(REQUEST)).toMatchObject({ outcome: 'duplicate', job: { id: 1 } });
    expect(admit({ ...REQUEST, prompt: 'Another.' })).toMatchObject({
      ...{ outcome: 'conflict', job: { id: 1 } },
    });
    expect(queue.counts()).toEqual({ queued: 1, running: 0, deferred: 0 });
  });

  it('Q7 a full queue refuses in words that say what helps, and stores nothing', async () => {
    const { admit, queue } = await door('brief', 1);
    admit(REQUEST);
    expect(admit({ ...REQUEST, source: 'other' })).toEqual({
      outcome: 'refused',
      failure: {
        ...{ ok: false, code: 'queue_full' },
        message: 'the queue is full: 1 light job waits or runs already',
        hint: 'try again when one has ended, or raise queue.lightCapacity',
      },
    });
    expect(admit({ ...REQUEST, source: 'heavy', tier: 'synthesis' })).toMatchObject({
      outcome: 'admitted',
    });
    expect(queue.list({ limit: 9 })).toHaveLength(2);
  });

  it('P7 it commits and rolls back with whoever asks', async () => {
    const { admit, queue, store } = await door();
    const asked = () =>
      store.tx(() => {
        admit(REQUEST);
        throw new Error('the cursor could not be moved');
      });
    expect(asked).toThrow('the cursor');
    expect(queue.list({ limit: 9 })).toEqual([]);
  });

  it('Q2 a kind that would be taken in by another is no work of a producer', async () => {
    const { admit, queue } = await door('vault_sync');
    const plain = { ...REQUEST, session: null, subject: null };
    const local = { ...plain, route: { channel: 'local', recipient: '' } };
    admit(local);
    expect(() => admit({ ...local, source: 'again' })).toThrow('took in work of another source');
    expect(queue.list({ limit: 9 })).toHaveLength(1);
  });
});
