import { createServer } from 'node:net';
import { finalizeEvent, generateSecretKey } from 'nostr-tools/pure';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openRosterStore } from '../../../../main/base/store/roster-lock.ts';
import { startedEvent } from '../../../../main/work/roster/lock/lock-event.ts';
import { utcDate } from '../../../../main/work/roster/lock/window.ts';
import { claim, pairs, settingsOf } from '../../../support/relay/asking.ts';
import type { Message } from '../../../support/relay/fault-proxy.ts';
import { again, type Machine, machine, proxied, relays } from '../../../support/relay/fleet.ts';

const urlsOf = (all: { url: string }[]) => all.map(({ url }) => url);
const isEvent = (message: Message) => message[0] === 'EVENT';

/** A claim of another fleet member, as an existing tool would make it. */
function foreignClaim(changes: { agent?: string; now?: number; date?: string } = {}) {
  const now = changes.now ?? Date.now();
  const about = {
    ...{ cadence: 'daily' as const, agent: changes.agent ?? 'docs-agent' },
    ...{ date: changes.date ?? utcDate(now), platform: 'codex', model: 'm' },
    ...{ gitCommit: null, promptPath: null, promptHash: null },
  };
  const claimedAt = Math.floor(now / 1000) * 1000;
  const template = startedEvent(settingsOf([]), about, { now, claimedAt, ttlSeconds: 7200 });
  return finalizeEvent(template, generateSecretKey());
}

describe('relays that fail', () => {
  it('T2 refusing, silent and gone relays are no lock: exit 2 and the category', async () => {
    const gone = machine(['ws://127.0.0.1:1', 'ws://127.0.0.1:2']);
    const answer = await gone.lock.acquire(claim());
    expect(answer).toMatchObject({ code: 2, stdout: '' });
    expect(answer.stderr).toContain('error_category=websocket_connection_refused_or_dns\n');

    const mute = createServer((socket) => socket.on('error', () => {})); // accepts, and says nothing
    await new Promise<void>((resolve) => mute.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void mute.close());
    const silentUrl = `ws://127.0.0.1:${(mute.address() as { port: number }).port}`;
    const silent = machine([silentUrl], { queryTimeoutMs: 300 });
    const late = await silent.lock.check('daily');
    expect(late).toMatchObject({ code: 2 });
    expect(late.stderr).toContain('error_category=relay_query_timeout\n');

    const { proxies } = await proxied(1, { drop: (message) => message[0] === 'EOSE' });
    const endless = machine(urlsOf(proxies), { queryTimeoutMs: 300 });
    expect((await endless.lock.check('daily')).stderr).toContain('=relay_query_timeout\n');
  });

  it('T2 a malformed address is named by its key, before anything is sent', async () => {
    const { proxies } = await proxied(1);
    const broken = machine([...urlsOf(proxies), 'relay.example.org']);
    const answer = await broken.lock.acquire(claim());
    expect(answer.code).toBe(2);
    expect(answer.stderr).toBe(
      'The lock cannot be reached: nostrLock.relays: "relay.example.org" is not the address of a relay - ' +
        'write it as wss://relay.example.org error_category=malformed_relay_url_config\n',
    );
    expect(proxies[0]?.heard).toEqual([]);
    expect((await machine([]).lock.health('daily')).stderr).toContain('names no relay');
    const many = machine(urlsOf(proxies), { minSuccessfulRelayPublishes: 2 });
    expect((await many.lock.check('daily')).stderr).toContain('is 2, but there are 1 relays');
  });

  it('T2 one slow, one parted and one sound relay are a lock', async () => {
    const { proxies } = await proxied(3);
    const [slow, parted] = proxies;
    if (slow) slow.faults = { delayMs: 300 };
    if (parted) parted.faults = { parted: true };
    const answer = await machine(urlsOf(proxies)).lock.acquire(claim());
    expect(answer.code).toBe(0);
    expect(answer.stderr).toContain(`${parted?.url}: the connection ended`);
  });

  it('T2 answers that come twice and in another order change nothing', async () => {
    const { proxies } = await proxied(3, { duplicate: true, reorder: true });
    const ours = machine(urlsOf(proxies));
    const theirs = machine(urlsOf(proxies));
    expect((await ours.lock.acquire(claim())).code).toBe(0);
    expect((await ours.lock.acquire(claim('audit-agent'))).code).toBe(0);
    const seen = JSON.parse((await theirs.lock.check('daily')).stdout);
    expect(seen).toMatchObject({ locked: ['audit-agent', 'docs-agent'], lockCount: 2 });
    expect((await ours.lock.complete(claim())).code).toBe(0);
  });

  it('T2 a relay that says OK and stores nothing gives no lock', async () => {
    const { proxies, relays: real } = await proxied(1, { lie: true });
    const ours = machine(urlsOf(proxies));
    const answer = await ours.lock.acquire(claim());
    expect(answer).toMatchObject({ code: 2, stdout: '' });
    expect(answer.stderr).toContain('it took the event and does not show it');
    expect(answer.stderr).toContain('error_category=relay_publish_quorum_failure\n');
    expect(real[0]?.stored()).toEqual([]);
    // nothing is left of it: the next attempt is free
    for (const proxy of proxies) proxy.faults = {};
    expect((await ours.lock.acquire(claim())).code).toBe(0);
  });

  it('T2 with two copies asked for, one liar among three relays is one relay less', async () => {
    const { proxies } = await proxied(3);
    const [liar, parted] = proxies;
    if (liar) liar.faults = { lie: true };
    const copies = { minSuccessfulRelayPublishes: 2 };
    expect((await machine(urlsOf(proxies), copies).lock.acquire(claim())).code).toBe(0);
    if (parted) parted.faults = { parted: true };
    const short = await machine(urlsOf(proxies), copies).lock.acquire(claim('audit-agent'));
    expect(short.code).toBe(2);
  });

  it('T2 completing through a liar is not completed', async () => {
    const { proxies } = await proxied(1);
    const ours = machine(urlsOf(proxies));
    expect((await ours.lock.acquire(claim())).code).toBe(0);
    for (const proxy of proxies) proxy.faults = { lie: true };
    expect(await ours.lock.complete(claim())).toMatchObject({ code: 2, stdout: '' });
    for (const proxy of proxies) proxy.faults = {};
    expect((await ours.lock.complete(claim())).code).toBe(0);
  });

  it('T2 fallback relays are told where too few others listen', async () => {
    const [main, spare] = await relays(2);
    const fallback = { relayFallbacks: [spare?.url ?? ''], queryTimeoutMs: 2000 };
    const ours = machine(['ws://127.0.0.1:1'], fallback);
    const theirs = machine([main?.url ?? ''], fallback);
    expect((await ours.lock.acquire(claim())).code).toBe(0);
    expect(spare?.stored()).toHaveLength(1);
    expect(pairs(await theirs.lock.acquire(claim())).LOCK_REASON).toBe('already_locked');
  });

  it('T2 a refusal that may pass is tried four times, one that will not is not tried again', async () => {
    const refusing = (reason: string) => (message: Message) =>
      [message[0] === 'OK' ? ['OK', message[1], false, reason] : message] as Message[];
    const { proxies } = await proxied(1, { alter: refusing('rate-limited: slow down') });
    const told = () => proxies[0]?.heard.filter(isEvent).map((message) => message[1]) ?? [];
    const claims = () => told().filter((event) => (event as { kind: number }).kind === 30_078);
    const ours = machine(urlsOf(proxies));
    const first = await ours.lock.acquire(claim());
    expect(first.stderr).toContain('slow down');
    expect(first.stderr).toContain('error_category=relay_publish_quorum_failure');
    expect(claims()).toHaveLength(4);
    for (const proxy of proxies) proxy.faults = { alter: refusing('blocked: not you') };
    expect((await ours.lock.acquire(claim('audit-agent'))).code).toBe(2);
    expect(claims()).toHaveLength(5);
  });
});

