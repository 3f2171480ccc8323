const NAMES: Readonly<Record<string, string>> = {
  idleSeconds: 'Seconds since the last input',
  onBattery: 'On battery',
  percent: 'Battery charge, percent',
  charging: 'Charging',
  draining: 'Losing charge',
  powerSource: 'Power source',
  locked: 'Screen locked',
  displayAsleep: 'Display off',
  displayAssertion: 'Display kept on by a program',
  micInUse: 'Microphone in use',
  remote: 'Remote session',
  lowPower: 'Low Power Mode',
  thermal: 'Heat',
  pressure: 'Memory pressure',
  memAvailableGb: 'Free memory, GB',
  exclusiveApp: 'A program that has the machine to itself',
};

/** A fact's name for people; one that is not known here as it is. */
export function factName(fact: string): string {
  return NAMES[fact] ?? fact;
}
