import koffi from 'koffi';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Controls, NO_FRAMEWORKS } from '../../support/frameworks/frameworks.ts';
import { useFrameworks } from './mac.ts';

const UTF8 = 0x08000100;

/** The counts that the other tests lean on are themselves seen to fail here. */
describe.skipIf(NO_FRAMEWORKS)(
  `the stand-in for the frameworks${NO_FRAMEWORKS ? ` (${NO_FRAMEWORKS})` : ''}`,
  () => {
    const { frameworks } = useFrameworks();
    let controls: Controls;
    let call: (name: string, result: string, ...values: [string, unknown][]) => unknown;

    beforeAll(() => {
      const library = koffi.load(frameworks().path);
      controls = frameworks().controls();
      call = (name, result, ...values) =>
        library.func(
          name,
          result,
          values.map(([type]) => type),
        )(...values.map(([, value]) => value));
    });
    beforeEach(() => {
      controls.reset();
      controls.stage({ powerSources: [{ Type: 'UPS' }], registry: { Driver: { Name: 'x' } } });
    });

    const pointer = (value: unknown): [string, unknown] => ['void *', value];
    const number = (value: number): [string, unknown] => ['uint32_t', value];
    const string = (text: string) =>
      call('CFStringCreateWithCString', 'void *', pointer(null), ['str', text], number(UTF8));
    const release = (ref: unknown) => call('CFRelease', 'void', pointer(ref));

    it('D9 counts a reference that is not given back', () => {
      const text = string('kept');
      expect(controls.outstanding()).toBe(1);
      release(text);
      expect(controls.outstanding()).toBe(0);
      expect(controls.misuse()).toBe('');
    });

    it('D9 sees an object that is released twice, or used after its release', () => {
      const text = string('gone');
      release(text);
      call('CFStringGetLength', 'long', pointer(text));
      expect(controls.misuse()).toBe('CFStringGetLength of a released object');
      controls.reset();
      release(text);
      expect(controls.misuse()).toBe('CFRelease of a released object');
    });

    it('D9 sees a borrowed object that is released, and one that is used after its owner', () => {
      const info = call('IOPSCopyPowerSourcesInfo', 'void *');
      const list = call('IOPSCopyPowerSourcesList', 'void *', pointer(info));
      const handle = call('CFArrayGetValueAtIndex', 'void *', pointer(list), ['long', 0]);
      const source = call(
        'IOPSGetPowerSourceDescription',
        'void *',
        pointer(info),
        pointer(handle),
      );
      release(source);
      expect(controls.misuse()).toBe('CFRelease of a borrowed object');
      controls.reset();
      release(info);
      call('CFDictionaryGetCount', 'long', pointer(source));
      expect(controls.misuse()).toBe('CFDictionaryGetCount of a released object');
      release(list);
    });

    it('D9 sees a value that is read as another type', () => {
      const text = string('text');
      const value = new BigInt64Array(1);
      call('CFNumberGetValue', 'uint8_t', pointer(text), ['long', 4], pointer(value));
      expect(controls.misuse()).toBe('CFNumberGetValue of the wrong kind of object');
      release(text);
    });

    it('D9 counts a service that stays open, and sees a dictionary that is released after its use', () => {
      const matching = call('IOServiceMatching', 'void *', ['str', 'Driver']);
      const service = call(
        'IOServiceGetMatchingService',
        'uint32_t',
        number(0),
        pointer(matching),
      ) as number;
      expect(service).toBeGreaterThan(0x7fff_ffff);
      expect(controls.outstanding()).toBe(1);
      call('IOObjectRelease', 'int32_t', number(service));
      expect(controls.outstanding()).toBe(0);
      release(matching);
      expect(controls.misuse()).toBe('CFRelease of a released object');
      controls.reset();
      call('IOObjectRelease', 'int32_t', number(service));
      expect(controls.misuse()).toBe('IOObjectRelease of no open port');
    });
  },
);
