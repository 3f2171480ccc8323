import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest';
import type { Libraries } from '../../../native/darwin/libraries.ts';
import { darwinMachine } from '../../../native/darwin/machine.ts';
import type { Machine, MachineReadings } from '../../../native/machine.ts';
import {
  buildFrameworks,
  type Controls,
  type Frameworks,
} from '../../support/frameworks/frameworks.ts';

export const NOW = 1_780_000_000_000;
/** The pid that counts as Lull's own. */
export const OWN_PID = 4242;

type Values = Record<string, unknown>;

/** Drivers, each with its properties. */
export type Registry = Record<string, Values>;

/** What the stand-in answers; everything that is not named is missing there. */
export interface Stage {
  registry?: Registry;
  powerSources?: unknown;
  powerInfoFails?: true;
  powerListFails?: true;
  assertions?: unknown;
  assertionsResult?: number;
  assertionRefusal?: number;
  session?: unknown;
  sessionIdleSeconds?: number;
  displays?: { id: number; asleep: number }[];
  displaysResult?: number;
  audio?: Record<string, Values>;
  processInfo?: unknown;
  sysctl?: Record<string, number>;
  memory?: Record<string, number>;
  memoryResult?: number;
  programs?: Record<string, string | null>;
  logins?: { type: number; host: string }[];
}

export const BATTERY = {
  Type: 'InternalBattery',
  'Power Source State': 'AC Power',
  'Current Capacity': 80,
  'Max Capacity': 100,
  'Is Charging': true,
  'Is Present': true,
};

export const UPS = { ...BATTERY, Type: 'UPS', 'Is Charging': false };

/** A laptop on mains that nobody has touched for 400 s. */
export const LAPTOP = {
  registry: {
    IOHIDSystem: { HIDIdleTime: 400e9 },
    AppleSmartBattery: { BatteryInstalled: true, InstantAmperage: 900 },
  },
  powerSources: [BATTERY],
  assertions: {},
  session: { kCGSSessionOnConsoleKey: true, kCGSessionLoginDoneKey: true },
  sessionIdleSeconds: 401.5,
  displays: [{ id: 1, asleep: 0 }],
  audio: {
    1: { 'prs#/glob': [70, 71] },
    70: { 'piri/glob': 0, 'ppid/glob': 600, 'pdv#/inpt': [], 'pbid/glob': 'com.apple.Music' },
    // Runs input for ever while it waits for its word, and has no input device.
    71: { 'piri/glob': 1, 'ppid/glob': 601, 'pdv#/inpt': [], 'pbid/glob': 'com.apple.corespeechd' },
  },
  processInfo: { isLowPowerModeEnabled: false, thermalState: 0 },
  sysctl: {
    'kern.memorystatus_vm_pressure_level': 1,
    'hw.pagesize': 16_384,
    'hw.memsize': 17_179_869_184,
  },
  memory: {
    free: 200_000,
    active: 400_000,
    inactive: 250_000,
    wired: 150_000,
    compressor: 40_000,
    purgeable: 10_000,
    speculative: 50_000,
    external: 300_000,
    internal: 400_000,
  },
  logins: [{ type: 7, host: '' }],
} satisfies Stage;

export const LAPTOP_READINGS = {
  idleSeconds: { ok: true, value: 400, source: 'IOHIDSystem' },
  powerSource: { ok: true, value: 'mains', source: 'power sources' },
  onBattery: { ok: true, value: false, source: 'power sources' },
  percent: { ok: true, value: 80, source: 'power sources' },
  charging: { ok: true, value: true, source: 'power sources' },
  draining: { ok: true, value: false, source: 'AppleSmartBattery' },
  locked: { ok: true, value: false, source: 'login session' },
  displayAsleep: { ok: true, value: false, source: 'displays' },
  displayAssertion: { ok: true, value: false, source: 'power assertions' },
  micInUse: { ok: true, value: false, source: 'CoreAudio' },
  remote: { ok: true, value: false, source: 'login session, login records' },
  lowPower: { ok: true, value: false, source: 'NSProcessInfo' },
  thermal: { ok: true, value: 'nominal', source: 'NSProcessInfo' },
  pressure: { ok: true, value: 'normal', source: 'kern.memorystatus_vm_pressure_level' },
  // (200,000 free + 300,000 of files + 10,000 purgeable - 50,000 counted twice) × 16,384 bytes
  memAvailableGb: { ok: true, value: 7.53664, source: 'host_statistics64' },
} satisfies MachineReadings;

let frameworks: Frameworks;
let dir: string | null = null;

/** Builds the stand-in once for the tests of a file. */
export function useFrameworks(): { frameworks(): Frameworks } {
  beforeAll(() => {
    dir = mkdtempSync(join(tmpdir(), 'lull-frameworks-'));
    frameworks = buildFrameworks(dir);
  });
  afterAll(() => {
    if (dir) rmSync(dir, { recursive: true, force: true });
  });
  return { frameworks: () => frameworks };
}

export interface Mac {
  machine: Machine;
  read(now?: number, keepAwakeApps?: readonly string[]): MachineReadings;
  /** Changes some of what the stand-in answers, each as a whole. */
  set(changes: Stage): void;
  controls: Controls;
}

/** All of Apple's libraries in one. */
export function librariesAt(path: string): Libraries {
  return {
    ...{ coreFoundation: path, ioKit: path, coreGraphics: path, coreAudio: path },
    ...{ foundation: path, objectiveC: path, system: path },
  };
}

let settle = (): void => {};

/**
 * A Mac made of the stand-in: the laptop above with some changes. When the test ends or makes the next
 * one, every reference must have been given back, and nothing done that would be a fault on macOS.
 */
export function mac(
  changes: Stage = {},
  places: { path?: string; missing?: keyof Libraries; hasMainLoop?: boolean } = {},
): Mac {
  const { path = frameworks.path, missing, hasMainLoop = false } = places;
  settle();
  const controls = frameworks.controls(path);
  const stage: Stage = { ...LAPTOP };
  const set = (more: Stage): void => controls.stage(Object.assign(stage, more));
  controls.reset();
  set(changes);
  const libraries = librariesAt(path);
  if (missing) libraries[missing] = `/nowhere/${missing}`;
  const machine = darwinMachine({ libraries, pid: OWN_PID, hasMainLoop });
  settle = () => {
    settle = () => {};
    machine.close();
    expect(controls.misuse()).toBe('');
    expect(controls.outstanding(), 'references not given back').toBe(0);
  };
  onTestFinished(() => settle());
  return {
    machine,
    read: (now = NOW, keepAwakeApps = []) => machine.read(now, keepAwakeApps),
    set,
    controls,
  };
}

/** One reading of such a Mac. */
export function reading<Fact extends keyof MachineReadings>(
  fact: Fact,
  changes: Stage = {},
): MachineReadings[Fact] {
  return mac(changes).read()[fact];
}
