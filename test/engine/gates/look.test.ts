import { expect, it } from 'vitest';
import { configSchema } from '../../../main/base/config-schema.ts';
import { pausesTable } from '../../../main/base/store/pauses.ts';
import { createGates } from '../../../main/engine/gates/look.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { fixedFacts, QUIET_NIGHT } from '../../support/fixed-facts.ts';
import { temporaryStore } from '../../support/store.ts';
import { job } from './inputs.ts';

async function setUp() {
  const clock = new FakeClock();
  const facts = fixedFacts(QUIET_NIGHT);
  const pauses = pausesTable((await temporaryStore(clock.now())).db);
  const gates = createGates({ clock, facts, config: () => configSchema.parse({}), pauses });
  return { clock, facts, pauses, gates };
}

it('G1 G4 each look takes one snapshot of facts, pauses, config and what is in flight', async () => {
  const { clock, facts, pauses, gates } = await setUp();
  const quiet = gates.look(clock.now(), null);
  expect([...quiet.blockedTiers]).toEqual([]);
  facts.set({ idleSeconds: 42 });
  expect(quiet.input.facts.idleSeconds).toBe(900);
  pauses.set('all', clock.now(), clock.now() + 60_000);
  const running = job({ tier: 'routine', title: 'Sum up' });
  const now = clock.now();
  const { verdicts, input, halted } = gates.look(now, { job: running });
  expect(halted).toBe(true);
  expect(verdicts.filter(({ open }) => !open).map(({ code }) => code)).toEqual([
    'paused',
    'active',
    'in-flight',
  ]);
  expect(input.inFlight).toEqual({
    key: { tier: 'routine', numCtx: 8192 },
    jobId: running.id,
    title: 'Sum up',
  });
  expect(gates.nextChange()).toBe(now + 60_000);
});

it('G1 a night of sleep opens no gate: the owner who opens the lid counts as here', async () => {
  const { clock, facts, gates } = await setUp();
  expect(gates.nextChange()).toBeNull();
  gates.look(clock.now(), null);
  clock.suspend(8 * 3_600_000);
  facts.set({ idleSeconds: 8 * 3600 });
  const woken = gates.look(clock.now(), null);
  expect(woken.verdicts.find(({ id }) => id === 'presence')?.code).toBe('just-woken');
  expect(gates.nextChange()).toBe(clock.now() + 300_000);
  await clock.advance(300_000);
  expect([...gates.look(clock.now(), null).blockedTiers]).toEqual([]);
});