describe('what relays send', () => {
  it('T2 bad signatures, a future created_at, no JSON and no sense are left out, and said', async () => {
    const good = foreignClaim({ agent: 'audit-agent' });
    const forged = { ...foreignClaim(), sig: good.sig };
    const altered = { ...foreignClaim(), created_at: 1 };
    const ahead = foreignClaim({ now: Date.now() + 3_600_000, date: utcDate(Date.now()) });
    const mute = finalizeEvent(
      { ...foreignClaim(), content: 'hello', kind: 30_078 },
      generateSecretKey(),
    );
    const noise = [null, 7, 'x', { kind: 30_078 }, { ...good, tags: [[1]] }, { ...good, id: 'q' }];
    const { proxies } = await proxied(1, {
      alter: (message) =>
        message[0] === 'EOSE'
          ? ([
              ...[...noise, forged, altered, ahead, mute, good].map((one) => [
                'EVENT',
                message[1],
                one,
              ]),
              ['NOTICE', 'you are being watched'],
              ['OK', 5, 'maybe'],
              ['EVENT'],
              ['WHAT'],
              [],
              message,
            ] as Message[])
          : [message],
    });
    const ours = machine(urlsOf(proxies));
    const seen = await ours.lock.check('daily');
    expect(JSON.parse(seen.stdout)).toMatchObject({ locked: ['audit-agent'], lockCount: 1 });
    expect(seen.stderr).toMatch(/^\d+ events that cannot be trusted were left out$/m);
    expect((await ours.lock.acquire(claim())).code).toBe(0);
  });

  it('T2 an endless relay is cut off', async () => {
    const { proxies } = await proxied(1, {
      alter: (message) =>
        message[0] === 'EOSE'
          ? Array.from({ length: 5002 }, (_, index) => [
              'EVENT',
              message[1],
              { ...foreignClaimShape, id: index.toString(16).padStart(64, '0') },
            ])
          : [message],
    });
    const answer = await machine(urlsOf(proxies)).lock.check('daily');
    expect(answer.code).toBe(2);
    expect(answer.stderr).toContain('it sends without end');
  });
});

