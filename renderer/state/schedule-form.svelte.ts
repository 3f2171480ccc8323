import type { MissedPolicy, ScheduleRow, ScheduleRule } from '../../main/surfaces/contract.ts';
import { now } from './now.ts';

const UNITS = [86_400, 3600, 60, 1];

/** What a schedule's form holds, as its fields have it, and the rule and policy that it means. */
export class ScheduleForm {
  prompt = $state('');
  kind = $state<'daily' | 'interval' | 'cron'>('daily');
  time = $state('07:00');
  every = $state(1);
  unit = $state(86_400);
  expression = $state('0 7 * * 1-5');
  zone = $state(Intl.DateTimeFormat().resolvedOptions().timeZone);
  missed = $state<MissedPolicy['kind']>('coalesce');
  /** Hours, for `within`; how many, for `replay`. */
  within = $state(2);
  atMost = $state(10);
  readonly #first: number | null;

  /** Empty, or with what a schedule says now. */
  constructor(from: ScheduleRow | null = null) {
    this.#first = from?.rule.kind === 'interval' ? from.rule.first : null;
    if (!from) return;
    const { rule, missed } = from;
    this.prompt = from.prompt;
    if (rule.kind === 'interval') {
      this.kind = 'interval';
      this.unit = UNITS.find((unit) => rule.everySeconds % unit === 0) ?? 1;
      this.every = rule.everySeconds / this.unit;
    } else {
      const daily = /^(\d{1,2}) (\d{1,2}) \* \* \*$/.exec(rule.expression);
      this.kind = daily ? 'daily' : 'cron';
      this.expression = rule.expression;
      this.zone = rule.zone;
      if (daily) this.time = `${daily[2]?.padStart(2, '0')}:${daily[1]?.padStart(2, '0')}`;
    }
    this.missed = missed.kind;
    if (missed.kind === 'within') this.within = missed.seconds / 3600;
    if (missed.kind === 'replay') this.atMost = missed.atMost;
  }

  rule(): ScheduleRule {
    if (this.kind === 'interval') {
      const everySeconds = this.every * this.unit;
      return { kind: 'interval', everySeconds, first: this.#first ?? now() };
    }
    const [hour = 0, minute = 0] = this.time.split(':').map(Number);
    const expression = this.kind === 'daily' ? `${minute} ${hour} * * *` : this.expression;
    return { kind: 'cron', zone: this.zone, expression };
  }

  policy(): MissedPolicy {
    if (this.missed === 'within') {
      return { kind: 'within', seconds: Math.round(this.within * 3600) };
    }
    if (this.missed === 'replay') return { kind: 'replay', atMost: this.atMost };
    return { kind: this.missed };
  }
}
