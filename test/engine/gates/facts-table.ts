/**
 * One fact at a time is changed on a quiet night: away for 15 minutes, on mains, all else known.
 * Row | change | gate | code | a light job | a heavy job | what the gate says.
 */
const FLIPPED_TEXT = `
  G1 | idleSeconds=299.9     | presence | active          | starts | waits  | You are here: last input 4:59 ago, heavy work waits for 5:00.
  G1 | idleSeconds=42        | presence | active          | starts | waits  | You are here: last input 0:42 ago, heavy work waits for 5:00.
  G1 | idleSeconds=0         | presence | active          | starts | waits  | You are here: last input 0:00 ago, heavy work waits for 5:00.
  G1 | idleSeconds=300       | presence | idle            | starts | starts | You are away: last input 5:00 ago, and 5:00 is enough.
  G1 | idleSeconds=7323      | presence | idle            | starts | starts | You are away: last input 2:02:03 ago, and 5:00 is enough.
  G1 | idleSeconds=null      | presence | idle-unknown    | starts | waits  | Idle time is unknown, so you count as here: heavy work waits. Where nobody sits, set presence.unattended.
  G5 | locked=true           | presence | locked          | starts | starts | The screen is locked, so you are away.
  G5 | locked=null           | presence | idle            | starts | starts | You are away: last input 15:00 ago, and 5:00 is enough.
  G5 | displayAsleep=true    | presence | display-off     | starts | starts | The display is off, so you are away.
  G5 | displayAsleep=null    | presence | idle            | starts | starts | You are away: last input 15:00 ago, and 5:00 is enough.
  G5 | displayAssertion=true | presence | display-kept-on | starts | waits  | A program keeps the display on, as for a film: heavy work waits for its end.
  G5 | displayAssertion=null | presence | idle            | starts | starts | You are away: last input 15:00 ago, and 5:00 is enough.
  G5 | micInUse=true         | presence | call            | starts | waits  | The microphone is in use, as on a call: heavy work waits for its end.
  G5 | micInUse=null         | presence | idle            | starts | starts | You are away: last input 15:00 ago, and 5:00 is enough.
  G1 | remote=true           | presence | idle            | starts | starts | You are away: last input 15:00 ago, and 5:00 is enough.
  G5 | remote=null           | presence | idle            | starts | starts | You are away: last input 15:00 ago, and 5:00 is enough.
  G3 | onBattery=true        | power    | battery         | starts | waits  | On battery (87 %): heavy work waits for mains.
  G3 | onBattery=null        | power    | mains           | starts | starts | On mains (87 %).
  G3 | powerSource=battery   | power    | battery         | starts | waits  | On battery (87 %): heavy work waits for mains.
  G3 | powerSource=ups       | power    | ups             | starts | starts | On mains through a UPS (87 %).
  G3 | powerSource=none      | power    | no-battery      | starts | starts | On mains: this machine has no battery.
  G3 | powerSource=null      | power    | mains           | starts | starts | On mains (87 %).
  G3 | draining=true         | power    | draining        | starts | waits  | Plugged in, but the battery is losing charge (87 %): heavy work waits until it stops.
  G3 | draining=null         | power    | mains           | starts | starts | On mains (87 %).
  G3 | charging=true         | power    | mains           | starts | starts | On mains (87 %).
  G3 | charging=null         | power    | mains           | starts | starts | On mains (87 %).
  G3 | percent=20            | power    | mains           | starts | starts | On mains (20 %).
  G3 | percent=null          | power    | mains           | starts | starts | On mains.
  G5 | lowPower=true         | power    | low-power       | starts | waits  | Low Power Mode is on: heavy work waits until it is off.
  G5 | lowPower=null         | power    | mains           | starts | starts | On mains (87 %).
  G5 | thermal=fair          | power    | mains           | starts | starts | On mains (87 %).
  G5 | thermal=serious       | power    | thermal         | starts | waits  | The machine is hot (serious, and the limit is serious): heavy work waits until it has cooled.
  G5 | thermal=critical      | power    | thermal         | starts | waits  | The machine is hot (critical, and the limit is serious): heavy work waits until it has cooled.
  G5 | thermal=null          | power    | mains           | starts | starts | On mains (87 %).
  G5 | pressure=warn         | memory   | warn            | starts | starts | Memory is getting scarce; heavy work may still run.
  G5 | pressure=critical     | memory   | critical        | starts | waits  | Memory is nearly used up: heavy work waits until some is free.
  G5 | exclusiveApp=Blender  | apps     | exclusive-app   | starts | waits  | Blender is running, and the settings give it the machine: heavy work waits for its end.
  G5 | exclusiveApp=null     | apps     | not-looked      | starts | starts | No program that wants the machine to itself is known of.
  G5 | pressure=null         | memory   | unknown         | starts | starts | Memory pressure is unknown and holds nothing back.
`;

