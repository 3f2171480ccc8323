import { describe, expect, it } from 'vitest';
import { NO_FRAMEWORKS } from '../../support/frameworks/frameworks.ts';
import {
  LAPTOP,
  mac,
  NOW,
  OWN_PID,
  type Registry,
  reading,
  type Stage,
  useFrameworks,
} from './mac.ts';

const NO_SESSION = 'there is no graphical session';

describe.skipIf(NO_FRAMEWORKS)(
  `who sits at a Mac${NO_FRAMEWORKS ? ` (${NO_FRAMEWORKS})` : ''}`,
  () => {
    useFrameworks();

    describe('idle time', () => {
      const hid = (HIDIdleTime?: unknown): Registry => ({
        IOHIDSystem: HIDIdleTime === undefined ? {} : { HIDIdleTime },
      });

      it('D9 G1 F3 is the smaller of what the hardware and the session know, and says of which', () => {
        const idle = (HIDIdleTime: number, sessionIdleSeconds: number) =>
          reading('idleSeconds', { registry: hid(HIDIdleTime), sessionIdleSeconds });
        expect(idle(12.5e9, 300)).toEqual({ ok: true, value: 12.5, source: 'IOHIDSystem' });
        expect(idle(300e9, 12.25)).toEqual({ ok: true, value: 12.25, source: 'session input' });
        expect(idle(0, 300)).toMatchObject({ value: 0 });
        // 200 days in nanoseconds are beyond what a number holds exactly.
        expect(idle(200 * 86_400e9, 1e8)).toMatchObject({ value: 200 * 86_400 });
      });

      it.each<[string, Registry]>([
        ['it is not in the registry', {}],
        ['it does not give HIDIdleTime', hid()],
        ['HIDIdleTime is not a number', hid({ $data: '' })],
        ['HIDIdleTime is no whole number', hid(0.5)],
        ['HIDIdleTime is -1', hid(-1)],
      ])('D9 G1 is that of the session where the hardware fails: %s', (reason, registry) => {
        expect(reading('idleSeconds', { registry, sessionIdleSeconds: 7 })).toEqual({
          ok: true,
          value: 7,
          source: 'session input',
        });
        expect(reading('idleSeconds', { registry, session: null })).toEqual({
          ok: false,
          reason,
          source: 'IOHIDSystem',
        });
        expect(reading('idleSeconds', { registry, sessionIdleSeconds: -1 })).toEqual({
          ok: false,
          reason: `IOHIDSystem: ${reason}; session input: the counter says -1`,
          source: 'IOHIDSystem, session input',
        });
      });

      it.each([-1, 1e12, 4e8])('D9 G1 a session counter of %s s is not believed', (seconds) => {
        expect(reading('idleSeconds', { sessionIdleSeconds: seconds })).toMatchObject({
          value: 400,
          source: 'IOHIDSystem',
        });
        expect(reading('idleSeconds', { registry: {}, sessionIdleSeconds: seconds })).toMatchObject(
          { ok: false },
        );
      });

      it('D9 G1 without a session that of the hardware, but not its 0: nobody counts then', () => {
        const registry = hid(5e9);
        expect(reading('idleSeconds', { registry, session: null })).toMatchObject({ value: 5 });
        expect(reading('idleSeconds', { registry: hid(0), session: null })).toMatchObject({
          ok: false,
          reason: 'no window server takes input',
        });
      });
    });

    describe('session and displays', () => {
      const session = { kCGSSessionOnConsoleKey: true };

      it('D9 G5 the screen is locked where the session says so, as a yes or as a number', () => {
        const locked = (CGSSessionScreenIsLocked: unknown) =>
          reading('locked', { session: { ...session, CGSSessionScreenIsLocked } });
        expect(locked(true)).toMatchObject({ value: true });
        expect(locked(1)).toMatchObject({ value: true });
        expect(locked(false)).toMatchObject({ value: false });
        expect(locked(0)).toMatchObject({ value: false });
        expect(locked('yes')).toMatchObject({
          ok: false,
          reason: 'CGSSessionScreenIsLocked is not a yes or no',
        });
      });

      it('D9 G5 another user on the console counts as locked', () => {
        expect(reading('locked', { session: { kCGSSessionOnConsoleKey: false } })).toMatchObject({
          value: true,
        });
        expect(reading('locked', { session: {} })).toMatchObject({ value: false });
      });

      it('D9 G5 without a session lock, display and sharing are unknown, and no display is asked', () => {
        const readings = mac({ session: null }).read();
        for (const fact of ['locked', 'displayAsleep', 'remote'] as const) {
          expect(readings[fact]).toMatchObject({ ok: false, reason: NO_SESSION });
        }
        const odd = mac({ session: [] }).read();
        expect(odd.locked).toMatchObject({ reason: 'what macOS gives is not a dictionary' });
      });

      it('D9 G5 the display is off when every display is', () => {
        const asleep = (...states: number[]) =>
          reading('displayAsleep', {
            displays: states.map((asleep, i) => ({ id: i + 1, asleep })),
          });
        expect(asleep(1)).toMatchObject({ value: true });
        expect(asleep(1, 0)).toMatchObject({ value: false });
        expect(asleep(1, 1)).toMatchObject({ value: true });
        expect(asleep()).toMatchObject({ ok: false, reason: 'none is connected' });
      });

      it('D9 G5 displays that macOS does not list are unknown', () => {
        expect(reading('displayAsleep', { displaysResult: 1001 })).toMatchObject({
          ok: false,
          reason: 'macOS does not list them (1001)',
        });
      });

      it('D9 F4 a shared screen or a login from afar is a remote session', () => {
        const shared = { session: { ...session, CGSSessionScreenIsShared: true } };
        const ssh = {
          logins: [
            { type: 7, host: '' },
            { type: 7, host: '192.0.2.1' },
          ],
        };
        expect(reading('remote', shared)).toMatchObject({ value: true, source: 'login session' });
        expect(reading('remote', ssh)).toMatchObject({ value: true, source: 'login records' });
        expect(reading('remote', { ...ssh, session: null })).toMatchObject({ value: true });
        const ended = {
          logins: [
            { type: 8, host: '192.0.2.1' },
            { type: 2, host: '' },
          ],
        };
        expect(reading('remote', ended)).toMatchObject({ value: false });
        const odd = { session: { ...session, CGSSessionScreenIsShared: 'no' } };
        expect(reading('remote', odd)).toMatchObject({
          ok: false,
          reason: 'CGSSessionScreenIsShared is not a yes or no',
        });
        expect(reading('remote', { ...odd, ...ssh })).toMatchObject({ value: true });
      });
    });

    describe('display assertions', () => {
      const film = {
        AssertionTrueType: 'PreventUserIdleDisplaySleep',
        AssertType: 'NoDisplaySleepAssertion',
        AssertLevel: 255,
        AssertPID: 600,
        'Process Name': 'QuickTime Player',
        AssertName: 'My private film',
      };
      const held = (assertion: unknown, pid = 600): Stage => ({
        assertions: { [pid]: [assertion] },
      });
      const kept = (stage: Stage, keepAwakeApps: readonly string[] = []) =>
        mac(stage).read(NOW, keepAwakeApps).displayAssertion;

      it('D9 F1 a program that keeps the display on is named, and not what it shows', () => {
        expect(kept(held(film))).toEqual({
          ok: true,
          value: true,
          source: 'power assertions of QuickTime Player',
        });
        const { AssertionTrueType: _, ...alias } = film;
        expect(kept(held(alias))).toMatchObject({ value: true });
        const { 'Process Name': __, ...nameless } = film;
        expect(kept(held(nameless))).toMatchObject({ source: 'power assertions of process 600' });
      });

      it('D9 F1 where there are none the call leaves its pointer alone, which is no failure', () => {
        expect(kept({ assertions: {} })).toMatchObject({ value: false });
      });

      it('D9 a refusal is unknown, whether or not something came with it', () => {
        const reason = 'macOS refuses them (0xe00002c1)';
        const assertionsResult = -536_870_207;
        expect(kept({ assertionsResult })).toMatchObject({ ok: false, reason });
        expect(kept({ assertionsResult, ...held(film) })).toMatchObject({ ok: false, reason });
      });

      it.each([
        'PreventUserIdleSystemSleep',
        'NoIdleSleepAssertion',
        'UserIsActive',
        'PreventSystemSleep',
        'BackgroundTask',
        'InternalPreventDisplaySleep',
        'DisplayWake',
      ])('D9 F1 %s does not keep the display on for anybody', (type) => {
        expect(kept(held({ ...film, AssertionTrueType: type }))).toMatchObject({ value: false });
      });

      it('D9 F3 F9 one that is off, or is ours, does not count', () => {
        expect(kept(held({ ...film, AssertLevel: 0 }))).toMatchObject({ value: false });
        expect(kept(held(film, OWN_PID))).toMatchObject({ value: false });
        const forUs = { ...film, AssertionOnBehalfOfPID: OWN_PID };
        expect(kept(held(forUs, 90))).toMatchObject({ value: false });
      });

      it('D9 F1 programs on the keep-awake list do not count, whatever their case and whoever holds it', () => {
        const named = (name: string) => held({ ...film, 'Process Name': name });
        expect(kept(named('caffeinate'), ['Caffeinate'])).toMatchObject({ value: false });
        expect(kept(named('caffeinate'), ['caff'])).toMatchObject({ value: true });
        const behalf = {
          ...film,
          'Process Name': 'runningboardd',
          AssertionOnBehalfOfBundleID: 'com.if.Amphetamine',
        };
        expect(kept(held(behalf), ['Amphetamine'])).toMatchObject({ value: false });
        expect(kept(held(behalf), ['com.if.amphetamine'])).toMatchObject({ value: false });
        expect(kept(held(behalf))).toMatchObject({ source: 'power assertions of Amphetamine' });
        const both = {
          assertions: { 600: [film], 601: [{ ...film, 'Process Name': 'caffeinate' }] },
        };
        expect(kept(both, ['caffeinate'])).toMatchObject({
          source: 'power assertions of QuickTime Player',
        });
      });

      it.each<[string, unknown]>([
        ['what macOS gives is not a dictionary', [film]],
        ['a process number is not a number', { Finder: [] }],
        ['what a process holds is not a list', { 600: film }],
        ['an assertion is not a dictionary', { 600: ['film'] }],
        ['an assertion does not say its type', { 600: [{ AssertLevel: 255 }] }],
        ['AssertionTrueType is not a text', { 600: [{ ...film, AssertionTrueType: 1 }] }],
        ['Process Name is unreadable text', { 600: [{ ...film, 'Process Name': '\ud800' }] }],
        ['Process Name is not a text', { 600: [{ ...film, 'Process Name': false }] }],
      ])(
        'D9 is unknown where %s, unless another program surely keeps it on',
        (reason, assertions) => {
          expect(kept({ assertions })).toMatchObject({ ok: false, reason });
          if (Array.isArray(assertions)) return;
          const more = { ...(assertions as object), 700: ['odd', film] };
          expect(kept({ assertions: more })).toMatchObject({ value: true });
        },
      );

      it('D9 names are read whole, in any script', () => {
        const name = 'ビデオ ‒ 🎬 player with quite a long name';
        expect(kept(held({ ...film, 'Process Name': name }))).toMatchObject({
          source: `power assertions of ${name}`,
        });
      });
    });

    describe('the microphone on macOS 14 and later', () => {
      const call = {
        'piri/glob': 1,
        'ppid/glob': 700,
        'pdv#/inpt': [40],
        'pbid/glob': 'us.zoom.xos',
      };
      const audio = (objects: Record<string, Record<string, unknown>>) => ({
        audio: {
          ...LAPTOP.audio,
          1: { 'prs#/glob': Object.keys(objects).map(Number) },
          ...objects,
        },
      });

      it('D9 F2 a program that listens to a device is on a call, and named', () => {
        expect(reading('micInUse', audio({ 72: call }))).toEqual({
          ok: true,
          value: true,
          source: 'CoreAudio, us.zoom.xos',
        });
        const { 'pbid/glob': _, ...nameless } = call;
        for (const bundle of [{}, { 'pbid/glob': '' }]) {
          expect(reading('micInUse', audio({ 72: { ...nameless, ...bundle } }))).toMatchObject({
            source: 'CoreAudio, process 700',
          });
        }
      });

      it('D9 F2 one that waits for its word has no device, and one that plays no input', () => {
        expect(reading('micInUse')).toEqual({ ok: true, value: false, source: 'CoreAudio' });
      });

      it('D9 F3 Lull itself does not count', () => {
        const own = { ...call, 'ppid/glob': OWN_PID };
        expect(reading('micInUse', audio({ 72: own }))).toMatchObject({ value: false });
      });

      it('D9 F2 a process that ends in between is passed over; where all refuse, it is unknown', () => {
        const gone = { 1: { 'prs#/glob': [69, 72] }, 72: call };
        expect(reading('micInUse', { audio: gone })).toMatchObject({ value: true });
        const nothing = { 1: { 'prs#/glob': [69] } };
        expect(reading('micInUse', { audio: nothing })).toEqual({
          ok: false,
          reason: 'CoreAudio refuses a property (!obj)',
          source: 'CoreAudio',
        });
        expect(reading('micInUse', { audio: { 1: { 'prs#/glob': [] } } })).toMatchObject({
          value: false,
        });
      });

      it('D9 is unknown where CoreAudio does not answer', () => {
        const refusing = { 1: { 'prs#/glob': false } };
        expect(reading('micInUse', { audio: refusing })).toMatchObject({
          ok: false,
          reason: 'CoreAudio refuses a property (stop)',
        });
        expect(reading('micInUse', { audio: {} })).toMatchObject({
          ok: false,
          reason: 'CoreAudio refuses a list (!obj)',
        });
      });

      it('D9 F2 hears of changes though no run loop runs, and leaves the loop of Electron alone', () => {
        const headless = mac();
        expect(headless.read().micInUse).toMatchObject({ value: false });
        headless.set(audio({ 72: call }));
        expect(headless.read().micInUse).toMatchObject({ value: true });
        const shell = mac({}, { hasMainLoop: true });
        expect(shell.read().micInUse).toMatchObject({ value: false });
        shell.set(audio({ 72: call }));
        expect(shell.read().micInUse).toMatchObject({ value: false });
      });
    });

    describe('the microphone on macOS 13', () => {
      const devices = (...list: Record<string, unknown>[]): Stage => ({
        audio: {
          1: { 'dev#/glob': list.map((_, i) => 40 + i) },
          ...Object.fromEntries(list.map((device, i) => [40 + i, device])),
        },
      });
      const mic = { 'stm#/inpt': [1], 'stm#/outp': [], 'gone/glob': 1 };

      it('D9 F2 an input device that runs is in use', () => {
        expect(reading('micInUse', devices(mic))).toMatchObject({ value: true });
        expect(reading('micInUse', devices({ ...mic, 'gone/glob': 0 }))).toMatchObject({
          value: false,
        });
        const speaker = { 'stm#/inpt': [], 'stm#/outp': [2], 'gone/glob': 1 };
        expect(reading('micInUse', devices(speaker))).toMatchObject({ value: false });
      });

      it('D9 F2 a headset that runs may only play: unknown, unless a microphone runs as well', () => {
        const headset = { ...mic, 'stm#/outp': [2] };
        expect(reading('micInUse', devices(headset))).toMatchObject({
          ok: false,
          reason: 'a headset is in use, which may be for listening only',
        });
        expect(reading('micInUse', devices(headset, mic))).toMatchObject({ value: true });
      });

      it('D9 F2 a device that is unplugged in between is passed over', () => {
        const { audio } = devices(mic);
        const gone = { audio: { ...audio, 1: { 'dev#/glob': [39, 40] } } };
        expect(reading('micInUse', gone)).toMatchObject({ value: true });
      });
    });
  },
);
