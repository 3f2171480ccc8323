import { describe, expect, it } from 'vitest';
import { failure, ok } from '../../main/base/errors.ts';
import { type DoctorInput, doctorView } from '../../main/desk/doctor.ts';

const GOOD: DoctorInput = {
  probes: [{ fact: 'idleSeconds', source: 'x11', value: '12', reason: null }],
  quickCheck: ['ok'],
  diskFreeBytes: 20_000_000_000,
  config: ok({}),
  servers: [{ name: 'here', answer: ok('0.12.0') }],
  sleepHold: ok('system sleep is held off by caffeinate'),
  orders: ok(true),
};

function failing(over: Partial<DoctorInput>) {
  return doctorView({ ...GOOD, ...over }).checks.filter((check) => check.ok === false);
}

describe('doctor', () => {
  it('D9 shows every probe and passes where all is well', () => {
    expect(doctorView(GOOD)).toEqual({
      probes: [{ fact: 'idleSeconds', source: 'x11', value: '12', reason: null }],
      checks: [
        { name: 'database', ok: true, detail: 'the database is sound' },
        { name: 'disk', ok: true, detail: '20.0 GB free' },
        { name: 'config', ok: true, detail: 'config.json is valid' },
        { name: 'orders', ok: true, detail: 'the orders folder can be written' },
        { name: 'sleep', ok: true, detail: 'system sleep is held off by caffeinate' },
        { name: 'server here', ok: true, detail: '0.12.0' },
      ],
    });
  });

  it('D9 each fault is named with its remedy, and only it', () => {
    expect(failing({ quickCheck: ['row 3 missing from index a', 'more'] })).toEqual([
      {
        name: 'database',
        ok: false,
        detail:
          'the database is damaged: row 3 missing from index a; restore the newest file from the backups folder',
      },
    ]);
    expect(failing({ diskFreeBytes: 200_000_000 })).toMatchObject([{ name: 'disk' }]);
    expect(failing({ config: failure('invalid', 'unknown key "a"', 'did you mean "b"?') })).toEqual(
      [{ name: 'config', ok: false, detail: 'unknown key "a"; did you mean "b"?' }],
    );
    const answer = failure('failed', 'connection refused');
    expect(failing({ servers: [...GOOD.servers, { name: 'far', answer }] })).toEqual([
      { name: 'server far', ok: false, detail: 'connection refused' },
    ]);
    const sleepHold = failure('failed', 'sleep cannot be held off', 'work goes on afterwards');
    expect(failing({ sleepHold })).toEqual([
      { name: 'sleep', ok: false, detail: 'sleep cannot be held off; work goes on afterwards' },
    ]);
  });

  it('D9 what is not known is neither well nor a fault', () => {
    const { checks } = doctorView({ ...GOOD, diskFreeBytes: null });
    expect(checks.filter((check) => check.ok !== true)).toEqual([
      { name: 'disk', ok: null, detail: 'free space is not known' },
    ]);
  });

  it('D9 without a server it says that the offline model answers', () => {
    expect(doctorView({ ...GOOD, servers: [] }).checks.at(-1)).toMatchObject({
      name: 'model servers',
      ok: null,
      detail: expect.stringContaining('offline model'),
    });
  });
});