/** The same on a machine that says nothing but what stands here. */
const ALONE_TEXT = `
  G1 | idleSeconds=900, powerSource=mains                           | presence | idle          | starts | starts | You are away: last input 15:00 ago, and 5:00 is enough.
  G3 | idleSeconds=900, powerSource=mains                           | power    | mains         | starts | starts | On mains.
  G3 | idleSeconds=900, powerSource=none                            | power    | no-battery    | starts | starts | On mains: this machine has no battery.
  G3 | idleSeconds=900, onBattery=false                             | power    | mains         | starts | starts | On mains.
  G3 | idleSeconds=900, charging=true                               | power    | mains         | starts | starts | On mains.
  G3 | idleSeconds=900                                              | power    | power-unknown | starts | waits  | Whether this machine is on mains is unknown, so it counts as on battery: heavy work waits.
  G3 | idleSeconds=900, powerSource=ups                             | power    | power-unknown | starts | waits  | Whether this machine is on mains is unknown, so it counts as on battery: heavy work waits.
  G3 | idleSeconds=900, powerSource=ups, draining=false             | power    | ups           | starts | starts | On mains through a UPS.
  G3 | idleSeconds=900, powerSource=ups, draining=true              | power    | ups-battery   | starts | waits  | Mains is gone and the UPS is on its battery: heavy work waits for mains.
  G3 | idleSeconds=900, powerSource=mains, draining=true            | power    | draining      | starts | waits  | Plugged in, but the battery is losing charge: heavy work waits until it stops.
  G3 | idleSeconds=900, draining=true                               | power    | battery       | starts | waits  | On battery: heavy work waits for mains.
  G3 | idleSeconds=900, onBattery=true                              | power    | battery       | starts | waits  | On battery: heavy work waits for mains.
  G3 | idleSeconds=900, percent=20                                  | power    | floor         | waits  | waits  | The battery is at 20 %: at 20 % or less nothing starts until it charges.
  G3 | idleSeconds=900, onBattery=true, percent=20                  | power    | floor         | waits  | waits  | The battery is at 20 %: at 20 % or less nothing starts until it charges.
  G3 | idleSeconds=900, onBattery=true, percent=20.5                | power    | battery       | starts | waits  | On battery (20 %): heavy work waits for mains.
  G3 | idleSeconds=900, powerSource=mains, draining=true, percent=3 | power    | floor         | waits  | waits  | The battery is at 3 %: at 20 % or less nothing starts until it charges.
  G3 | idleSeconds=900, powerSource=mains, percent=3                | power    | mains         | starts | starts | On mains (3 %).
  G5 | powerSource=mains, locked=true                               | presence | locked        | starts | starts | The screen is locked, so you are away.
  G5 | powerSource=mains, displayAsleep=true                        | presence | display-off   | starts | starts | The display is off, so you are away.
  G1 | powerSource=mains                                            | presence | idle-unknown  | starts | waits  | Idle time is unknown, so you count as here: heavy work waits. Where nobody sits, set presence.unattended.
`;

export interface Row {
  id: string;
  change: string;
  facts: Record<string, unknown>;
  gate: string;
  code: string;
  light: string;
  heavy: string;
  sentence: string;
}

function rowsOf(table: string): Row[] {
  return table
    .trim()
    .split('\n')
    .map((line) => {
      const cells = line.split('|').map((cell) => cell.trim());
      const [id, change, gate, code, light, heavy, sentence] = cells as [
        string,
        string,
        string,
        string,
        string,
        string,
        string,
      ];
      const facts = Object.fromEntries(change.split(', ').map((one) => factOf(one)));
      return { id, change, facts, gate, code, light, heavy, sentence };
    });
}

/** `percent=20` or `powerSource=ups`. */
function factOf(change: string): [string, unknown] {
  const [fact, value] = change.split('=') as [string, string];
  return [fact, /^(null|true|false|[\d.]+)$/.test(value) ? JSON.parse(value) : value];
}

export const FLIPPED: readonly Row[] = rowsOf(FLIPPED_TEXT);
export const ALONE: readonly Row[] = rowsOf(ALONE_TEXT);
