import { forecast } from './forecast.ts';
import { type GateInput, holds, type Verdict } from './gate.ts';
import { supplyInWords } from './power.ts';
import type { Look } from './why.ts';
import { countOf, momentInWords, percentInWords, watchTime } from './words.ts';

export interface StatusInput {
  look: Look;
  /** Queued jobs by weight, and those put off until their time or until conditions change. */
  waiting: { heavy: number; light: number; deferred: number };
  /** Titles of what runs now. */
  running: readonly string[];
}

export interface StatusLine {
  /** The one line: what Lull does now, or what it waits for. */
  line: string;
  /** The facts that decide, under the line. */
  detail: string;
}

/** The one line and the facts under it. Pure: the same snapshot and counts give the same words. */
export function statusLine(input: StatusInput): StatusLine {
  return { line: lineOf(input), detail: detailOf(input) };
}

/** When heavy work may next start, in words; null while it may, or when nothing is known. */
export function nextLull(look: Look): string | null {
  const held = heavyHolds(look);
  const words = forecast(held, look.input.now, look.usual);
  if (words === null) return null;
  const young = look.usual.kind === 'no-history' && held.some(({ id }) => id === 'presence');
  const more = young && !words.includes('no history') ? '; no history yet of when you leave' : '';
  return `Next lull: ${words}${more}`;
}

function lineOf({ look, waiting, running }: StatusInput): string {
  const [first, ...more] = running;
  if (first !== undefined) {
    return more.length > 0 ? `Running: ${first}, and ${more.length} more` : `Running: ${first}`;
  }
  const { input, verdicts } = look;
  const halt = verdicts.find((verdict) => !verdict.open && verdict.blocks === 'all');
  if (halt) return haltLine(halt, input);
  const held = heavyHolds(look)[0];
  if (held && waiting.heavy > 0) return heldLine(held, waiting.heavy, input.now);
  if (waiting.heavy + waiting.light > 0) return 'Starting the next job';
  if (held?.id === 'pause') return pausedHeavy(held, input.now);
  if (waiting.deferred > 0) return `${countOf(waiting.deferred, 'job')} put off for now`;
  return 'Idle';
}

function haltLine(verdict: Verdict, { facts, config, now }: GateInput): string {
  if (verdict.id === 'pause') return `Paused until ${endOf(verdict, now)}`;
  const floor = percentInWords(config.power.floorPercent);
  return `Battery at ${percentInWords(facts.percent ?? 0)}: nothing starts at ${floor} or less`;
}

/** How a line begins where its cause would not be understood from what it waits for. */
const BECAUSE: Readonly<Record<string, string>> = {
  battery: 'On battery',
  'ups-battery': 'On UPS battery',
  'power-unknown': 'Power unknown',
};

function heldLine(verdict: Verdict, heavy: number, now: number): string {
  if (verdict.id === 'pause') return pausedHeavy(verdict, now);
  const because = BECAUSE[verdict.code];
  if (because === undefined) return `Waiting for ${verdict.waitsFor}`;
  const wait = heavy === 1 ? 'waits' : 'wait';
  return `${because}: ${countOf(heavy, 'heavy job')} ${wait} for ${verdict.waitsFor}`;
}

function pausedHeavy(verdict: Verdict, now: number): string {
  return `Heavy work paused until ${endOf(verdict, now)}`;
}

function endOf(verdict: Verdict, now: number): string {
  return verdict.changesAt === null ? 'you resume' : momentInWords(verdict.changesAt, now);
}

function detailOf({ look, waiting }: StatusInput): string {
  const { facts } = look.input;
  const parts = [waitingInWords(waiting), presenceInWords(look), supplyInWords(facts)];
  if (facts.lowPower) parts.push('Low Power Mode');
  if (facts.thermal === 'serious' || facts.thermal === 'critical') {
    parts.push(`heat ${facts.thermal}`);
  }
  if (facts.pressure === 'critical') parts.push('memory nearly used up');
  if (facts.pressure === 'warn') parts.push('memory scarce');
  return parts.join(' · ');
}

function waitingInWords({ heavy, light, deferred }: StatusInput['waiting']): string {
  const parts = [];
  if (heavy > 0) parts.push(countOf(heavy, 'heavy job'));
  if (light > 0) parts.push(countOf(light, 'light job'));
  if (deferred > 0) parts.push(`${deferred} put off`);
  return parts.join(', ') || 'nothing waits';
}

/** What decided about presence, as the gate named it. */
function presenceInWords({ input, verdicts }: Look): string {
  const code = verdicts.find((verdict) => verdict.id === 'presence')?.code ?? '';
  const { facts, config, awakeSeconds } = input;
  const threshold = watchTime(config.presence.idleThresholdSeconds);
  switch (code) {
    case 'active':
      return `idle ${watchTime(facts.idleSeconds ?? 0)} of ${threshold}`;
    case 'idle':
      return `idle ${watchTime(facts.idleSeconds ?? 0)}, past ${threshold}`;
    case 'just-woken':
      return `awake ${watchTime(awakeSeconds ?? 0)} of ${threshold}`;
    default:
      return PRESENCE[code] ?? code;
  }
}

const PRESENCE: Readonly<Record<string, string>> = {
  'said-here': 'here, by your word',
  'said-away': 'away, by your word',
  remote: 'remote session',
  locked: 'screen locked',
  call: 'microphone in use',
  'display-kept-on': 'display kept on',
  'display-off': 'display off',
  'idle-unknown': 'idle time unknown',
  unattended: 'unattended',
};

/** The closed gates that a heavy job without a waiver would meet, the one in flight left out. */
function heavyHolds({ input, verdicts }: Look): Verdict[] {
  const heavy = { tier: 'synthesis', numCtx: 0, waiver: null } as const;
  return verdicts.filter(
    (verdict) => verdict.id !== 'model' && holds(verdict, heavy, input.inFlight),
  );
}