const foreignClaimShape = { ...foreignClaim(), sig: '0'.repeat(128) };

describe('doubles', () => {
  async function doublesOf({ options }: Machine) {
    const store = openRosterStore(options.home);
    const rows = store.doubles.list(`nostr:garden:${options.root}`, 10);
    store.close();
    return rows;
  }

  it('T2 a partition lets two machines win; both find it at the next contact, and keep it', async () => {
    const { proxies } = await proxied(2);
    const [left, right] = proxies;
    const urls = urlsOf(proxies);
    const here = machine([left?.url ?? '', 'ws://127.0.0.1:1']);
    const there = machine([right?.url ?? '', 'ws://127.0.0.1:1']);
    expect((await here.lock.acquire(claim())).code).toBe(0);
    expect((await there.lock.acquire(claim())).code).toBe(0);
    expect((await here.lock.complete(claim())).code).toBe(0);
    expect((await there.lock.complete(claim())).code).toBe(0);
    expect(await doublesOf(here)).toEqual([]);

    const healed = [again(here, { relays: urls }), again(there, { relays: urls })];
    for (const one of healed) {
      const seen = await one.lock.check('daily');
      expect(seen.stderr).toContain('double: docs-agent ran twice in ');
      expect(seen.stderr).toContain('it was completed there as well');
      expect(await doublesOf(one)).toMatchObject([{ agent: 'docs-agent', platform: 'claude' }]);
      expect((await one.lock.check('daily')).stderr).not.toContain('double'); // told once
    }
  });

  it('T2 relays that forget: this machine still knows its own, the other finds the double', async () => {
    const real = await relays(3);
    const ours = machine(urlsOf(real));
    const theirs = machine(urlsOf(real));
    expect((await ours.lock.acquire(claim())).code).toBe(0);
    for (const relay of real) relay.forget();
    // our own processes are apart all the same
    const other = again(ours);
    expect(pairs(await other.lock.acquire(claim())).LOCK_REASON).toBe('already_locked');
    expect(JSON.parse((await other.lock.check('daily')).stdout).locked).toEqual(['docs-agent']);

    expect((await theirs.lock.acquire(claim())).code).toBe(0);
    expect((await theirs.lock.complete(claim())).code).toBe(0);
    const done = await ours.lock.complete(claim());
    expect(done.code).toBe(0);
    expect(done.stderr).toContain('double: docs-agent ran twice');
    expect(await doublesOf(ours)).toHaveLength(1);
  });

  it('T2 a claim that lost its race is no double, and is withdrawn', async () => {
    const real = await relays(2);
    const fleet = Array.from({ length: 3 }, () => machine(urlsOf(real)));
    const answers = await Promise.all(fleet.map(({ lock }) => lock.acquire(claim())));
    const won = answers.filter(({ code }) => code === 0);
    expect(won.length).toBeLessThanOrEqual(1);
    for (const answer of answers) {
      if (answer.code === 0) continue;
      expect(answer.code).toBe(3);
      if (pairs(answer).LOCK_STATUS === 'denied') continue;
      expect(pairs(answer)).toMatchObject({
        LOCK_STATUS: 'race_lost',
        LOCK_REASON: 'earlier_claim_exists',
      });
    }
    for (const relay of real) expect(relay.stored().length).toBe(won.length + withdrawals(relay));
    for (const one of fleet) {
      await one.lock.check('daily');
      expect(await doublesOf(one)).toEqual([]);
    }
  });

  const withdrawals = (relay: { stored(): { kind: number }[] }) =>
    relay.stored().filter(({ kind }) => kind === 5).length;
});

describe('quarantine', () => {
  it('T2 a relay that failed three times is left alone, across processes, unless it is needed', async () => {
    const { proxies } = await proxied(2);
    const [sound, flaky] = proxies;
    if (flaky) flaky.faults = { parted: true };
    const ours = machine(urlsOf(proxies));
    for (let turn = 0; turn < 3; turn++) await again(ours).lock.check('daily');
    expect((await again(ours).lock.check('daily')).stderr).toBe(''); // it was not asked
    const told = JSON.parse((await again(ours).lock.health('daily')).stdout);
    expect(told.relays.map(({ quarantined }: { quarantined: boolean }) => quarantined)).toEqual([
      false,
      true,
    ]);
    const both = again(ours, { minActiveRelayPool: 2 });
    if (flaky) flaky.faults = {};
    expect((await both.lock.check('daily')).code).toBe(0);
    expect(sound?.heard.length).toBeGreaterThan(0);
    expect(flaky?.heard.length).toBeGreaterThan(0);
  });
});
