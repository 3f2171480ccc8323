import { describe, expect, it } from 'vitest';
import { runningPrograms } from '../../../native/darwin/processes.ts';
import { NO_FRAMEWORKS } from '../../support/frameworks/frameworks.ts';
import { LAPTOP, mac, NOW, reading, useFrameworks } from './mac.ts';

describe.skipIf(NO_FRAMEWORKS)(
  `a Mac's system${NO_FRAMEWORKS ? ` (${NO_FRAMEWORKS})` : ''}`,
  () => {
    const { frameworks } = useFrameworks();

    describe('Low Power Mode and heat', () => {
      it('D9 G5 F10 are as the system tells them, though the rest of a register is full of dirt', () => {
        const info = (isLowPowerModeEnabled: boolean, thermalState: number) => {
          const { lowPower, thermal } = mac({
            processInfo: { isLowPowerModeEnabled, thermalState },
          }).read();
          return [lowPower, thermal];
        };
        expect(info(true, 0)).toMatchObject([{ value: true }, { value: 'nominal' }]);
        expect(info(false, 1)).toMatchObject([{ value: false }, { value: 'fair' }]);
        expect(info(false, 2)).toMatchObject([{ value: false }, { value: 'serious' }]);
        expect(info(false, 3)).toMatchObject([{ value: false }, { value: 'critical' }]);
        expect(info(true, 4)).toMatchObject([
          { value: true },
          { ok: false, reason: 'it tells the unknown thermal state 4' },
        ]);
      });

      it.each([
        ['this macOS does not have it', null],
        ['it gives no object', false],
      ])('D9 are unknown: %s', (reason, processInfo) => {
        const { lowPower, thermal } = mac({ processInfo }).read();
        expect(lowPower).toEqual({ ok: false, reason, source: 'NSProcessInfo' });
        expect(thermal).toEqual({ ok: false, reason, source: 'NSProcessInfo' });
      });

      it('D9 a method that this macOS lacks is not called', () => {
        const { lowPower, thermal } = mac({ processInfo: { thermalState: 1 } }).read();
        expect(lowPower).toMatchObject({
          ok: false,
          reason: 'this macOS does not know isLowPowerModeEnabled',
        });
        expect(thermal).toMatchObject({ value: 'fair' });
      });
    });

    describe('memory', () => {
      const sysctl = (changes: Record<string, number>) => ({
        sysctl: { ...LAPTOP.sysctl, ...changes },
      });

      it.each([
        [1, 'normal'],
        [2, 'warn'],
        [4, 'critical'],
      ])('D9 G5 pressure level %i is %s', (level, value) => {
        expect(
          reading('pressure', sysctl({ 'kern.memorystatus_vm_pressure_level': level })),
        ).toMatchObject({
          value,
        });
      });

      it('D9 G5 another level, or none, is unknown', () => {
        expect(
          reading('pressure', sysctl({ 'kern.memorystatus_vm_pressure_level': 3 })),
        ).toMatchObject({ ok: false, reason: 'it tells the unknown level 3' });
        expect(reading('pressure', { sysctl: {} })).toMatchObject({
          ok: false,
          reason: 'this macOS has no kern.memorystatus_vm_pressure_level',
        });
      });

      it('D9 a size of page that does not fit the counts, as in a translated process, is not believed', () => {
        const reason = 'the pages it counts do not make up the memory of this Mac';
        for (const page of [4096, 65_536]) {
          expect(reading('memAvailableGb', sysctl({ 'hw.pagesize': page }))).toMatchObject({
            reason,
          });
        }
      });

      it('D9 available memory is unknown where the kernel or a size refuses', () => {
        expect(reading('memAvailableGb', { memoryResult: 5 })).toMatchObject({
          ok: false,
          reason: 'the kernel refuses it (5)',
        });
        expect(reading('memAvailableGb', { sysctl: { 'hw.pagesize': 16_384 } })).toMatchObject({
          ok: false,
          reason: 'this macOS has no hw.memsize',
        });
      });
    });

    describe('running programs', () => {
      const CUT = '/Applications/Final Cut Pro.app/Contents/MacOS/Final Cut Pro';

      function programsOf(programs: Record<string, string | null>) {
        const { set, controls } = mac({ programs });
        const running = runningPrograms(frameworks().path);
        return {
          find: (name: string, now = NOW) => running.find([name], now),
          set: (programs: Record<string, string | null>) => set({ programs }),
          reads: () => controls.pathReads(),
        };
      }

      it('D9 G5 are known by the name of their file, whole and in any case', () => {
        const { find } = programsOf({ 0: null, 1: '/sbin/launchd', 500: CUT });
        expect(find('final cut pro')).toBe('final cut pro');
        expect(find('Final Cut')).toBe('');
        expect(find('launchd')).toBe('launchd');
        expect(find('MacOS')).toBe('');
        expect(find('')).toBe('');
      });

      it('D9 G5 the first of the names that runs is the answer', () => {
        mac({ programs: { 1: '/sbin/launchd', 500: CUT } });
        const running = runningPrograms(frameworks().path);
        expect(running.find(['Logic Pro', 'Final Cut Pro', 'launchd'], NOW)).toBe('Final Cut Pro');
      });

      it('D9 G5 what has ended is forgotten, and what is new is seen', () => {
        const { find, set } = programsOf({ 1: '/sbin/launchd' });
        expect(find('Final Cut Pro')).toBe('');
        set({ 1: '/sbin/launchd', 500: CUT });
        expect(find('Final Cut Pro', NOW + 1000)).toBe('Final Cut Pro');
        set({ 1: '/sbin/launchd' });
        expect(find('Final Cut Pro', NOW + 2000)).toBe('');
      });

      it('D9 G5 a path is read again while its process is young, then kept, then read anew', () => {
        const { find, set, reads } = programsOf({
          1: '/sbin/launchd',
          500: '/usr/libexec/xpcproxy',
        });
        find('x');
        set({ 1: '/sbin/launchd', 500: CUT });
        expect(find('Final Cut Pro', NOW + 5000)).toBe('Final Cut Pro');
        expect(reads()).toBe(4);
        find('x', NOW + 20_000);
        expect(reads()).toBe(4);
        find('x', NOW + 60_000);
        expect(reads()).toBe(6);
        find('x', NOW); // a clock that was set back
        expect(reads()).toBe(8);
        find('x', NOW + 20_000);
        expect(reads()).toBe(8);
      });

      it('D9 G5 no processes at all are a failure', () => {
        expect(() => programsOf({}).find('x')).toThrow('macOS lists no processes');
        expect(() => runningPrograms('/nowhere/libSystem').find(['x'], NOW)).toThrow(
          '/nowhere/libSystem cannot be loaded',
        );
      });
    });
  },
);
