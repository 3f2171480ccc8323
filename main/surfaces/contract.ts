import { z } from 'zod';
import type { scheduleRule } from '../base/schedule-rule.ts';
import { backupCommands, type backupRow } from './contract/backup.ts';
import {
  type cyclePlan,
  type cycleRunRow,
  cyclesCommands,
  type cyclesView,
  type lockHealth,
  type repositoryRow,
} from './contract/cycles.ts';
import {
  type approval,
  type draftDetail,
  type draftRow,
  draftsCommands,
} from './contract/drafts.ts';
import {
  type historyRow,
  type jobDetail,
  type jobRow,
  jobsCommands,
  type runNowView,
  type tideView,
  type whyRow,
} from './contract/jobs.ts';
import { type foundView, modelsCommands, type modelsView } from './contract/models.ts';
import {
  type gateView,
  type noticeRow,
  ownerCommands,
  type pausedView,
  type statusView,
} from './contract/owner.ts';
import { panelCommands, panelView } from './contract/panel.ts';
import {
  type missedPolicy,
  type occurrence,
  type scheduleRow,
  schedulesCommands,
} from './contract/schedules.ts';
import { type secretRow, secretsCommands } from './contract/secrets.ts';
import {
  type conditionRow,
  type importReport,
  type productRow,
  stockCommands,
} from './contract/stock.ts';

import {
  type metricFamily,
  type runRow,
  type seriesView,
  vitalsCommands,
} from './contract/vitals.ts';

/**
 * The one contract between the host and everything in front of it: commands, the view a panel gets,
 * and the pushes that follow. Carriers and the client are derived from it, and the host validates
 * both directions. Times are epoch milliseconds UTC, money is integer cents.
 */

/** Every command of every part. */
export const commands = {
  ...ownerCommands,
  ...panelCommands,
  ...jobsCommands,
  ...draftsCommands,
  ...schedulesCommands,
  ...stockCommands,
  ...cyclesCommands,
  ...modelsCommands,
  ...secretsCommands,
  ...vitalsCommands,
  ...backupCommands,
} as const;

export type Commands = typeof commands;
export type CommandName = keyof Commands;
export type CommandInput<N extends CommandName> = z.input<Commands[N]['input']>;
export type ParsedInput<N extends CommandName> = z.output<Commands[N]['input']>;
export type CommandOutput<N extends CommandName> = z.output<Commands[N]['output']>;

/** A push: the named sections of the panel's view that changed, whole. */
export const push = z.object({ event: z.literal('panel'), changed: panelView.partial() });
export type Push = z.infer<typeof push>;

/** What a carrier sends first, unasked: whoever hears it knows that the host is alive. */
export const hello = z.object({ event: z.literal('hello'), pid: z.int(), version: z.string() });
export type Hello = z.infer<typeof hello>;

export const request = z.strictObject({
  id: z.int(),
  command: z.string(),
  input: z.unknown().optional(),
});

export const reply = z.discriminatedUnion('ok', [
  z.object({ id: z.int(), ok: z.literal(true), value: z.unknown() }),
  z.object({
    id: z.int(),
    ok: z.literal(false),
    code: z.string(),
    message: z.string(),
    hint: z.string().optional(),
  }),
]);

export type StatusView = z.infer<typeof statusView>;
export type GateView = z.infer<typeof gateView>;
export type PausedView = z.infer<typeof pausedView>;
export type JobRow = z.infer<typeof jobRow>;
export type JobDetail = z.infer<typeof jobDetail>;
export type WhyRow = z.infer<typeof whyRow>;
export type DraftRow = z.infer<typeof draftRow>;
export type DraftDetail = z.infer<typeof draftDetail>;
export type Approval = z.infer<typeof approval>;
export type ProductRow = z.infer<typeof productRow>;
export type ImportReport = z.infer<typeof importReport>;
export type ConditionRow = z.infer<typeof conditionRow>;
export type ScheduleRow = z.infer<typeof scheduleRow>;
export type ScheduleRule = z.infer<typeof scheduleRule>;
export type MissedPolicy = z.infer<typeof missedPolicy>;
export type Occurrence = z.infer<typeof occurrence>;
export type NoticeRow = z.infer<typeof noticeRow>;
export type TideView = z.infer<typeof tideView>;
export type HistoryRow = z.infer<typeof historyRow>;
export type RunNowView = z.infer<typeof runNowView>;
export type ModelsView = z.infer<typeof modelsView>;
export type FoundView = z.infer<typeof foundView>;
export type RunRow = z.infer<typeof runRow>;
export type MetricFamily = z.infer<typeof metricFamily>;
export type SeriesView = z.infer<typeof seriesView>;
export type SecretRow = z.infer<typeof secretRow>;
export type BackupRow = z.infer<typeof backupRow>;
export type CyclesView = z.infer<typeof cyclesView>;
export type RepositoryRow = z.infer<typeof repositoryRow>;
export type CycleRunRow = z.infer<typeof cycleRunRow>;
export type CyclePlan = z.infer<typeof cyclePlan>;
export type LockHealth = z.infer<typeof lockHealth>;
export type PanelView = z.infer<typeof panelView>;
export type WaitingRow = PanelView['waiting'][number];
