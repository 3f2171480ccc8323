import type { IoRegistry } from './io-registry.ts';

/** The driver of the internal battery. Every call may throw a sentence. */
export interface SmartBattery {
  /**
   * Whether there is a battery. That the driver is there proves nothing: desktops with Apple silicon
   * have it, too, without one (distatus/battery#34).
   */
  installed(): boolean;
  /** The current now, in mA: negative while the battery gives power. */
  milliamperes(): number;
}

export const SMART_BATTERY = 'AppleSmartBattery';

/** No battery of a Mac takes or gives more than this, in mA; beyond it the reading is broken. */
const MOST_MILLIAMPERES = 30_000;

export function smartBattery(registry: IoRegistry): SmartBattery {
  return {
    installed() {
      const installed = registry.inService(SMART_BATTERY, ({ flag }) => {
        const told = flag('BatteryInstalled');
        if (told === null) throw new Error('it does not say whether a battery is installed');
        return told;
      });
      return installed ?? false;
    },
    milliamperes() {
      const read = registry.inService(SMART_BATTERY, ({ integer }) => {
        const told = integer('InstantAmperage') ?? integer('Amperage');
        if (told === null) throw new Error('it does not tell its current');
        return told;
      });
      if (read === null) throw new Error('it is not in the registry');
      const current = signed(read);
      if (Math.abs(current) > MOST_MILLIAMPERES) throw new Error(`it tells a current of ${read}`);
      return current;
    },
  };
}

/** A negative current may come as the unsigned number of its 16 or 32 bits (openradar 15394253). */
function signed(value: number): number {
  if (value >= 0x8000 && value <= 0xffff) return value - 0x10000;
  if (value >= 0x8000_0000 && value <= 0xffff_ffff) return value - 0x1_0000_0000;
  return value;
}
