import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Log, type LogOptions, openLog } from '../../main/base/log.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { temporaryFolder } from '../support/store.ts';

const NOON = new Date(2026, 4, 10, 12).getTime();
const DAY = 86_400_000;

function temporaryLog(more: Partial<LogOptions> = {}): { log: Log; clock: FakeClock; dir: string } {
  const clock = new FakeClock(NOON);
  const dir = join(temporaryFolder(), 'logs');
  const log = openLog({ dir, clock, level: 'info', keepDays: 3, ...more });
  onTestFinished(() => log.close());
  return { log, clock, dir };
}

function linesOf(dir: string, day: string): Record<string, unknown>[] {
  const text = readFileSync(join(dir, `${day}.log`), 'utf8');
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
}

describe('log', () => {
  it('S5 one JSON line an entry, in the file of its local day, for the owner alone', () => {
    const { log, dir } = temporaryLog();
    log.info({ job: 7 }, 'started');
    expect(linesOf(dir, '2026-05-10')).toEqual([
      { level: 'info', time: NOON, pid: process.pid, job: 7, msg: 'started' },
    ]);
    expect(statSync(join(dir, '2026-05-10.log')).mode & 0o777).toBe(0o600);
    expect(statSync(dir).mode & 0o777).toBe(0o700);
  });

  it('S5 an entry is on the disk when the call returns, and goes on in the same file', () => {
    const { log, clock, dir } = temporaryLog();
    log.warn({}, 'one');
    expect(linesOf(dir, '2026-05-10')).toHaveLength(1);
    log.close();
    const again = openLog({ dir, clock, level: 'info', keepDays: 3 });
    again.warn({}, 'two');
    again.close();
    again.warn({}, 'after the end');
    expect(linesOf(dir, '2026-05-10').map((line) => line.msg)).toEqual(['one', 'two']);
  });

  it('S5 a new day begins a new file and removes those past their days, nothing else', async () => {
    const { log, clock, dir } = temporaryLog();
    mkdirSync(dir, { recursive: true });
    for (const name of ['2026-05-01.log', '2026-05-08.log', 'notes.log', '2026-05-01.log.gz']) {
      writeFileSync(join(dir, name), '');
    }
    log.info({}, 'today');
    expect(readdirSync(dir).sort()).toEqual([
      '2026-05-01.log.gz',
      '2026-05-08.log',
      '2026-05-10.log',
      'notes.log',
    ]);
    clock.suspend(DAY);
    log.info({}, 'tomorrow');
    expect(linesOf(dir, '2026-05-11')[0]?.msg).toBe('tomorrow');
    expect(readdirSync(dir)).not.toContain('2026-05-08.log');
    expect(clock.pendingTimers).toBe(0);
  });

  it('S5 a changed setting holds from the next entry, and the next day', () => {
    const { log, clock, dir } = temporaryLog();
    log.debug({}, 'unheard');
    log.configure({ level: 'debug', keepDays: 1 });
    log.debug({}, 'heard');
    expect(linesOf(dir, '2026-05-10').map((line) => line.msg)).toEqual(['heard']);
    clock.suspend(DAY);
    log.info({}, 'next');
    expect(readdirSync(dir)).toEqual(['2026-05-11.log']);
  });

  it('S7 secrets are not written, wherever in the fields or the text they stand', () => {
    const { log, dir } = temporaryLog();
    log.info(
      {
        token: 'S1',
        request: { headers: { authorization: 'S2', accept: '*' } },
        a: { secret: 'S3' },
      },
      'opened http://127.0.0.1:1/enter?token=S4-_x with Bearer S5.a',
    );
    log.error({ error: new Error('at /enter?token=S6') }, 'failed');
    const text = readFileSync(join(dir, '2026-05-10.log'), 'utf8');
    expect(text).not.toMatch(/S\d/);
    expect(text).toMatch(/"accept":"\*"/);
    expect(text).toMatch(/"stack":"Error: at/);
  });

  it('S5 a log that cannot be written loses lines and stops nothing', () => {
    const { log, dir } = temporaryLog();
    rmSync(dir, { recursive: true, force: true });
    writeFileSync(dir, 'in the way');
    expect(() => log.error({}, 'lost')).not.toThrow();
    rmSync(dir);
    log.error({}, 'found');
    expect(linesOf(dir, '2026-05-10').map((line) => line.msg)).toEqual(['found']);
  });

  it('S5 each line is echoed on request, and only those of the level', () => {
    const echoed: string[] = [];
    const { log } = temporaryLog({ echo: (line) => echoed.push(line) });
    log.debug({}, 'unheard');
    log.info({}, 'heard');
    expect(echoed.map((line) => JSON.parse(line).msg)).toEqual(['heard']);
  });
});
