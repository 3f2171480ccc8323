import { describe, expect, it } from 'vitest';
import {
  type MenuInput,
  type MenuItem,
  menuModel,
} from '../../../main/surfaces/electron/menu-model.ts';
import { sampleDraft, sampleView } from '../../renderer/fixtures.ts';

/** 15:00 on 30 November 2026, in the zone of the machine. */
const NOON = new Date(2026, 10, 30, 15, 0).getTime();

function menuOf(changes: Partial<MenuInput> = {}, now = NOON): MenuItem[] {
  return menuModel({ ...sampleView(), ...changes }, now);
}

/** The labels as a person reads them, a submenu's behind its own. */
function labels(items: readonly MenuItem[]): string[] {
  return items.flatMap((item) => {
    if (item.kind === 'line') return ['-'];
    if (item.kind === 'choice') return [item.label];
    return [item.label, ...labels(item.items).map((label) => `${item.label} > ${label}`)];
  });
}

function find(items: readonly MenuItem[], ...path: string[]): MenuItem | undefined {
  const [first, ...rest] = path;
  const item = items.find((one) => one.kind !== 'line' && one.label === first);
  return rest.length > 0 && item?.kind === 'menu' ? find(item.items, ...rest) : item;
}

const status = (paused: MenuInput['status']['paused']) => ({ ...sampleView().status, paused });

describe('the menu', () => {
  it('D2 reads from what is, through what can be looked at, to what can be done', () => {
    expect(labels(menuOf())).toEqual([
      'Waiting for you to step away',
      '1 heavy job · idle 0:42 of 5:00 · on mains',
      '-',
      'Open Lull',
      'Open in a window',
      '-',
      'Replenish vanilla, $17.50',
      'All drafts (1)…',
      '-',
      'Run now',
      'Run now > Summarise the supplier mails…',
      '-',
      'Pause everything',
      'Pause everything > 30 minutes',
      'Pause everything > 1 hour',
      'Pause everything > 2 hours',
      'Pause everything > Until tomorrow morning (08:00)',
      'Pause everything > Until resumed',
      'Pause heavy work',
      'Pause heavy work > 30 minutes',
      'Pause heavy work > 1 hour',
      'Pause heavy work > 2 hours',
      'Pause heavy work > Until tomorrow morning (08:00)',
      'Pause heavy work > Until resumed',
      '-',
      'Settings…',
      'Quit Lull',
    ]);
  });

  it('D2 pauses all or heavy work for each span', () => {
    const items = menuOf();
    const lasts = (...path: string[]) => {
      const item = find(items, ...path);
      return item?.kind === 'choice' ? item.action : undefined;
    };
    expect(lasts('Pause everything', '30 minutes')).toEqual({
      do: 'pause',
      scope: 'all',
      lasts: 1800,
    });
    expect(lasts('Pause heavy work', '2 hours')).toEqual({
      do: 'pause',
      scope: 'heavy',
      lasts: 7200,
    });
    expect(lasts('Pause heavy work', 'Until tomorrow morning (08:00)')).toMatchObject({
      lasts: 'till-morning',
    });
    expect(lasts('Pause everything', 'Until resumed')).toMatchObject({ lasts: 'till-resumed' });
  });

  it('D2 offers to resume what is paused, and says until when', () => {
    const until = new Date(2026, 10, 30, 16, 30).getTime();
    const both = menuOf({ status: status({ all: { until }, heavy: { until: null } }) });
    expect(find(both, 'Resume everything (paused until 16:30)')).toMatchObject({
      action: { do: 'resume', scope: 'all' },
    });
    expect(find(both, 'Resume heavy work')).toMatchObject({
      action: { do: 'resume', scope: 'heavy' },
    });
    expect(find(both, 'Change the pause of everything', '1 hour')).toMatchObject({
      action: { do: 'pause', scope: 'all', lasts: 3600 },
    });
    expect(labels(menuOf()).some((label) => label.startsWith('Resume'))).toBe(false);
  });

  it('D2 shows the five newest drafts and where the others are', () => {
    const drafts = Array.from({ length: 12 }, (_, i) =>
      sampleDraft({ id: 12 - i, title: `Draft ${12 - i}`, totalCents: null }),
    );
    const items = menuOf({ drafts });
    expect(labels(items).filter((label) => /^Draft /.test(label))).toEqual(
      [12, 11, 10, 9, 8].map((id) => `Draft ${id}`),
    );
    expect(find(items, 'Draft 12')).toMatchObject({ action: { do: 'open', at: '/drafts/12' } });
    expect(find(items, 'All drafts (1)…')).toMatchObject({ action: { at: '/drafts' } });
  });

  it('D2 offers to run only heavy jobs that wait, each after a question', () => {
    const [heavy] = sampleView().waiting;
    const light = { ...heavy, id: 2, title: 'A light one', tier: 'routine' as const };
    const items = menuOf({ waiting: [light, { ...heavy, id: 9 }] as MenuInput['waiting'] });
    const run = find(items, 'Run now');
    expect(run?.kind === 'menu' && labels(run.items)).toEqual(['Summarise the supplier mails…']);
    expect(find(items, 'Run now', 'Summarise the supplier mails…')).toMatchObject({
      action: { do: 'run-now', job: 9, title: 'Summarise the supplier mails' },
    });
    expect(labels(menuOf({ waiting: [] }))).not.toContain('Run now');
  });

  it('D2 keeps a hostile title to one short line', () => {
    const title = `\u202eevil\nline ${'x'.repeat(100_000)}`;
    const items = menuOf({ drafts: [sampleDraft({ title, totalCents: null })] });
    const label = labels(items).find((one) => one.startsWith('evil')) ?? '';
    expect(label).toMatch(/^evil line x+…$/);
    expect(label.length).toBeLessThanOrEqual(60);
  });

  it('D2 before the host has spoken only opens and quits', () => {
    expect(labels(menuModel(null, NOON))).toEqual([
      'Open Lull',
      'Open in a window',
      '-',
      'Settings…',
      'Quit Lull',
    ]);
  });

  it('D2 is the same for the same view at the same moment', () => {
    expect(menuOf()).toEqual(menuOf());
  });
});
