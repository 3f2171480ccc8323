import { expect, it } from 'vitest';
import type { PanelView, Push } from '../../main/surfaces/contract.ts';
import { mirrorView } from '../../main/surfaces/view-mirror.ts';
import { sampleView } from '../renderer/fixtures.ts';
import { settle } from '../support/fake-clock.ts';
import { publisher } from './support.ts';

function mirrored() {
  const { subscribe, push, listeners } = publisher();
  const answer = Promise.withResolvers<PanelView>();
  const seen: PanelView[] = [];
  const mirror = mirrorView(
    { subscribe, dispatch: async () => ({ ok: true, value: await answer.promise }) },
    (view) => seen.push(view),
  );
  const pushed = (changed: Push['changed']) => push({ event: 'panel', changed });
  return { mirror, seen, pushed, answer, listeners };
}

it('D1 the mirror shows the first view, then each change in it', async () => {
  const { mirror, seen, pushed, answer } = mirrored();
  expect(mirror.view()).toBeNull();
  answer.resolve(sampleView());
  await settle();
  expect(mirror.view()).toEqual(sampleView());
  pushed({ drafts: [] });
  expect(mirror.view()).toEqual(sampleView({ drafts: [] }));
  expect(seen).toHaveLength(2);
});

it('D1 a change that comes before the first view is not lost', async () => {
  const { mirror, pushed, answer } = mirrored();
  pushed({ detail: 'older' });
  pushed({ detail: 'newer' });
  answer.resolve(sampleView());
  await settle();
  expect(mirror.view()?.detail).toBe('newer');
});

it('D1 a closed mirror listens no more', () => {
  const { mirror, listeners } = mirrored();
  expect(listeners()).toBe(1);
  mirror.close();
  expect(listeners()).toBe(0);
});
