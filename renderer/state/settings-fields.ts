/**
 * The settings that the panel can change: where each stands in the config, how it is shown, and what
 * it means. A setting that is not listed here is shown as it is, and changed in config.json.
 */
interface Common {
  /** Dotted key in the config. */
  key: string;
  name: string;
  /** What it means, for someone who has not read the manual. */
  means: string;
}

export type Field = Common &
  (
    | { kind: 'switch' }
    /** `per` units of the config make one unit of the field. */
    | { kind: 'number'; unit: string; per: number; orNone?: string }
    | { kind: 'choice'; choices: readonly { value: string; name: string }[] }
    /** One a line. */
    | { kind: 'list' }
    /** Hours of days of the week, or of every day; `none` says what no hours mean. */
    | { kind: 'hours'; weekly: boolean; none: string }
    | { kind: 'text' }
  );

export interface Group {
  name: string;
  fields: readonly Field[];
}

/** Settings that stand with the models. */
export const MODEL_FIELDS: readonly Field[] = [
  {
    key: 'models.budgetGb',
    name: 'Memory for models',
    means: 'All models together. A load that would not fit is refused before it begins.',
    ...{ kind: 'number', unit: 'GB', per: 1, orNone: '¾ of what there is' },
  },
  {
    key: 'models.keepAliveMinutes',
    name: 'An unused model stays loaded for',
    means: 'Longer means quicker starts, and less memory for everything else.',
    ...{ kind: 'number', unit: 'minutes', per: 1 },
  },
];

export const GROUPS: readonly Group[] = [
  {
    name: 'Presence',
    fields: [
      {
        key: 'presence.idleThresholdSeconds',
        name: 'You are away after',
        means: 'Heavy work may start once keyboard and pointer have rested for so long.',
        ...{ kind: 'number', unit: 'minutes', per: 60 },
      },
      {
        key: 'presence.calls',
        name: 'A call keeps heavy work waiting',
        means: 'While the microphone is in use you count as here. Off: only input counts.',
        kind: 'switch',
      },
      {
        key: 'presence.displayAssertions',
        name: 'A film or a presentation keeps it waiting',
        means: 'A program that keeps the display on counts as you being here.',
        kind: 'switch',
      },
      {
        key: 'presence.keepAwakeApps',
        name: 'Programs that do not count for that',
        means: 'They keep the display on for their own reasons. One a line.',
        kind: 'list',
      },
      {
        key: 'presence.remoteSessions',
        name: 'A remote session counts as you being here',
        means: 'For a machine you work on from afar, whose own screen is locked meanwhile.',
        kind: 'switch',
      },
      {
        key: 'presence.unattended',
        name: 'Nobody sits at this machine',
        means: 'Where idle time cannot be read, you count as away. Off: then you count as here.',
        kind: 'switch',
      },
    ],
  },
  {
    name: 'Power',
    fields: [
      {
        key: 'power.floorPercent',
        name: 'Nothing starts at or below',
        means: 'The floor of the battery, for light and heavy work alike, while it discharges.',
        ...{ kind: 'number', unit: '% charge', per: 1 },
      },
      {
        key: 'power.shedOnBattery',
        name: 'No heavy work on battery',
        means: 'Off: heavy work runs on battery too, down to the floor.',
        kind: 'switch',
      },
      {
        key: 'power.shedInLowPowerMode',
        name: 'No heavy work in Low Power Mode',
        means: 'Off: heavy work runs although you asked the machine to save power.',
        kind: 'switch',
      },
      {
        key: 'power.thermalLimit',
        name: 'Heavy work stops when the machine is',
        means: 'How hot the system says that it is.',
        kind: 'choice',
        choices: [
          { value: 'fair', name: 'warm (fair)' },
          { value: 'serious', name: 'hot (serious)' },
          { value: 'critical', name: 'very hot (critical)' },
          { value: 'off', name: 'never for heat' },
        ],
      },
    ],
  },
  {
    name: 'Memory, hours and programs',
    fields: [
      {
        key: 'memory.shedUnderPressure',
        name: 'No heavy work while memory is scarce',
        means:
          'Off: it starts although the system is short of memory and may slow everything down.',
        kind: 'switch',
      },
      {
        key: 'hours.heavy',
        name: 'Hours for heavy work',
        means: 'Outside of them it waits, and what runs stops at its next step.',
        ...{ kind: 'hours', weekly: true, none: 'At any hour' },
      },
      {
        key: 'exclusiveApps',
        name: 'Programs that get the machine for themselves',
        means: 'Heavy work waits while one of them runs. By process name, one a line.',
        kind: 'list',
      },
    ],
  },
  {
    name: 'Telling you',
    fields: [
      {
        key: 'notices.draftReady',
        name: 'When a draft is ready',
        means: 'One notification; a press on it opens the draft.',
        kind: 'switch',
      },
      {
        key: 'notices.digest',
        name: 'What happened while you were away',
        means: 'One digest when you are back: what was done, and what it cost.',
        kind: 'switch',
      },
      {
        key: 'notices.failures',
        name: 'When something fails',
        means: 'Once for each cause, until you have said that you know.',
        kind: 'switch',
      },
      {
        key: 'notices.quietHours',
        name: 'Quiet hours',
        means: 'Nothing is told in them; it waits in the panel.',
        ...{ kind: 'hours', weekly: false, none: 'At any hour' },
      },
    ],
  },
  {
    name: 'Stopping',
    fields: [
      {
        key: 'yield.graceSeconds',
        name: 'Time to come to a good end',
        means:
          'When you come back, a running job may finish its step for so long before it is cut off.',
        ...{ kind: 'number', unit: 'seconds', per: 1 },
      },
    ],
  },
  {
    name: 'Queue',
    fields: [
      {
        key: 'queue.lightCapacity',
        name: 'Light jobs at most',
        means: 'What is asked beyond that is refused, and schedules wait for room.',
        ...{ kind: 'number', unit: 'jobs', per: 1 },
      },
      {
        key: 'queue.heavyCapacity',
        name: 'Heavy jobs at most',
        means: 'Counted apart: a full line of heavy work never refuses light work.',
        ...{ kind: 'number', unit: 'jobs', per: 1 },
      },
      {
        key: 'queue.agingStepSeconds',
        name: 'Waiting moves a job ahead every',
        means: 'So that nothing waits for ever behind what is more urgent.',
        ...{ kind: 'number', unit: 'minutes', per: 60 },
      },
      {
        key: 'queue.keepFinishedDays',
        name: 'History is kept for',
        means: 'Older jobs are removed with their transcripts, unless a draft still needs them.',
        ...{ kind: 'number', unit: 'days', per: 1 },
      },
      {
        key: 'queue.keepFinishedCount',
        name: 'History holds at most',
        means: 'The oldest go first.',
        ...{ kind: 'number', unit: 'jobs', per: 1 },
      },
    ],
  },
  {
    name: 'Money and log',
    fields: [
      {
        key: 'currency',
        name: 'Currency of the stock',
        means: 'Three letters, such as USD or EUR. Amounts are not converted.',
        kind: 'text',
      },
      {
        key: 'log.level',
        name: 'The log holds',
        means: 'It stays on this machine, in the data folder.',
        kind: 'choice',
        choices: [
          { value: 'error', name: 'faults only' },
          { value: 'warn', name: 'warnings too' },
          { value: 'info', name: 'what happens' },
          { value: 'debug', name: 'everything' },
        ],
      },
      {
        key: 'log.keepDays',
        name: 'The log is kept for',
        means: 'Older files are removed.',
        ...{ kind: 'number', unit: 'days', per: 1 },
      },
    ],
  },
];
