import { describe, expect, expectTypeOf, it } from 'vitest';
import type { Draft } from '../../../main/base/store/drafts.ts';
import type { Approval } from '../../../main/desk/approve.ts';
import type { DoctorView } from '../../../main/desk/doctor.ts';
import { changedSections } from '../../../main/desk/view-model/changed-sections.ts';
import type { DraftDetail, DraftRow } from '../../../main/desk/view-model/draft.ts';
import { jobDetail, jobRow, type waitingRow } from '../../../main/desk/view-model/job.ts';
import {
  type NoticeRow,
  type PanelInput,
  type PanelView,
  panelView,
} from '../../../main/desk/view-model/panel.ts';
import type { Schedule } from '../../../main/engine/producers/clock/schedules.ts';
import type { Condition } from '../../../main/engine/producers/conditions/conditions.ts';
import { HEALTHY } from '../../../main/engine/vitals/health.ts';
import { jobDetail as jobDetailSchema } from '../../../main/surfaces/contract/jobs.ts';
import { panelView as panelSchema } from '../../../main/surfaces/contract/panel.ts';
import type * as contract from '../../../main/surfaces/contract.ts';
import type { StockLine } from '../../../main/work/shop/stock.ts';
import { MORNING, orderDraft } from '../../support/desk.ts';
import { aJob } from '../a-job.ts';

const WHY = { code: 'present', reason: 'You are here.', forecast: 'likely 22:40' };

function aDraft(id: number, title = 'Opening replenishment'): Draft {
  return {
    ...orderDraft(id),
    id,
    ordinal: 0,
    title,
    state: 'pending',
    decidedAt: null,
    appliedAt: null,
    supersededBy: null,
    error: null,
    summary: '6 tubs',
    snoozed: null,
  };
}

function input(over: Partial<PanelInput> = {}): PanelInput {
  return {
    status: {
      host: { pid: 1, version: '0.0.1', home: '/home', model: 'offline' },
      ...{ now: MORNING, health: HEALTHY, run: null },
      line: 'Waiting for you to step away',
      pauses: { all: null, heavy: { until: MORNING } },
      word: { present: true, until: MORNING },
      verdicts: [
        {
          id: 'presence',
          open: false,
          blocks: 'heavy',
          code: 'present',
          reason: 'You are here.',
          waitsFor: 'you to step away',
          waivedBy: 'presence',
          changesAt: null,
        },
      ],
      queue: { queued: 1, running: 1, deferred: 0 },
      pendingDrafts: 1,
    },
    detail: 'idle 0:42 of 5:00',
    nextLull: null,
    running: [
      {
        job: aJob({ state: 'running', startedAt: MORNING }),
        progress: { done: 1204, total: 1980, unit: 'files' },
        leftMs: 40_000,
      },
    ],
    waiting: [{ job: aJob({ id: 2 }), why: WHY, expected: { at: MORNING, spreadMs: 1_500_000 } }],
    recent: [aJob({ id: 3, state: 'done', finishedAt: MORNING })],
    drafts: [aDraft(1)],
    schedules: [
      {
        id: 'morning',
        revision: 1,
        prompt: 'Brief',
        session: 'shop',
        tier: null,
        rule: { kind: 'interval', everySeconds: 60, first: 0 },
        ruleText: 'every minute',
        missed: { kind: 'coalesce' },
        to: 'local',
        enabled: true,
        nextDue: MORNING,
        missedCount: 0,
        coalescedCount: 0,
        lastAdmittedAt: null,
        lastStartedAt: null,
        lastFinishedAt: null,
      },
    ],
    conditions: [
      {
        id: 'v',
        sku: 'SKU-VANILLA',
        session: 'shop',
        enabled: true,
        armed: true,
        generation: 1,
        problem: null,
      },
    ],
    stock: [
      {
        sku: 'SKU-VANILLA',
        name: 'Vanilla',
        unit: 'tubs',
        onHand: 2,
        reorderPoint: 8,
        unitCostCents: 250,
        needed: 6,
      },
    ],
    stockTotal: 1,
    notices: [
      {
        id: 1,
        cause: 'disk-full',
        text: 'The disk is full.',
        draft: null,
        count: 2,
        firstAt: MORNING,
        lastAt: MORNING,
      },
    ],
    memory: { budgetBytes: 24e9, usedBytes: 0 },
    telling: { drafts: true, digest: true, failures: false },
    tide: {
      ...{ from: MORNING, to: MORNING + 86_400_000, waiting: 1, text: 'Today: no work ran.' },
      present: [{ from: MORNING, to: MORNING + 60_000 }],
      lulls: [],
      ran: [{ job: 3, from: MORNING, to: MORNING + 1, heavy: true }],
      next: { from: MORNING + 3_600_000, spreadMs: 300_000 },
    },
    currency: 'USD',
    ...over,
  };
}

