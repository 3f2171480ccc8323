import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { NostrEvent } from 'nostr-tools/core';
import { finalizeEvent, generateSecretKey } from 'nostr-tools/pure';
import { WebSocket } from 'ws';
import { systemClock } from '../../main/base/clock.ts';
import { resolveHome } from '../../main/base/home.ts';
import { dayTag, LOCK_KIND, startedEvent } from '../../main/work/roster/lock/lock-event.ts';
import { nostrLock } from '../../main/work/roster/lock/nostr-lock.ts';
import { RACE_DELAY_MS } from '../../main/work/roster/lock/race.ts';
import { datesThatCount, utcDate } from '../../main/work/roster/lock/window.ts';
import { settingsOf } from '../support/relay/asking.ts';
import { type Bench, median, ratioAtMost, row } from './bench.ts';

const ROUNDS = 15;
const SERVE = join(import.meta.dirname, '..', 'support', 'relay', 'serve.ts');

export const benches: Bench[] = [
  {
    name: 'lock',
    async run({ quick }) {
      const relays = spawn(process.execPath, [SERVE, '3'], { stdio: ['pipe', 'pipe', 'inherit'] });
      const folder = mkdtempSync(join(tmpdir(), 'lull-lock-'));
      try {
        const [line] = await once(relays.stdout, 'data');
        const urls = JSON.parse(String(line)) as string[];
        const rounds = quick ? 3 : ROUNDS;
        const agents = Array.from({ length: rounds + 1 }, (_, index) => `agent-${index}`);
        const ask = asker(folder, urls, agents);
        const ours: number[] = [];
        const bare: number[] = [];
        for (const [round, agent] of agents.entries()) {
          const mine = await ask(agent);
          const each = [];
          for (const url of urls) each.push(await roundTrips(url));
          if (round === 0) continue; // everything is loaded by then
          ours.push(mine);
          bare.push(Math.max(...each) + RACE_DELAY_MS);
        }
        return [
          row(
            'check and acquire, three relays',
            'ms',
            median(ours),
            median(bare),
            ratioAtMost(1.2, "the slowest relay's own round trips and the race delay"),
          ),
        ];
      } finally {
        relays.kill();
        rmSync(folder, { recursive: true, force: true });
      }
    },
  },
];

/** Milliseconds in which the lock is checked and an agent acquired. */
function asker(
  folder: string,
  urls: string[],
  agents: string[],
): (agent: string) => Promise<number> {
  const lock = nostrLock({
    ...{ root: folder, home: resolveHome(join(folder, 'home')), clock: systemClock(), env: {} },
    ...{ settings: settingsOf(urls), roster: { daily: agents, weekly: [] } },
    paused: { daily: [], weekly: [] },
  });
  return async (agent) => {
    const start = performance.now();
    const checked = await lock.check('daily');
    const acquired = await lock.acquire({ cadence: 'daily', agent, platform: 'x', model: 'y' });
    const ms = performance.now() - start;
    if (checked.code !== 0 || acquired.code !== 0) throw new Error(acquired.stderr);
    return ms;
  };
}

/** What the same conversation takes at least: connect and ask; connect, ask, tell, ask again. */
async function roundTrips(url: string): Promise<number> {
  const settings = settingsOf([url], { namespace: 'bare', hashtag: 'bare' });
  const now = Date.now();
  const dates = datesThatCount('daily', now);
  const filter = { kinds: [LOCK_KIND], '#t': dates.map((date) => dayTag('bare', 'daily', date)) };
  const about = {
    cadence: 'daily',
    agent: 'a',
    date: utcDate(now),
    platform: 'x',
    model: 'y',
  } as const;
  const origin = { gitCommit: null, promptPath: null, promptHash: null };
  const times = { now, claimedAt: now, ttlSeconds: 60 };
  const template = startedEvent(settings, { ...about, ...origin }, times);
  const event = finalizeEvent(template, generateSecretKey());
  const start = performance.now();
  await converse(url, [['REQ', 'a', filter]]);
  await converse(url, [
    ['REQ', 'a', filter],
    ['EVENT', event],
    ['REQ', 'b', filter],
  ]);
  return performance.now() - start;
}

type Turn = ['REQ', string, object] | ['EVENT', NostrEvent];

async function converse(url: string, turns: readonly Turn[]): Promise<void> {
  const socket = new WebSocket(url);
  await once(socket, 'open');
  for (const turn of turns) {
    const end = turn[0] === 'REQ' ? 'EOSE' : 'OK';
    const answered = new Promise<void>((resolve) => {
      socket.on('message', (data) => {
        if (JSON.parse(String(data))[0] === end) resolve();
      });
    });
    socket.send(JSON.stringify(turn));
    await answered;
    socket.removeAllListeners('message');
  }
  socket.terminate();
}
