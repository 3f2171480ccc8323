import { describe, expect, it } from 'vitest';
import { failure, ok } from '../../main/base/errors.ts';
import { type DoctorInput, doctorView } from '../../main/desk/doctor.ts';

const GOOD: DoctorInput = {
  probes: [{ fact: 'idleSeconds', source: 'x11', value: '12', reason: null }],
  quickCheck: ['ok'],
  diskFreeBytes: 20_000_000_000,
  config: ok({}),
  servers: [{ name: 'here', answer: ok('0.12.0') }],
  sleepHold: 'system sleep is not held off here',
  orders: ok(true),
};

function failing(over: Partial<DoctorInput>) {
  return doctorView({ ...GOOD, ...over }).checks.filter((check) => !check.ok);
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
        { name: 'sleep', ok: true, detail: 'system sleep is not held off here' },
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
    expect(failing({ diskFreeBytes: null })).toEqual([]);
    expect(failing({ config: failure('invalid', 'unknown key "a"', 'did you mean "b"?') })).toEqual(
      [{ name: 'config', ok: false, detail: 'unknown key "a"; did you mean "b"?' }],
    );
    const answer = failure('failed', 'connection refused');
    expect(failing({ servers: [...GOOD.servers, { name: 'far', answer }] })).toEqual([
      { name: 'server far', ok: false, detail: 'connection refused' },
    ]);
  });

  it('D9 without a server it says that the offline model answers', () => {
    expect(doctorView({ ...GOOD, servers: [] }).checks.at(-1)).toMatchObject({
      name: 'model servers',
      ok: true,
      detail: expect.stringContaining('offline model'),
    });
  });
});