describe('the view of a panel', () => {
  it('D5 is exactly what the contract says, types and values', () => {
    expectTypeOf<PanelView>().toExtend<contract.PanelView>();
    expectTypeOf<DraftRow>().toEqualTypeOf<contract.DraftRow>();
    expectTypeOf<DraftDetail>().toEqualTypeOf<contract.DraftDetail>();
    expectTypeOf<Exclude<Approval, { outcome: 'underway' }>>().toEqualTypeOf<contract.Approval>();
    expectTypeOf<NoticeRow>().toEqualTypeOf<contract.NoticeRow>();
    expectTypeOf<ReturnType<typeof jobRow>>().toEqualTypeOf<contract.JobRow>();
    expectTypeOf<ReturnType<typeof waitingRow>>().toExtend<contract.WaitingRow>();
    expectTypeOf<ReturnType<typeof jobDetail>>().toExtend<contract.JobDetail>();
    expectTypeOf<DoctorView>().toEqualTypeOf<contract.CommandOutput<'doctor'>>();
    expectTypeOf<Schedule>().toExtend<PanelInput['schedules'][number]>();
    expectTypeOf<Condition>().toExtend<PanelInput['conditions'][number]>();
    expectTypeOf<StockLine>().toExtend<PanelInput['stock'][number]>();
    const view = panelView(input());
    expect(panelSchema.parse(view)).toEqual(view);
    const detail = jobDetail(aJob(), { prompt: 'Brief', draft: 1, events: [], why: WHY });
    expect(jobDetailSchema.parse(detail)).toEqual(detail);
  });

  it('D5 says why each job waits, and shows how far a running one is', () => {
    const view = panelView(input());
    expect(view.waiting[0]).toMatchObject({
      code: 'present',
      why: 'You are here.',
      reason: 'You are here.',
      forecast: 'likely 22:40',
    });
    expect(view.running[0]?.progress).toEqual({ done: 1204, total: 1980, unit: 'files' });
    expect(view.stock[0]?.watched).toBe(true);
    expect(view.schedules[0]?.to).toBe('local');
  });

  it('D5 a job that ended says why by itself, whatever the gates say', () => {
    const failed = aJob({ state: 'failed', error: 'no answer', finishedAt: MORNING });
    expect(jobRow(failed, { why: WHY }).reason).toBe('no answer');
    const missed = aJob({ state: 'missed', reason: 'its window closed', finishedAt: MORNING });
    expect(jobRow(missed).reason).toBe('its window closed');
    expect(jobRow(aJob({ state: 'done', finishedAt: MORNING })).reason).toBeNull();
  });

  it('D5 a running job says only that it was asked to stop', () => {
    const running = { state: 'running', startedAt: MORNING, reason: 'put off before' } as const;
    expect(jobRow(aJob(running)).reason).toBeNull();
    expect(jobRow(aJob({ ...running, cancelAskedAt: MORNING })).reason).toBe(
      'Stops at its next step.',
    );
  });

  it('D4 of 10,000 drafts 50 are sent', () => {
    const drafts = Array.from({ length: 10_000 }, (_, i) => aDraft(10_000 - i));
    const view = panelView(input({ drafts, waiting: Array(80).fill({ job: aJob(), why: WHY }) }));
    expect(view.drafts).toHaveLength(50);
    expect(view.waiting).toHaveLength(50);
    expect(view.drafts[0]?.id).toBe(10_000);
  });

  it('D4 a title of markup, turned text, 100 kB or nothing is one short line of text', () => {
    const titles = [
      '<img src=x onerror=alert(1)>',
      '\u202etxt.exe\u0007',
      'x'.repeat(100_000),
      ' \n',
    ];
    const view = panelView(input({ drafts: titles.map((title, i) => aDraft(i + 1, title)) }));
    expect(view.drafts.map(({ title }) => title)).toEqual([
      '<img src=x onerror=alert(1)>',
      'txt.exe',
      `${'x'.repeat(199)}…`,
      'Untitled',
    ]);
    const job = jobRow(aJob({ title: titles[1] as string, source: 'a\u0000b' }));
    expect([job.title, job.source]).toEqual(['txt.exe', 'a b']);
  });
});

describe('what a panel is sent again', () => {
  it('D5 nothing where nothing changed', () => {
    expect(changedSections(panelView(input()), panelView(input()))).toBeNull();
  });

  it('D5 only the sections that changed, whole', () => {
    const before = panelView(input());
    const after = panelView(
      input({
        drafts: [aDraft(2), aDraft(1)],
        status: { ...input().status, pendingDrafts: 2 },
      }),
    );
    expect(changedSections(before, after)).toEqual({
      drafts: after.drafts,
      status: after.status,
    });
    expect(changedSections(before, { ...before, nextLull: 'likely 22:40' })).toEqual({
      nextLull: 'likely 22:40',
    });
  });
});
