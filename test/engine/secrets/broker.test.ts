import { describe, expect, it } from 'vitest';
import { openBroker, type Trail } from '../../../main/engine/secrets/broker.ts';
import { FakeClock } from '../../support/fake-clock.ts';

const MINUTE = 60_000;
const VALUES: Record<string, string> = { lab: 'the key of the lab', mail: 'the word for mail' };

function brokerRoom() {
  const clock = new FakeClock();
  const trail: Trail[] = [];
  const scopes: Record<string, string[]> = { 'model-server:lab': ['lab'], post: ['mail', 'lab'] };
  const broker = openBroker({
    clock,
    vault: { read: async (name) => ({ ok: true, value: VALUES[name] ?? '' }) },
    scopeOf: (role) => scopes[role] ?? [],
    record: (line) => trail.push(line),
  });
  return { clock, trail, scopes, broker };
}

const LAB = { role: 'model-server:lab', job: 7 };

describe('the broker', () => {
  it('S7 a token opens what its role may have, and the accessor stands in the record of the job', async () => {
    const { broker, trail, clock } = brokerRoom();
    const { token, accessor, expiresAt } = broker.mint(LAB);
    expect(await broker.redeem(token, 'lab')).toEqual({ ok: true, value: VALUES.lab });
    expect(expiresAt).toBe(clock.now() + 10 * MINUTE);
    expect(trail).toEqual([
      {
        ...{ kind: 'secret.token', job: 7 },
        payload: { accessor, role: 'model-server:lab', scope: ['lab'], expiresAt },
      },
    ]);
    const told = JSON.stringify(trail);
    expect([told.includes(token), told.includes(VALUES.lab as string)]).toEqual([false, false]);
  });

  it.each([
    ['a secret of another role', LAB, 'mail', /"model-server:lab" may not have it/],
    ['a secret by a role nobody knows', { role: 'root', job: null }, 'lab', /"root" may not/],
  ])('S7 %s is refused, and recorded', async (_what, holder, secret, why) => {
    const { broker, trail } = brokerRoom();
    const { token, accessor } = broker.mint(holder);
    const answer = await broker.redeem(token, secret);
    expect(answer).toMatchObject({
      ok: false,
      code: 'refused',
      message: expect.stringMatching(why),
    });
    expect(trail.at(-1)).toMatchObject({ kind: 'secret.refused', payload: { accessor, secret } });
    expect(JSON.stringify(answer)).not.toContain(VALUES[secret]);
  });

  it('S7 an accessor is no token, and neither is anything else', async () => {
    const { broker } = brokerRoom();
    const { accessor } = broker.mint(LAB);
    for (const guess of [accessor, '', 'x'.repeat(43), '__proto__']) {
      expect(await broker.redeem(guess, 'lab')).toMatchObject({ ok: false });
    }
  });

  it.each([
    ['time passes', (clock: FakeClock) => clock.advance(10 * MINUTE)],
    ['the machine sleeps', async (clock: FakeClock) => clock.suspend(10 * MINUTE)],
    [
      'the clock is set back while it passes',
      async (clock: FakeClock) => {
        clock.jump(-60 * MINUTE);
        await clock.advance(10 * MINUTE);
      },
    ],
  ])('S7 a token ends when %s', async (_how, pass) => {
    const { broker, clock } = brokerRoom();
    const { token, accessor } = broker.mint(LAB);
    await clock.advance(MINUTE);
    expect(await broker.redeem(token, 'lab')).toMatchObject({ ok: true });
    await pass(clock);
    expect(await broker.redeem(token, 'lab')).toMatchObject({
      ok: false,
      message: expect.stringContaining('expired'),
    });
    expect(broker.isLive(accessor)).toBe(false);
  });

  it('S7 its own limit holds to the millisecond', async () => {
    const { broker, clock } = brokerRoom();
    const { token } = broker.mint(LAB, 1000);
    await clock.advance(999);
    expect(await broker.redeem(token, 'lab')).toMatchObject({ ok: true });
    await clock.advance(1);
    expect(await broker.redeem(token, 'lab')).toMatchObject({ ok: false });
  });

  it('S7 a revoked token opens nothing; that of another job goes on', async () => {
    const { broker } = brokerRoom();
    const [one, two] = [broker.mint(LAB), broker.mint({ ...LAB, job: 8 })];
    expect(broker.revoke(one.accessor)).toBe(true);
    expect(broker.revoke(one.accessor)).toBe(false);
    expect(await broker.redeem(one.token, 'lab')).toMatchObject({ ok: false });
    expect(await broker.redeem(two.token, 'lab')).toMatchObject({ ok: true });
  });

  it('S7 with a secret, every token that could open it ends', async () => {
    const { broker } = brokerRoom();
    const [lab, post] = [broker.mint(LAB), broker.mint({ role: 'post', job: 1 })];
    expect(broker.revokeSecret('mail')).toBe(1);
    expect(await broker.redeem(post.token, 'lab')).toMatchObject({ ok: false });
    expect(await broker.redeem(lab.token, 'lab')).toMatchObject({ ok: true });
  });

  it('S7 what a role may have is settled when its token is made', async () => {
    const { broker, scopes } = brokerRoom();
    const { token } = broker.mint(LAB);
    scopes['model-server:lab'] = ['lab', 'mail'];
    expect(await broker.redeem(token, 'mail')).toMatchObject({ ok: false });
  });
});
